/// The parameters of a request, which a request serializer receives.
///
/// Values may be strings, numbers, booleans, dates, data, URLs, UUIDs, `NSNull`, optionals, and arrays, sets and
/// dictionaries of these, in their Swift or Foundation types; raw-representable values, which stand for their raw
/// value; and anything `Encodable`.
public enum Parameters {
    /// Names and values.
    case dictionary([String: Any])
    /// Values without names, as the top level of a JSON body.
    case array([Any])
    /// A value that encodes itself.
    case encodable(any Encodable)

    /// The associated value of the case.
    var value: Any {
        switch self {
        case .dictionary(let dictionary): dictionary
        case .array(let array): array
        case .encodable(let value): value
        }
    }
}
