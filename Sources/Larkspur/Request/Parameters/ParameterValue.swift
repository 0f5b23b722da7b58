/// The kind of a parameter's value, independent of its static type. All types that parameters may have are listed in
/// this file.
enum ParameterValue {
    case null
    case string(String)
    case boolean(Bool)
    case number(Number)
    case date(Date)
    case data(Data)
    case array([Any])
    case set([Any])
    case dictionary([(key: Any, value: Any)])
    /// Names and values in an order that is kept.
    case pairs([(key: Any, value: Any)])
    case encodable(any Encodable)
    case unsupported

    /// A number as text, and as an object for Foundation's serializers.
    struct Number {
        let text: String
        let object: Any
        let isFinite: Bool
    }

    init(_ value: Any) {
        // A cast to a protocol checks the actual type. `as? Bool` or `as? NSNumber` would bridge, and convert 1 to
        // true.
        if let value = value as? any ParameterValueConvertible {
            self = value.parameterValue
        } else if let value = value as? any Encodable {
            self = .encodable(value)
        } else if let value = value as? any RawRepresentable {
            self = ParameterValue(value.rawValue)
        } else {
            self = .unsupported
        }
    }

    /// Returns the name that a dictionary's key stands for; nil if the key cannot be a name.
    static func name(of key: Any) -> String? {
        switch ParameterValue(key) {
        case .string(let name): name
        case .encodable(let value): ((value as? any RawRepresentable)?.rawValue).flatMap(name(of:))
        default: nil
        }
    }
}

/// A type that parameters may hold.
protocol ParameterValueConvertible {
    var parameterValue: ParameterValue { get }
}

extension ParameterValueConvertible where Self: FixedWidthInteger {
    var parameterValue: ParameterValue { .number(.init(text: description, object: self, isFinite: true)) }
}

extension ParameterValueConvertible where Self: BinaryFloatingPoint & CustomStringConvertible {
    var parameterValue: ParameterValue { .number(.init(text: description, object: self, isFinite: isFinite)) }
}

extension Int: ParameterValueConvertible {}
extension Int8: ParameterValueConvertible {}
extension Int16: ParameterValueConvertible {}
extension Int32: ParameterValueConvertible {}
extension Int64: ParameterValueConvertible {}
extension Int128: ParameterValueConvertible {}
extension UInt: ParameterValueConvertible {}
extension UInt8: ParameterValueConvertible {}
extension UInt16: ParameterValueConvertible {}
extension UInt32: ParameterValueConvertible {}
extension UInt64: ParameterValueConvertible {}
extension UInt128: ParameterValueConvertible {}
extension Float: ParameterValueConvertible {}
extension Double: ParameterValueConvertible {}

extension Bool: ParameterValueConvertible {
    var parameterValue: ParameterValue { .boolean(self) }
}

extension Decimal: ParameterValueConvertible {
    var parameterValue: ParameterValue {
        .number(.init(text: description, object: NSDecimalNumber(decimal: self), isFinite: isFinite))
    }
}

extension NSNumber: ParameterValueConvertible {
    // Foundation has one object for true and one for false. The type encoding does not identify booleans, because on
    // Apple platforms a small integer has the same encoding.
    private static let booleans = (true: NSNumber(value: true), false: NSNumber(value: false))

    var parameterValue: ParameterValue {
        if self === Self.booleans.true { return .boolean(true) }
        if self === Self.booleans.false { return .boolean(false) }
        return .number(.init(text: description, object: self, isFinite: doubleValue.isFinite))
    }
}

extension String: ParameterValueConvertible {
    var parameterValue: ParameterValue { .string(self) }
}

extension Substring: ParameterValueConvertible {
    var parameterValue: ParameterValue { .string(String(self)) }
}

extension Character: ParameterValueConvertible {
    var parameterValue: ParameterValue { .string(String(self)) }
}

extension NSString: ParameterValueConvertible {
    var parameterValue: ParameterValue { .string(String(describing: self)) }
}

extension URL: ParameterValueConvertible {
    var parameterValue: ParameterValue { .string(absoluteString) }
}

extension NSURL: ParameterValueConvertible {
    var parameterValue: ParameterValue {
        // The property is optional on Apple platforms only.
        let text: String? = absoluteString
        return text.map(ParameterValue.string) ?? .unsupported
    }
}

extension UUID: ParameterValueConvertible {
    var parameterValue: ParameterValue { .string(uuidString) }
}

extension NSUUID: ParameterValueConvertible {
    var parameterValue: ParameterValue { .string(uuidString) }
}

extension Date: ParameterValueConvertible {
    var parameterValue: ParameterValue { .date(self) }
}

extension NSDate: ParameterValueConvertible {
    var parameterValue: ParameterValue { .date(Date(timeIntervalSinceReferenceDate: timeIntervalSinceReferenceDate)) }
}

extension Data: ParameterValueConvertible {
    var parameterValue: ParameterValue { .data(self) }
}

extension NSData: ParameterValueConvertible {
    var parameterValue: ParameterValue { .data(Data(referencing: self)) }
}

extension NSNull: ParameterValueConvertible {
    var parameterValue: ParameterValue { .null }
}

extension Optional: ParameterValueConvertible {
    var parameterValue: ParameterValue { map { ParameterValue($0) } ?? .null }
}

extension AnyHashable: ParameterValueConvertible {
    var parameterValue: ParameterValue { ParameterValue(base) }
}

extension Array: ParameterValueConvertible {
    var parameterValue: ParameterValue { .array(self) }
}

extension ArraySlice: ParameterValueConvertible {
    var parameterValue: ParameterValue { .array(Array(self)) }
}

extension ContiguousArray: ParameterValueConvertible {
    var parameterValue: ParameterValue { .array(Array(self)) }
}

extension NSArray: ParameterValueConvertible {
    var parameterValue: ParameterValue { .array(map { $0 }) }
}

extension Set: ParameterValueConvertible {
    var parameterValue: ParameterValue { .set(Array(self)) }
}

extension NSSet: ParameterValueConvertible {
    var parameterValue: ParameterValue { .set(map { $0 }) }
}

extension Dictionary: ParameterValueConvertible {
    var parameterValue: ParameterValue { .dictionary(map { ($0.key, $0.value) }) }
}

extension KeyValuePairs: ParameterValueConvertible {
    var parameterValue: ParameterValue { .pairs(map { ($0.key, $0.value) }) }
}

extension NSDictionary: ParameterValueConvertible {
    var parameterValue: ParameterValue { .dictionary(map { ($0.key, $0.value) }) }
}
