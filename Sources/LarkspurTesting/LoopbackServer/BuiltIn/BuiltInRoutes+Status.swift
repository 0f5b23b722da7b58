internal import Foundation

/// Routes for status codes and redirects.
extension BuiltInRoutes {
    mutating func addStatusAndRedirects() {
        add("/status/{code}", nil) { Self.status(try $0.number("code", 100...999)) }

        for path in ["/redirect/{n}", "/relative-redirect/{n}"] {
            add(path, nil) { .redirect(to: Self.next("/relative-redirect", after: try $0.number("n", 1...1_000))) }
        }
        add("/absolute-redirect/{n}", nil) { request in
            let path = Self.next("/absolute-redirect", after: try request.number("n", 1...1_000))
            return .redirect(to: "http://\(request.headers["Host"] ?? "127.0.0.1")\(path)")
        }
        add("/redirect-to", nil) { request in
            .redirect(to: try request.value("url"), status: try request.number("status_code", 300...399, default: 302))
        }
    }

    private static func next(_ path: String, after count: Int) -> String {
        count > 1 ? "\(path)/\(count - 1)" : "/get"
    }

    private static func status(_ code: Int) -> Response {
        // After an interim response a client waits for the final one.
        if code < 200 { return .status(200).preceded(byInformational: code) }
        var response = Response.status(code, headers: ["Content-Type": "text/html; charset=utf-8"])
        switch code {
        case 301, 302, 303, 305, 307, 308: response.headers["Location"] = "/redirect/1"
        case 401: response.headers["WWW-Authenticate"] = #"Basic realm="Fake Realm""#
        case 407: response.headers["Proxy-Authenticate"] = #"Basic realm="Fake Realm""#
        default: break
        }
        return response
    }
}
