/// The identity of a request: URL, method, header fields and body. All of them are part of it, because the response may
/// depend on each.
struct RequestIdentity: Hashable, Sendable {
    private let url: String
    private let method: String
    private let fields: [String: String]
    private let body: Data?

    /// Creates the identity of a request. Nil for a request without a URL, and for one whose body is a stream, because
    /// that is equal to no other.
    init?(_ request: URLRequest) {
        guard let url = request.url, request.httpBodyStream == nil else { return nil }
        self.url = url.absoluteString
        method = request.httpMethod ?? "GET"
        fields = (request.allHTTPHeaderFields ?? [:]).reduce(into: [:]) { $0[$1.key.lowercased()] = $1.value }
        body = request.httpBody
    }
}
