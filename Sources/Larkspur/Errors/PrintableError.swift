/// Conversion of transport errors to errors that are safe to print. An `NSError` prints its user info, which may hold
/// URLs with passwords and responses with cookies.
enum PrintableError {
    private static let maximumDepth = 16

    /// Returns the error itself, or one with the same domain and number whose user info is safe to log.
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
        case let url as URL: return url.password == nil ? nil : url.withoutPassword ?? ""
        case let text as String:
            guard text.utf8.contains(UInt8(ascii: "@")), let url = URL(string: text), url.password != nil else {
                return nil
            }
            return url.withoutPassword?.absoluteString ?? ""
        case is PrintableResponse: return nil
        case let response as URLResponse: return PrintableResponse.of(response)
        case let error as any Error:
            guard depth < maximumDepth else { return "\((error as NSError).domain) \((error as NSError).code)" }
            return replacement(of: error, depth: depth + 1)
        default: return nil
        }
    }
}
