public import Larkspur

extension LoopbackServer.Request {
    /// Returns a command line for curl that sends the request again: method, URL, fields and content, quoted for a
    /// POSIX shell.
    ///
    /// The fields that curl sets itself for the same URL and content are left out: `Host`, `Content-Length` and
    /// `Transfer-Encoding`.
    /// - Parameter redaction: The rule by which secrets are hidden. Default: `Redaction.standard`.
    public func cURLDescription(redaction: Redaction = .standard) -> String {
        guard let url = URL(string: url) else { return "curl" }
        var request = URLRequest(url: url)
        request.httpMethod = method
        if !body.isEmpty { request.httpBody = body }
        // The property of the content adds a field of its own.
        request.allHTTPHeaderFields = [:]
        for field in headers where !Self.fieldsOfConnection.contains(field.name.lowercased()) {
            request.addValue(field.value, forHTTPHeaderField: field.name)
        }
        return request.cURLDescription(redaction: redaction)
    }

    private static let fieldsOfConnection: Set<String> = ["host", "content-length", "transfer-encoding", "connection"]
}
