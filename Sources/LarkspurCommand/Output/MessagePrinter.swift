import HTTPSyntax
import Larkspur

/// The heads of requests and responses as text.
struct MessagePrinter {
    let palette: Palette
    /// Whether control characters are replaced.
    let isForTerminal: Bool
    /// The fields of requests whose values are replaced by a placeholder.
    var hidden = HiddenFields()

    /// Returns the head of a request, with an empty line after it.
    func head(of request: URLRequest, body: ComposedBody, isChunked: Bool = false) -> String {
        var fields = request.headers
        if fields["Host"] == nil, let url = request.url { fields["Host"] = Self.host(of: url) }
        fields = HTTPHeaders(fields.map(hidden.shown))
        let method = request.httpMethod ?? "GET"
        // The fields that the session adds.
        switch body.length {
        case .none where ["POST", "PUT", "PATCH"].contains(method): fields["Content-Length"] = "0"
        case .none: break
        case .some(let length?) where !isChunked: fields["Content-Length"] = String(length)
        case .some: fields["Transfer-Encoding"] = "chunked"
        }
        if method == "POST", body.length != nil, fields["Content-Type"] == nil {
            fields["Content-Type"] = "application/x-www-form-urlencoded"
        }
        let target = request.url.map(Self.target) ?? "/"
        let line =
            palette.paint(method, .success) + " " + palette.paint(clean(target), .name)
            + " HTTP/1.1"
        return line + "\n" + lines(of: fields) + "\n"
    }

    /// Returns the head of a response, with an empty line after it.
    /// - Parameter version: The version of the protocol, such as `HTTP/1.1`.
    func head(of response: HTTPURLResponse, version: String) -> String {
        let phrase = StatusPhrase.of(response.statusCode)
        let status = "\(response.statusCode)\(phrase.isEmpty ? "" : " ")\(phrase)"
        let ink: Palette.Ink =
            switch response.statusCode {
            case 200..<300: .success
            case 300..<400: .redirection
            default: .failure
            }
        return "\(version) \(palette.paint(status, ink))\n" + lines(of: response.headers) + "\n"
    }

    private func lines(of fields: HTTPHeaders) -> String {
        fields.sorted { $0.name.lowercased() < $1.name.lowercased() }
            .map { palette.paint(clean($0.name), .name) + ": " + clean($0.value) + "\n" }
            .joined()
    }

    private func clean(_ text: String) -> String { isForTerminal ? TerminalText.line(text) : text }

    private static func host(of url: URL) -> String {
        URLReference(url.absoluteString).hostField ?? url.host ?? ""
    }

    private static func target(of url: URL) -> String {
        let components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        let path = components?.percentEncodedPath ?? url.path
        return (path.isEmpty ? "/" : path) + (components?.percentEncodedQuery.map { "?" + $0 } ?? "")
    }
}

/// The reason phrases of the status codes (RFC 9110, section 15). The session does not report the server's phrases.
enum StatusPhrase {
    static func of(_ code: Int) -> String { phrases[code] ?? "" }

    private static let phrases: [Int: String] = [
        100: "Continue", 101: "Switching Protocols", 103: "Early Hints", 200: "OK", 201: "Created", 202: "Accepted",
        203: "Non-Authoritative Information", 204: "No Content", 205: "Reset Content", 206: "Partial Content",
        300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
        307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized",
        402: "Payment Required", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable",
        407: "Proxy Authentication Required", 408: "Request Timeout", 409: "Conflict", 410: "Gone",
        411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large", 414: "URI Too Long",
        415: "Unsupported Media Type", 416: "Range Not Satisfiable", 417: "Expectation Failed",
        421: "Misdirected Request", 422: "Unprocessable Content", 425: "Too Early", 426: "Upgrade Required",
        428: "Precondition Required", 429: "Too Many Requests", 431: "Request Header Fields Too Large",
        451: "Unavailable For Legal Reasons", 500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
        503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
        511: "Network Authentication Required",
    ]
}
