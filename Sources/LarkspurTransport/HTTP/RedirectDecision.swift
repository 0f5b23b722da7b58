#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The decision about a response that may be a redirect (RFC 9110, section 15.4, and the Fetch standard's HTTP-redirect
/// fetch).
package enum RedirectDecision {
    /// The response is final, even if its status is 3xx.
    case deliver
    /// The request to send next. `keepsBody` is true if its content is sent again, whatever its source.
    case follow(URLRequest, keepsBody: Bool)
    /// The response must neither be followed nor be delivered.
    case fail(URLError.Code, String)

    package static func decide(
        status: Int,
        location: String?,
        request: URLRequest,
        allowsInsecureTarget: Bool
    ) -> RedirectDecision {
        guard isRedirect(status), let location, !location.isEmpty, let source = request.url else { return .deliver }
        let base = URLReference(source.absoluteString)
        let target = target(location, from: base)
        let staysOnSocket = target.isOnSocket && target.hasSameServer(as: base)
        if let scheme = target.scheme?.lowercased(), scheme != "http", scheme != "https", !staysOnSocket {
            return .fail(.unsupportedURL, "The server redirects to a URL whose scheme is \(scheme), not http or https.")
        }
        let (origin, baseOrigin) = (target.origin, base.origin)
        guard origin != nil || staysOnSocket, let url = URL(string: target.text), url.host?.isEmpty == false else {
            return .deliver
        }
        if baseOrigin?.scheme == "https", origin?.scheme == "http", !allowsInsecureTarget {
            return .fail(
                .appTransportSecurityRequiresSecureConnection,
                "The server redirects from https to http, where the request would not be protected."
            )
        }
        let method = method(after: status, of: request.httpMethod ?? "GET")
        let isRewritten = status == 303 || method != request.httpMethod
        return .follow(
            next(request, url: url, method: method, dropsContent: isRewritten, dropsCredentials: origin != baseOrigin),
            keepsBody: !isRewritten
        )
    }

    private static func isRedirect(_ status: Int) -> Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    private static func target(_ location: String, from base: URLReference) -> URLReference {
        var target = URLReference(location).percentEncoded.resolved(against: base)
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
            !(dropsContent && isAmong(contentFields, name)) && !(dropsCredentials && isAmong(fieldsOfOrigin, name))
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

    /// The fields with credentials of the origin, and its name.
    private static let fieldsOfOrigin = ["Authorization", "Cookie", "Proxy-Authorization", "Host"]
}

#endif
