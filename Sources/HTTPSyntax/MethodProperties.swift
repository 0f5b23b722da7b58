/// The properties of a request method that decide whether a request is sent again, and what a cache does with it.
///
/// This is the only list of methods: all decisions that depend on the kind of a method read it.
package struct MethodProperties: Equatable, Sendable {
    /// Whether the request requests no change on the server (RFC 9110, section 9.2.1). A safe request invalidates no
    /// stored response.
    package var isSafe = false
    /// Whether several equal requests have the same effect as one (RFC 9110, section 9.2.2), so that a request may be
    /// sent again.
    package var isIdempotent = false
    /// Whether a stored response of the same URL may be used for the request (RFC 9110, section 9.2.3).
    ///
    /// False for QUERY, whose responses depend on the content of the request, and for POST, whose stored responses
    /// could only be used for a GET.
    package var isCacheable = false
    /// Whether servers expect content, so that a request without content has the field `Content-Length: 0` (RFC 9110,
    /// section 8.6).
    package var anticipatesContent = false

    /// The properties of a method. A method that is not registered is neither safe, idempotent nor cacheable.
    /// - Parameter method: The name, which is case-sensitive.
    package init(_ method: String) { self = Self.registered[method] ?? Self() }

    private init(isSafe: Bool = false, isIdempotent: Bool = false, isCacheable: Bool = false, content: Bool = false) {
        self.isSafe = isSafe
        self.isIdempotent = isIdempotent
        self.isCacheable = isCacheable
        anticipatesContent = content
    }
}

extension MethodProperties {
    /// The methods of HTTP itself: those of RFC 9110, PATCH (RFC 5789) and QUERY (RFC 10008).
    package static let common = [
        "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE",
    ]

    /// The idempotent methods, in alphabetical order.
    package static let idempotent = registered.filter { $1.isIdempotent }.keys.map(\.text).sorted()

    /// The registered methods (IANA, Hypertext Transfer Protocol Method Registry).
    private static let registered: [TextKey: Self] = {
        let safe = Self(isSafe: true, isIdempotent: true)
        let idempotent = Self(isIdempotent: true)
        var methods: [TextKey: Self] = [
            "GET": Self(isSafe: true, isIdempotent: true, isCacheable: true),
            "HEAD": Self(isSafe: true, isIdempotent: true, isCacheable: true),
            "QUERY": Self(isSafe: true, isIdempotent: true, content: true),
            "POST": Self(content: true),
            "PATCH": Self(content: true),
            "PUT": Self(isIdempotent: true, content: true),
            "CONNECT": Self(),
            "LOCK": Self(),
        ]
        for name in ["OPTIONS", "TRACE", "PROPFIND", "REPORT", "SEARCH"] { methods[name] = safe }
        // DELETE, and methods of WebDAV and its extensions. They change the server, but are idempotent.
        for name in [
            "DELETE", "ACL", "BASELINE-CONTROL", "BIND", "CHECKIN", "CHECKOUT", "COPY", "LABEL", "LINK", "MERGE",
            "MKACTIVITY", "MKCALENDAR", "MKCOL", "MKREDIRECTREF", "MKWORKSPACE", "MOVE", "ORDERPATCH", "PROPPATCH",
            "REBIND", "UNBIND", "UNCHECKOUT", "UNLINK", "UNLOCK", "UPDATE", "UPDATEREDIRECTREF", "VERSION-CONTROL",
        ] { methods[name] = idempotent }
        return methods
    }()
}
