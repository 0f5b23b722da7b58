internal import HTTPSyntax

/// An encoder of parameters into the text of a query or of a form body: `filter%5Btags%5D%5B%5D=a&page=2`.
///
/// The defaults are AFNetworking's rules. Keys are sorted. A value in a dictionary has the name `key[child]`, and an
/// element of an array the name `key[]`. For a set the key is repeated. Booleans are `1` and `0`, null is the key
/// alone, and an empty collection is omitted. Letters, digits and `-._~/?` stay unchanged; everything else is
/// percent-encoded in UTF-8. A value that these rules cannot express is an error.
///
/// ```swift
/// serializer.queryEncoder.arrayStyle = .noBrackets
/// serializer.queryEncoder.dateStyle = .secondsSince1970
/// ```
public struct QueryEncoder: Sendable {
    /// The names of the elements of an array. Default: `.brackets`, `key[]`.
    public var arrayStyle: ArrayStyle = .brackets
    /// The style of booleans. Default: `.numeric`, `1` and `0`.
    public var booleanStyle: BooleanStyle = .numeric
    /// The style of data. Default: `.base64`.
    public var dataStyle: DataStyle = .base64
    /// The style of dates. Default: `.iso8601`, as in `2001-01-01T00:00:00Z`. This style states the time zone and is
    /// widely supported.
    public var dateStyle: DateStyle = .iso8601
    /// The style of each key. Default: `.unchanged`.
    public var keyStyle: KeyStyle = .unchanged
    /// The style in which a key is joined to the keys above it. Default: `.brackets`, `parent[child]`.
    public var keyPathStyle: KeyPathStyle = .brackets
    /// The style of null: `NSNull`, nil in a dictionary or an array, `encodeNil`. Default: `.keyOnly`, `key`.
    public var nullStyle: NullStyle = .keyOnly
    /// The style of a space. Default: `.percentEscaped`, `%20`.
    public var spaceStyle: SpaceStyle = .percentEscaped
    /// Whether keys are sorted, with regard to case, so that equal parameters have equal text. Default: true.
    ///
    /// If false, an `Encodable` type's keys keep the order in which the type encodes them, and `KeyValuePairs` keep
    /// theirs. Dictionaries and sets are sorted nevertheless, because they have no order.
    public var sortsKeys = true
    /// Whether an `Encodable` type's optional properties that are nil are written in ``nullStyle``. Default: false.
    ///
    /// Synthesized conformances encode such a property "if present", so that `JSONEncoder` omits it.
    public var includesNilProperties = false
    /// The `userInfo` of the encoder that is passed to `Encodable` types. Default: none.
    package var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// Creates an encoder with AFNetworking's rules.
    public init() {}

    /// Encodes parameters.
    ///
    /// A single value without a name becomes `=value`. An array at the top level becomes `[]=value` for each element,
    /// with the brackets escaped.
    /// - Parameter parameters: The parameters to encode.
    /// - Returns: The text without a leading question mark; empty if there is nothing to encode.
    /// - Throws: ``LarkspurError`` with the code `parameterEncodingFailed`, which names the parameter and its type: for
    ///   a value of a type that parameters cannot have (see ``Parameters``), a number that is infinite or not a number,
    ///   nesting deeper than 64 levels, or an error that an `encode(to:)` threw.
    public func encode(_ parameters: Parameters) throws(LarkspurError) -> String {
        try pairs(of: parameters).map(text).joined(separator: "&")
    }

    /// Percent-encodes a text in UTF-8, except for letters, digits and `-._~/?` (RFC 3986, sections 2.3 and 3.4).
    ///
    /// Text that is encoded already is encoded again, so that decoding returns the original text. The slash and the
    /// question mark stay, because a query may contain them and some servers expect them unencoded.
    /// - Parameter text: The text of one key or one value.
    public static func percentEscaped(_ text: String) -> String {
        percentEscaped(text, space: .percentEscaped)
    }

    private func text(of pair: QueryPair) -> String {
        let key = Self.percentEscaped(pair.key, space: spaceStyle)
        guard let value = pair.value else { return key }
        return key + "=" + Self.percentEscaped(value, space: spaceStyle)
    }

    private static func percentEscaped(_ text: String, space: SpaceStyle) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if PercentEncoding.isUnescaped(byte) {
                result.append(byte)
            } else if byte == UInt8(ascii: " "), case .plusReplaced = space {
                result.append(UInt8(ascii: "+"))
            } else {
                PercentEncoding.append(byte, to: &result)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
