#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The decision about a response that may be a redirect (RFC 9110, section 15.4, and the Fetch standard's HTTP-redirect
/// fetch).
package enum RedirectDecision {
    /// The response is final, even if its status is 3xx.
    case deliver
    /// The request that follows the redirect. It is proposed to the delegate even if its scheme is not supported.
    /// `keepsBody` is true if the content is sent again, from any source.
    case follow(URLRequest, keepsBody: Bool)

    /// - Parameter secured: Returns the URL with https if HSTS requires this for the URL's host. Default: returns nil.
    package static func decide(
        status: Int,
        location: String?,
        request: URLRequest,
        secured: (URL) -> URL? = { _ in nil }
    ) -> RedirectDecision {
        guard isRedirect(status), let location, !location.isEmpty, let source = request.url else { return .deliver }
        let base = URLReference(source.absoluteString)
        var target = target(location, from: base)
        // The scheme is changed before all decisions, so that the redirect is treated as a redirect to https.
        if let url = target.url.flatMap(secured) { target = URLReference(url.absoluteString) }
        let origin = target.origin
        guard let url = target.url, !target.isHTTP || origin != nil && url.host?.isEmpty == false
        else { return .deliver }
        let method = method(after: status, of: request.httpMethod ?? "GET")
        let isRewritten = status == 303 || method != request.httpMethod
        // URLs on sockets and URLs with other schemes have no origin. For such URLs, only the sockets are compared.
        let staysAtOrigin = origin == nil ? target.isOnSocket(of: base) : origin == base.origin
        return .follow(
            next(request, url: url, method: method, dropsContent: isRewritten, dropsCredentials: !staysAtOrigin),
            keepsBody: !isRewritten
        )
    }

    /// The reason why a redirect is not followed although the delegate allows it.
    package struct Refusal: Equatable, Sendable {
        package let code: URLError.Code
        package let sentence: String
    }

    /// Checks the request that follows a redirect. This is the proposed request, or the request that the delegate has
    /// returned.
    /// - Parameters:
    ///   - next: The request to send.
    ///   - request: The request that was redirected.
    /// - Returns: The reason why `next` must not be sent; nil if it may be sent.
    package static func refusal(
        of next: URLRequest,
        after request: URLRequest,
        allowsInsecureTarget: Bool
    ) -> Refusal? {
        // A request without a URL or scheme fails later, when the engine sends it.
        guard let url = next.url, let scheme = url.scheme, let source = request.url else { return nil }
        let (target, base) = (URLReference(url.absoluteString), URLReference(source.absoluteString))
        guard target.isHTTP || target.isOnSocket(of: base) else {
            let name = scheme.inLowercase.prefix(40)
            return Refusal(
                code: .unsupportedURL,
                sentence: "The redirect leads to a URL whose scheme is \(name), not http or https."
            )
        }
        guard source.isSecure, !url.isSecure, !allowsInsecureTarget else { return nil }
        return Refusal(
            code: .appTransportSecurityRequiresSecureConnection,
            sentence: "The redirect leads from https to http, where the request would not be protected."
        )
    }

    /// Whether a response with this status and a `Location` is a redirect.
    static func isRedirect(_ status: Int) -> Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    private static func target(_ location: String, from base: URLReference) -> URLReference {
        var target = URLReference(location).percentEncoded.resolved(against: base).withWritableHost
        target.fragment = target.fragment ?? base.fragment
        return target
    }

    private static func method(after status: Int, of method: String) -> String {
        switch status {
        case 301 where method == "POST", 302 where method == "POST": "GET"
        case 303 where method != "HEAD": "GET"
        default: method
        }
    }

    private static func next(
        _ request: URLRequest,
        url: URL,
        method: String,
        dropsContent: Bool,
        dropsCredentials: Bool
    ) -> URLRequest {
        var next = request
        next.url = url
        next.httpMethod = method
        if dropsContent { next.httpBody = nil }
        guard dropsContent || dropsCredentials, let fields = request.allHTTPHeaderFields else { return next }
        next.allHTTPHeaderFields = fields.filter { name, _ in
            !(dropsContent && isAmong(contentFields, name)) && !(dropsCredentials && belongsToOrigin(name))
        }
        return next
    }

    private static func isAmong(_ names: [String], _ name: String) -> Bool {
        names.contains { $0.hasSameLetters(as: name) }
    }

    private static let contentFields = [
        "Content-Type", "Content-Length", "Content-Encoding", "Content-Language", "Content-Location",
        "Transfer-Encoding",
    ]

    /// Whether a field is meant only for the origin, because it contains credentials or is the origin's name.
    private static func belongsToOrigin(_ name: String) -> Bool {
        CredentialField.matches(name) || name.hasSameLetters(as: "Host")
    }
}

extension URLReference {
    fileprivate var isHTTP: Bool {
        let scheme = scheme?.inLowercase
        return scheme == "http" || scheme == "https"
    }

    /// Whether the URL is on the same Unix-domain socket as a base URL. Only the server on a socket may redirect to
    /// that socket.
    fileprivate func isOnSocket(of base: URLReference) -> Bool { isOnSocket && hasSameServer(as: base) }
}

#endif
