/// The parameters of a request, as a request serializer receives them.
public enum Parameters {
    /// Names and values; the values may be strings, numbers, booleans, dates, data, `NSNull`, and arrays, sets and dictionaries of these.
    case dictionary([String: Any])
    /// A value that encodes itself.
    case encodable(any Encodable)
}
