/// Which responses are acceptable: by status code, and by content type.
///
/// Only HTTP responses are checked. A wrong or missing content type does no harm where there is no content, so an empty
/// body is acceptable whatever its type, as in AFNetworking.
public struct ResponseValidation: Hashable, Sendable {
    /// The status codes that are acceptable; nil accepts every one. Default: 200 to 299.
    public var acceptableStatusCodes: StatusCodes?
    /// The media types that are acceptable; nil accepts every one, and content without a type too. Default: nil.
    public var acceptableContentTypes: Set<MediaRange>?

    /// Makes a validation.
    /// - Parameters:
    ///   - acceptableStatusCodes: The status codes that are acceptable, or nil for all. Default: 200 to 299.
    ///   - acceptableContentTypes: The media types that are acceptable, or nil for all. Default: nil.
    public init(
        acceptableStatusCodes: StatusCodes? = .successful,
        acceptableContentTypes: Set<MediaRange>? = nil
    ) {
        self.acceptableStatusCodes = acceptableStatusCodes
        self.acceptableContentTypes = acceptableContentTypes
    }

    /// Accepts every response.
    public static let anything = ResponseValidation(acceptableStatusCodes: nil, acceptableContentTypes: nil)

    /// Checks a response.
    /// - Parameters:
    ///   - response: The response; one that is not an `HTTPURLResponse` is acceptable.
    ///   - data: Its content.
    /// - Throws: ``LarkspurError`` with the code `unacceptableStatusCode` or `unacceptableContentType`; where both
    ///   apply the first, with the second as its `underlyingError`. It carries the response and its content. Its message
    ///   has the status and, where the content has them in a place that is known, the server's own words, cut after 160
    ///   characters.
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
