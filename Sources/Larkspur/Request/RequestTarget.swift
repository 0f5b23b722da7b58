import HTTPSyntax

/// The target of a call: a `String`, a `URL`, a ``PathTarget`` with values, or a custom type.
///
///     enum Route: RequestTarget {
///         case user(Int)
///
///         func requestURL(relativeTo base: URL?) throws(LarkspurError) -> URL {
///             switch self {
///             case .user(let id): try PathTarget("users/\(id)").requestURL(relativeTo: base)
///             }
///         }
///     }
///
///     let user = try await manager.get(Route.user(1)).value(as: User.self)
public protocol RequestTarget: Sendable {
    /// Returns the absolute URL of a request.
    /// - Parameter base: The base URL of the session manager, or nil.
    /// - Throws: ``LarkspurError`` with the code `invalidURL`.
    func requestURL(relativeTo base: URL?) throws(LarkspurError) -> URL
}

extension String: RequestTarget {
    /// Resolves the string against a base URL (RFC 3986, section 5). `foo` is a path below the base's path, and `/foo`
    /// a path at the root of its host. An absolute URL replaces the base, and an empty string is the base itself.
    /// Characters that a URL cannot contain are percent-encoded.
    public func requestURL(relativeTo base: URL?) throws(LarkspurError) -> URL {
        try BaseURL.resolve(self, against: base)
    }
}

extension URL: RequestTarget {
    /// Returns an absolute URL unchanged. Resolves a relative URL against the base URL, like a string.
    public func requestURL(relativeTo base: URL?) throws(LarkspurError) -> URL {
        let url = absoluteURL
        guard url.scheme != nil else { return try BaseURL.resolve(url.absoluteString, against: base) }
        try BaseURL.validate(url)
        return url
    }
}
