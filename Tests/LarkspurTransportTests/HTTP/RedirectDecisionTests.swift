#if canImport(FoundationNetworking)

import Foundation
import Testing

@testable import LarkspurTransport

@Suite struct RedirectDecisionTests {
    private static let methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND"]
    private static let origins: [(location: String, isSame: Bool)] = [
        ("/next", true), ("http://HOST:80/next", true), ("http://other/next", false), ("http://host:81/next", false),
        ("https://host/next", false), ("//sub.host/next", false),
    ]

    private func request(_ url: String = "http://host/a/b?q", method: String = "GET") throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = method
        request.httpBody = Data("body".utf8)
        request.allHTTPHeaderFields = [
            "authorization": "secret", "COOKIE": "secret", "Proxy-Authorization": "secret", "Host": "host",
            "X-Own": "1",
            "content-type": "a/b", "Content-Length": "4", "Content-Encoding": "gzip", "Content-Language": "de",
            "Content-Location": "/a", "transfer-encoding": "chunked", "Accept": "*/*",
        ]
        return request
    }

    private func decide(_ status: Int, _ location: String?, _ request: URLRequest) -> RedirectDecision {
        .decide(status: status, location: location, request: request)
    }

    private func refusal(
        of target: String,
        after source: String,
        allowsInsecureTarget: Bool = false
    ) throws -> RedirectDecision.Refusal? {
        RedirectDecision.refusal(
            of: URLRequest(url: try #require(URL(string: target))),
            after: URLRequest(url: try #require(URL(string: source))),
            allowsInsecureTarget: allowsInsecureTarget
        )
    }

    private func target(_ decision: RedirectDecision) -> String? {
        guard case .follow(let request, _) = decision else { return nil }
        return request.url?.absoluteString
    }

    @Test(
        "The method, content and secrets of a redirected request depend on status, method and origin",
        arguments: [301, 302, 303, 307, 308],
        methods
    )
    func table(status: Int, method: String) throws {
        for origin in Self.origins {
            guard case .follow(let next, let keepsBody) = decide(status, origin.location, try request(method: method))
            else {
                Issue.record("\(status) \(method) \(origin.location) is not followed")
                continue
            }
            let becomesGet = status == 303 && method != "HEAD" || [301, 302].contains(status) && method == "POST"
            let dropsBody = becomesGet || status == 303
            #expect(next.httpMethod == (becomesGet ? "GET" : method))
            #expect(keepsBody == !dropsBody)
            #expect(next.httpBody == (dropsBody ? nil : Data("body".utf8)))
            var names: Set = ["X-Own", "Accept"]
            if origin.isSame { names.formUnion(["authorization", "COOKIE", "Proxy-Authorization", "Host"]) }
            if !dropsBody {
                names.formUnion([
                    "content-type", "Content-Length", "Content-Encoding", "Content-Language", "Content-Location",
                    "transfer-encoding",
                ])
            }
            #expect(Set((next.allHTTPHeaderFields ?? [:]).keys) == names)
        }
    }

    @Test("A status without a redirect is the response", arguments: [200, 201, 300, 304, 305, 306, 309, 399, 401])
    func noRedirect(status: Int) throws {
        guard case .deliver = decide(status, "/next", try request()) else {
            Issue.record("\(status) is followed")
            return
        }
    }

    @Test(
        "A redirect without a valid target is the response, and never traps",
        arguments: [
            nil, "", "http://", "http:", "http:///x", "http:g", "http://[", "http://[::1", "http://host:99999/",
            "http://host:x/",
            "//", "///x", "//:80/", "http://a b/", "http://host:-1/", "https:", "//[zz]/", "http://u@/",
        ]
    )
    func nowhere(location: String?) throws {
        let decision = decide(302, location, try request())
        guard case .deliver = decision else {
            Issue.record("\(location ?? "nil") leads to \(decision)")
            return
        }
    }

    @Test(
        "A location is resolved, and characters that a URL cannot have are escaped",
        arguments: [
            ("c", "http://host/a/c"), ("?y", "http://host/a/b?y"), ("../..", "http://host/"),
            ("//other/x", "http://other/x"),
            ("//other//x", "http://other//x"), ("/a b", "http://host/a%20b"), ("/a%20b", "http://host/a%20b"),
            ("/\u{E4}?\u{F6}", "http://host/%C3%A4?%C3%B6"), ("/100%", "http://host/100%25"),
            ("/a b%20c", "http://host/a%20b%20c"),
            ("http://x/y/../z", "http://x/z"), ("//[::1]:1/x", "http://[::1]:1/x"), ("HTTP://Host/x", "HTTP://Host/x"),
            ("http://b\u{FC}cher.example/", "http://xn--bcher-kva.example/"), ("/x[1]", "http://host/x%5B1%5D"),
        ]
    )
    func resolution(location: String, expected: String) throws {
        #expect(target(decide(302, location, try request())) == expected)
    }

    @Test("A fragment is inherited unless the location has its own")
    func fragments() throws {
        let request = try request("http://host/a#old")
        #expect(target(decide(302, "/b", request)) == "http://host/b#old")
        #expect(target(decide(302, "/b#new", request)) == "http://host/b#new")
        #expect(target(decide(302, "/b#", request)) == "http://host/b#")
    }

    static let otherTargets = [
        "myapp://callback?code=4%2F0A&state=x", "mailto:a@b.example", "MAILTO:a@b.example?subject=x%20y",
        "tel:+49-30-1",
        "urn:isbn:0451450523", "data:text/plain,x", "javascript:alert(1)", "file:///etc/passwd", "ftp://host/x",
        "localhost:80", "x-app+1.0:", "wss://host/a", "http+unix://%2Frun%2Fx.sock/a",
    ]

    @Test(
        "A target with another scheme is offered unchanged, without the credentials of the origin",
        arguments: otherTargets
    )
    func otherSchemes(target: String) throws {
        for source in ["http://host/a/b?q", "https://host/a/b?q", "http+unix://%2Frun%2Fy.sock/a"] {
            guard case .follow(let next, let keepsBody) = decide(307, target, try request(source, method: "POST"))
            else {
                Issue.record("\(target) is not offered")
                return
            }
            #expect(next.url?.absoluteString == target)
            #expect(keepsBody && next.httpMethod == "POST")
            let names = Set((next.allHTTPHeaderFields ?? [:]).keys.map { $0.lowercased() })
            #expect(names.isDisjoint(with: ["authorization", "cookie", "proxy-authorization", "host"]))
            #expect(names.contains("x-own"))
        }
    }

    @Test("A request with another scheme is refused, and the error names the scheme", arguments: otherTargets)
    func refusedSchemes(target: String) throws {
        for source in ["http://host/a", "https://host/a"] {
            let refusal = try #require(try refusal(of: target, after: source, allowsInsecureTarget: true))
            #expect(refusal.code == .unsupportedURL)
            let scheme = target.prefix { $0 != ":" }.lowercased()
            #expect(refusal.sentence.contains("scheme is \(scheme),"))
        }
    }

    @Test("A very long scheme is shortened in the error")
    func longScheme() throws {
        let refusal = try #require(try refusal(of: String(repeating: "a", count: 10_000) + ":x", after: "http://host/"))
        #expect(refusal.sentence.utf8.count < 200)
    }

    @Test(
        "A request from https to http is sent only if that is allowed",
        arguments: [
            ("https://host/a", "http://host/a", false), ("HTTPS://host/a", "HTTP://other/", false),
            ("https+unix://%2Frun%2Fx.sock/a", "http://host/a", false), ("https://host/a", "https://other/", true),
            ("http://host/a", "http://other/", true), ("http://host/a", "https://host/", true),
            ("http+unix://%2Frun%2Fx.sock/a", "http+unix://%2Frun%2Fx.sock/b", true),
            ("http+unix://%2Frun%2Fx.sock/a", "http://host/", true),
        ]
    )
    func downgrade(source: String, target: String, isAllowed: Bool) throws {
        let refusal = try refusal(of: target, after: source)
        #expect(refusal?.code == (isAllowed ? nil : .appTransportSecurityRequiresSecureConnection))
        #expect(refusal?.sentence.contains("https to http") ?? true)
        #expect(try self.refusal(of: target, after: source, allowsInsecureTarget: true) == nil)
    }

    @Test("A redirect from one socket to another is refused")
    func sockets() throws {
        let source = "http+unix://%2Frun%2Fx.sock/a"
        #expect(try refusal(of: "http+unix://%2Frun%2Fy.sock/a", after: source)?.code == .unsupportedURL)
        #expect(try refusal(of: "https+unix://%2Frun%2Fx.sock/a", after: source)?.code == .unsupportedURL)
    }
}

#endif
