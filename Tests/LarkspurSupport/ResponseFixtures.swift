package import Larkspur
package import Testing

/// Makes an HTTP response by hand.
package func httpResponse(
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
package func larkspurError(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) throws -> LarkspurError {
    try #require(throws: LarkspurError.self, sourceLocation: sourceLocation) { try body() }
}
