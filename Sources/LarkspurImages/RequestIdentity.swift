/// The identity of a request: URL, method, header fields and body. Nothing less, as the response may depend on each of
/// them.
struct RequestIdentity: Hashable, Sendable {
    private let url: String
    private let method: String
    private let fields: [String: String]
    private let body: Data?

    /// Nil for a request without a URL, and for one whose body is a stream, which is the same as no other.
    init?(_ request: URLRequest) {
        guard let url = request.url, request.httpBodyStream == nil else { return nil }
        self.url = url.absoluteString
        method = request.httpMethod ?? "GET"
        fields = (request.allHTTPHeaderFields ?? [:]).reduce(into: [:]) { $0[$1.key.lowercased()] = $1.value }
        body = request.httpBody
    }
}
