internal import HTTPSyntax

/// Conversion of transport errors to errors that are safe to print. An `NSError` prints its user info, which may hold
/// URLs with passwords or tokens and responses with cookies.
enum PrintableError {
    private static let maximumDepth = 16
    /// A URL with a secret contains at least one of these characters. A parameter in the path contains `=`.
    private static let marks = Set("@?#;%=".utf8)

    /// Returns the error itself, or an error with the same domain and number whose user info is safe to log.
    static func of(_ error: any Error) -> any Error { replacement(of: error, depth: 0) ?? error }

    /// Returns the replacement of an error; nil for an error that is safe to log already.
    private static func replacement(of error: any Error, depth: Int) -> (any Error)? {
        // A `LarkspurError` removes secrets itself.
        if error is LarkspurError { return nil }
        let known = error as NSError
        let changes = known.userInfo.compactMapValues { replacement(of: $0, depth: depth) }
        guard !changes.isEmpty else { return nil }
        let info = known.userInfo.merging(changes) { $1 }
        // The initializer is failable on Linux only.
        if known.domain == NSURLErrorDomain, let code = URLError.Code(rawValue: known.code) as URLError.Code? {
            return URLError(code, userInfo: info)
        }
        return NSError(domain: known.domain, code: known.code, userInfo: info)
    }

    /// Returns the replacement of a value in user info; nil for a value that is safe to log already.
    private static func replacement(of value: Any, depth: Int) -> Any? {
        switch value {
        case let url as URL:
            let safe = url.withoutSecrets
            // The text is empty if the URL cannot be parsed without its secrets.
            return safe == url ? nil : safe ?? ""
        case let text as String:
            guard text.utf8.contains(where: { Self.marks.contains($0) }),
                let url = URL(string: text), url.scheme != nil || text.begins(with: "//")
            else { return nil }
            let safe = url.withoutSecrets
            return safe == url ? nil : safe?.absoluteString ?? ""
        case is PrintableResponse: return nil
        case let response as URLResponse: return PrintableResponse.of(response)
        case let error as any Error:
            guard depth < maximumDepth else { return "\((error as NSError).domain) \((error as NSError).code)" }
            return replacement(of: error, depth: depth + 1)
        default: return nil
        }
    }
}

/// A copy of a response with all of its values, which prints without credentials and cookies.
final class PrintableResponse: HTTPURLResponse, @unchecked Sendable {
    // Safe: the class adds no state to its superclass.
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
        guard let safe = url.withoutSecrets, safe != url else { return response }
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

    /// The superclass. With it, an archive can be read in programs in which this class does not exist.
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
    /// The URL, in which the user, the password and the secrets in its path, query and fragment are hidden. Nil if the
    /// result cannot be parsed. An `NSError` prints its user info, so a URL in the user info must never have a secret.
    var withoutSecrets: URL? {
        let text = Redaction.standard.text(of: self)
        return text == absoluteString ? self : URL(string: text)
    }
}
