#if canImport(FoundationNetworking)
import HTTPSyntax

@_spi(Reflection) internal import Swift

/// A stored property of another module's class, found by its name through reflection.
struct StoredProperty: @unchecked Sendable {
    // Safe: both properties are constants. Objects are accessed only on the queues on which their own module accesses
    // them.
    private let offset: Int
    private let type: Any.Type

    /// Finds a property; nil if the class does not have it.
    init?(_ name: String, of owner: AnyClass) {
        var found: (offset: Int, type: Any.Type)?
        // The option declares that the type is a class.
        _ = _forEachField(of: owner, options: _EachFieldOptions(rawValue: 1)) { candidate, offset, type, _ in
            guard String(cString: candidate) == name else { return true }
            found = (offset, type)
            return false
        }
        guard let found else { return nil }
        offset = found.offset
        type = found.type
    }

    /// Finds a property; nil if the class does not have it, or if it has another type.
    init?<Value>(_ name: String, of owner: AnyClass, as type: Value.Type) {
        self.init(name, of: owner)
        guard self.type == type else { return nil }
    }

    /// Reads the value, whatever its type is.
    func value(in object: AnyObject) -> Any {
        func load<Value>(_ type: Value.Type) -> Any { place(in: object).assumingMemoryBound(to: type).pointee }
        return _openExistential(type, do: load)
    }

    /// Reads the value; nil if the property has another type.
    func value<Value>(in object: AnyObject, as type: Value.Type) -> Value? {
        self.type == type ? place(in: object).assumingMemoryBound(to: type).pointee : nil
    }

    /// Writes the value. If the property has another type, nothing happens.
    func set<Value>(_ value: Value, in object: AnyObject) {
        if type == Value.self { place(in: object).assumingMemoryBound(to: Value.self).pointee = value }
    }

    /// Writes an object after a cast to the property's type, such as a protocol of the other module.
    /// - Returns: Whether the cast was possible.
    func setCast(of value: AnyObject, in object: AnyObject) -> Bool {
        func store<Value>(_ type: Value.Type) -> Bool {
            guard let value = value as? Value, !isNil(value) else { return false }
            place(in: object).assumingMemoryBound(to: type).pointee = value
            return true
        }
        return _openExistential(type, do: store)
    }

    private func isNil(_ value: Any) -> Bool {
        let mirror = Mirror(reflecting: value)
        return mirror.displayStyle == .optional && mirror.children.isEmpty
    }

    /// Adds a value to a dictionary whose keys are cases of an enumeration of strings.
    /// - Returns: Whether the value was added. False if the property has another type, or if the enumeration has no
    ///   case with this name.
    func insert(_ value: Any, forCase name: String, in object: AnyObject) -> Bool {
        (type as? any CaseTable.Type)?.insert(value, forCase: name, at: place(in: object)) ?? false
    }

    private func place(in object: AnyObject) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(object).toOpaque().advanced(by: offset)
    }
}

private protocol CaseTable {
    static func insert(_ value: Any, forCase name: String, at place: UnsafeMutableRawPointer) -> Bool
}

extension Dictionary: CaseTable where Key: RawRepresentable, Key.RawValue == String, Value == Any {
    fileprivate static func insert(_ value: Any, forCase name: String, at place: UnsafeMutableRawPointer) -> Bool {
        guard let key = Key(rawValue: name) else { return false }
        place.assumingMemoryBound(to: Self.self).pointee[key] = value
        return true
    }
}
#endif
