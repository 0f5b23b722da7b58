import HTTPSyntax
public import Larkspur

extension LoopbackServer.Request {
    /// Returns a curl command line that sends the request again: method, URL, fields and content, quoted for a POSIX
    /// shell.
    ///
    /// It omits fields that curl sets itself for the URL and content: `Host`, `Content-Length` and `Transfer-Encoding`.
    /// - Parameter redaction: The rule by which secrets are hidden. Default: `Redaction.standard`.
    public func cURLDescription(redaction: Redaction = .standard) -> String {
        guard let url = URL(string: url) else { return "curl" }
        var request = URLRequest(url: url)
        request.httpMethod = method
        if !body.isEmpty { request.httpBody = body }
        // Setting the content has added a Content-Type field, which is removed here.
        request.allHTTPHeaderFields = [:]
        for field in headers where !Self.fieldsOfConnection.contains(field.name.lowercased()) {
            request.addValue(field.value, forHTTPHeaderField: field.name)
        }
        return request.cURLDescription(redaction: redaction)
    }

    private static let fieldsOfConnection: Set<String> = ["host", "content-length", "transfer-encoding", "connection"]
}
