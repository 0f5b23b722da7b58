#if canImport(FoundationNetworking)
internal import CLibcurl
internal import HTTPSyntax
@_spi(Reflection) internal import Swift
import Synchronization

/// An `HTTPURLResponse` that stores its fields unchanged.
///
/// The superclass converts every name to its canonical spelling, and reads the Content-Type with scanners. For a small
/// response, this costs more than all other work of the engine. In the engine, the names are already canonical. So this
/// class writes the fields into the superclass's storage, and computes the derived values only when they are read. An
/// environment variable switches this class off; see Docs/Linux.md.
final class EngineResponse: HTTPURLResponse, @unchecked Sendable {
    // Safe: nothing changes after initialisation.
    private let fields: [String: String]
    private let ownURL: URL?

    /// The URL that is passed to the superclass. It is only a question mark, because the superclass searches it for a
    /// file name.
    private static let constantURL = URL(string: "?") ?? URL(fileURLWithPath: "/")

    /// Creates a response. If the superclass has an unexpected layout, the result is nil, and the caller has to create
    /// an ordinary `HTTPURLResponse`.
    init?(url: URL, statusCode: Int, httpVersion: String, fields: [String: String]) {
        guard let storedFields = Self.storedFields else { return nil }
        self.fields = fields
        ownURL = url
        super.init(url: Self.constantURL, statusCode: statusCode, httpVersion: httpVersion, headerFields: nil)
        storedFields.set(fields, in: self)
    }

    /// Creates a response with these fields. If this class cannot be used, the result is an ordinary `HTTPURLResponse`.
    /// Nil only if Foundation refuses to create an `HTTPURLResponse`, which no version does.
    static func make(url: URL, status: Int, version: String, fields: [String: String]) -> HTTPURLResponse? {
        EngineResponse(url: url, statusCode: status, httpVersion: version, fields: fields)
            ?? HTTPURLResponse(url: url, statusCode: status, httpVersion: version, headerFields: fields)
    }

    required init?(coder: NSCoder) {
        fields = [:]
        ownURL = nil
        super.init(coder: coder)
    }

    // MARK: Values that the superclass derives

    override var url: URL? { ownURL }
    override var expectedContentLength: Int64 { fields["Content-Length"].flatMap { Int64($0) } ?? -1 }
    override var mimeType: String? { Self.contentType(fields["Content-Type"]).mimeType }
    override var textEncodingName: String? { Self.contentType(fields["Content-Type"]).textEncodingName }
    /// The suggested file name. It never contains a folder, even if the server sends one; see `SuggestedFilename`. If
    /// the response suggests no name, the value is `Unknown`, as in Foundation.
    override var suggestedFilename: String? {
        SuggestedFilename(disposition: fields["Content-Disposition"], url: url)?.text ?? "Unknown"
    }

    /// The class whose name is written into archives. It is the superclass, so that programs without this class can
    /// read the archives.
    override var classForCoder: AnyClass { HTTPURLResponse.self }
    override var classForKeyedArchiver: AnyClass? { HTTPURLResponse.self }

    /// The parts of a Content-Type field as Foundation reads them.
    struct ContentType {
        var mimeType: String?
        var textEncodingName: String?
    }

    /// Foundation's results for recent values. Servers send only a few different values.
    private static let contentTypes = Mutex<[TextKey: ContentType]>([:])

    /// The maximum length of a cached value, in bytes. The cache has up to 64 values. Without this limit, each of them
    /// could be as long as a header section.
    private static let longestRemembered = 256

    /// Reads the value of a Content-Type field. Both parts of the result are nil if there is no field.
    static func contentType(_ field: String?) -> ContentType {
        guard let field else { return ContentType() }
        let isRemembered = field.utf8.count <= longestRemembered
        if isRemembered, let known = contentTypes.withLock({ $0[field] }) { return known }
        let ordinary = ordinary(ContentTypeField.effective(field))
        let type = ContentType(mimeType: ordinary?.mimeType, textEncodingName: ordinary?.textEncodingName)
        guard isRemembered else { return type }
        contentTypes.withLock { types in
            if types.count >= 64 { types.removeAll() }
            types[field] = type
        }
        return type
    }

    /// Creates an ordinary response with a Content-Type field, so that Foundation parses the field.
    private static func ordinary(_ field: String) -> HTTPURLResponse? {
        // The time that Foundation's scanners need grows with the square of the length, so a long value is cut.
        let value = field.utf8.count > 4096 ? String(decoding: field.utf8.prefix(4096), as: UTF8.self) : field
        return HTTPURLResponse(
            url: constantURL,
            statusCode: 200,
            httpVersion: nil,
            headerFields: ["Content-Type": value]
        )
    }

    // MARK: The superclass's storage

    /// Whether the superclass has the expected layout, and the environment does not switch the class off.
    static var isAvailable: Bool { storedFields != nil }

    /// Whether the environment has the variable that switches this class off.
    static func isSwitchedOff(by environment: [String: String]) -> Bool {
        environment["LARKSPUR_ORDINARY_RESPONSES"] == "1"
    }

    /// The fields in the superclass's storage. Nil if the superclass does not have the property, if a write to it does
    /// not have the expected effect, or if the environment switches this class off.
    private static let storedFields: StoredProperty? = {
        guard !isSwitchedOff(by: ProcessInfo.processInfo.environment),
            let property = StoredProperty("_allHeaderFields", of: HTTPURLResponse.self, as: [String: String].self),
            let sample = HTTPURLResponse(url: constantURL, statusCode: 200, httpVersion: nil, headerFields: nil)
        else { return nil }
        property.set(["X-A": "b"], in: sample)
        return sample.value(forHTTPHeaderField: "X-A") == "b" ? property : nil
    }()
}

/// A stored property of a class in another module. Reflection finds it by its name.
struct StoredProperty: @unchecked Sendable {
    // Safe: both properties are constants. An object is accessed only on the queue on which its own module accesses it.
    private let offset: Int
    private let type: Any.Type

    /// Finds a property; nil if the class does not have it.
    init?(_ name: String, of owner: AnyClass) {
        var found: (offset: Int, type: Any.Type)?
        // The option says that the type is a class.
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

    /// Reads the value of any type.
    func value(in object: AnyObject) -> Any {
        func load<Value>(_ type: Value.Type) -> Any { place(in: object).assumingMemoryBound(to: type).pointee }
        return _openExistential(type, do: load)
    }

    /// Reads the value; nil if the property has another type.
    func value<Value>(in object: AnyObject, as type: Value.Type) -> Value? {
        self.type == type ? place(in: object).assumingMemoryBound(to: type).pointee : nil
    }

    /// Writes the value. If the property has another type, this method does nothing.
    func set<Value>(_ value: Value, in object: AnyObject) {
        if type == Value.self { place(in: object).assumingMemoryBound(to: Value.self).pointee = value }
    }

    /// Writes an object after a cast to the property's type, for example to a protocol of the other module.
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
