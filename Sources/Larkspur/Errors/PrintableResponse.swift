/// A response with everything that another one has, which prints without credentials and cookies.
final class PrintableResponse: HTTPURLResponse, @unchecked Sendable {
    // Safe: it has no state of its own.
    /// The response itself, or a copy that is safe to log.
    static func of(_ response: URLResponse) -> URLResponse {
        guard let url = response.url else { return response }
        if let http = response as? HTTPURLResponse {
            let fields = http.allHeaderFields.map { ("\($0.key)", "\($0.value)") }
            let copy = PrintableResponse(
                url: url,
                statusCode: http.statusCode,
                httpVersion: nil,
                headerFields: Dictionary(fields) { first, _ in first }
            )
            return copy ?? response
        }
        guard url.password != nil, let safe = url.withoutPassword else { return response }
        return URLResponse(
            url: safe,
            mimeType: response.mimeType,
            expectedContentLength: Int(clamping: response.expectedContentLength),
            textEncodingName: response.textEncodingName
        )
    }

    override var description: String {
        let target = url.map(LarkspurError.redacted) ?? "no URL"
        return "<HTTPURLResponse> { URL: \(target) } { status: \(statusCode), headers: \(headers.debugDescription) }"
    }

    override var debugDescription: String { description }

    /// An archive is to be read where this class does not exist.
    override var classForCoder: AnyClass { HTTPURLResponse.self }
    override var classForKeyedArchiver: AnyClass? { HTTPURLResponse.self }
}

extension PrintableResponse: CustomReflectable {
    /// Without the superclass's storage.
    var customMirror: Mirror {
        Mirror(
            self,
            children: ["url": url.map(LarkspurError.redacted) ?? "", "statusCode": statusCode, "headers": headers],
            displayStyle: .class,
            ancestorRepresentation: .suppressed
        )
    }
}

extension URL {
    /// Rather no URL than one with a password: what is in user info is printed with an `NSError`.
    var withoutPassword: URL? {
        guard password != nil else { return self }
        var components = URLComponents(url: self, resolvingAgainstBaseURL: true)
        components?.password = nil
        return components?.url
    }
}
