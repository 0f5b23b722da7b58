/// The rules by which responses are acceptable: status codes and content types.
///
/// Only HTTP responses are checked. As in AFNetworking, an empty body is acceptable with every content type, because a
/// wrong or missing type does no harm without content.
public struct ResponseValidation: Hashable, Sendable {
    /// The acceptable status codes; nil for all. Default: 200 to 299.
    public var acceptableStatusCodes: StatusCodes?
    /// The acceptable media types; nil for all, and for content without a type. Default: nil.
    public var acceptableContentTypes: Set<MediaRange>?

    /// Creates a validation.
    /// - Parameters:
    ///   - acceptableStatusCodes: The acceptable status codes, or nil for all. Default: 200 to 299.
    ///   - acceptableContentTypes: The acceptable media types, or nil for all. Default: nil.
    public init(
        acceptableStatusCodes: StatusCodes? = .successful,
        acceptableContentTypes: Set<MediaRange>? = nil
    ) {
        self.acceptableStatusCodes = acceptableStatusCodes
        self.acceptableContentTypes = acceptableContentTypes
    }

    /// The validation that accepts every response.
    public static let anything = ResponseValidation(acceptableStatusCodes: nil, acceptableContentTypes: nil)

    /// Checks a response.
    /// - Parameters:
    ///   - response: The response. A response that is not an `HTTPURLResponse` is acceptable.
    ///   - data: The content of the response.
    /// - Throws: ``LarkspurError`` with the code `unacceptableStatusCode` or `unacceptableContentType`; if both apply,
    ///   the first with the second as its `underlyingError`. The error carries the response and its content. Its
    ///   message has the status and, if the content is JSON with a known member for it, the server's own error message,
    ///   cut after 160 characters.
    public func validate(_ response: URLResponse?, data: Data) throws(LarkspurError) {
        guard let response = response as? HTTPURLResponse else { return }
        let contentTypeError = contentTypeError(response, data: data)
        if let acceptableStatusCodes, !acceptableStatusCodes.contains(response.statusCode) {
            let phrase = HTTPURLResponse.localizedString(forStatusCode: response.statusCode)
            let words = ServerMessage.find(in: data, of: response)
            throw LarkspurError(
                .unacceptableStatusCode,
                "Request failed: \(phrase) (\(response.statusCode))" + (words.map { ": \($0)" } ?? ""),
                underlyingError: contentTypeError,
                response: response,
                responseData: data
            )
        }
        if let contentTypeError { throw contentTypeError }
    }

    private func contentTypeError(_ response: HTTPURLResponse, data: Data) -> LarkspurError? {
        guard let acceptableContentTypes, !data.isEmpty else { return nil }
        let essence = MediaType.essence(of: response)
        if let essence, acceptableContentTypes.contains(MediaRange(essence: essence)) { return nil }
        if let essence, acceptableContentTypes.contains(where: { $0.matches(essence: essence) }) { return nil }
        let accepted = acceptableContentTypes.map(\.description).sorted().joined(separator: ", ")
        return LarkspurError(
            .unacceptableContentType,
            "Request failed: unacceptable content-type: \((essence ?? "none").excerpt); "
                + "accepted: \(accepted.isEmpty ? "none" : accepted)",
            response: response,
            responseData: data
        )
    }
}
