/// A copy of a response with all of its values, which prints without credentials and cookies.
final class PrintableResponse: HTTPURLResponse, @unchecked Sendable {
    // Safe: it has no state of its own.
    /// Returns the response itself, or a copy that is safe to log.
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

    /// The superclass, so that an archive can be read where this class does not exist.
    override var classForCoder: AnyClass { HTTPURLResponse.self }
    override var classForKeyedArchiver: AnyClass? { HTTPURLResponse.self }
}

extension PrintableResponse: CustomReflectable {
    /// A mirror without the superclass's storage.
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
    /// The URL without its password; nil if the URL cannot be parsed. An `NSError` prints its user info, so that a URL
    /// in it must never have a password.
    var withoutPassword: URL? {
        guard password != nil else { return self }
        var components = URLComponents(url: self, resolvingAgainstBaseURL: true)
        components?.password = nil
        return components?.url
    }
}
