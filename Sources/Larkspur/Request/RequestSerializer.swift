/// Builds requests: puts headers, request properties and parameters into a `URLRequest`.
///
/// The kinds differ in the body that they write; what they have in common is their ``settings``.
public protocol RequestSerializer: Sendable {
    /// Headers, request properties, and how parameters become a query.
    var settings: RequestSettings { get set }

    /// Writes the body of a request whose method does not encode its parameters into the URI, and its Content-Type if it has none.
    /// - Parameters:
    ///   - parameters: What to encode; nil if the caller gave none.
    ///   - request: The request, with its URL, method and headers in place.
    /// - Throws: ``LarkspurError`` with the code `parameterEncodingFailed`.
    func encodeBody(_ parameters: Parameters?, into request: inout URLRequest) throws(LarkspurError)
}
