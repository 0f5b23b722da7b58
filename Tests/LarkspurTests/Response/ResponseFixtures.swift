import Larkspur
import Testing

/// Makes an HTTP response by hand.
func httpResponse(
    _ status: Int = 200,
    _ contentType: String? = nil,
    url: String = "https://example.org/users?token=secret"
) throws -> HTTPURLResponse {
    let fields = contentType.map { ["content-type": $0] }
    let url = try #require(URL(string: url))
    return try #require(
        HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
    )
}

/// Runs a body and returns the `LarkspurError` that it throws.
func larkspurError(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) throws -> LarkspurError {
    try #require(throws: LarkspurError.self, sourceLocation: sourceLocation) { try body() }
}

extension Data {
    init(_ text: String) { self.init(text.utf8) }
}

func nested(_ open: String, _ close: String, _ depth: Int) -> Data {
    Data(String(repeating: open, count: depth) + String(repeating: close, count: depth))
}
