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

    private func decide(
        _ status: Int,
        _ location: String?,
        _ request: URLRequest,
        allowsInsecureTarget: Bool = false
    ) -> RedirectDecision {
        .decide(status: status, location: location, request: request, allowsInsecureTarget: allowsInsecureTarget)
    }

    private func target(_ decision: RedirectDecision) -> String? {
        guard case .follow(let request, _) = decision else { return nil }
        return request.url?.absoluteString
    }

    @Test(
        "Method, content and secrets follow status, method and origin",
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

    @Test("Any other status is the answer", arguments: [200, 201, 300, 304, 305, 306, 309, 399, 401])
    func noRedirect(status: Int) throws {
        guard case .deliver = decide(status, "/next", try request()) else {
            Issue.record("\(status) is followed")
            return
        }
    }

    @Test(
        "A redirect to nowhere is the answer itself, and never traps",
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
        "A location is resolved, and repaired where servers send what no URL has",
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

    @Test("From https to http only goes who may")
    func downgrade() throws {
        let request = try request("https://host/a")
        guard case .fail(let code, let sentence) = decide(302, "http://host/a", request) else {
            Issue.record("The redirect is not refused")
            return
        }
        #expect(code == .appTransportSecurityRequiresSecureConnection)
        #expect(sentence.contains("https to http"))
        #expect(target(decide(302, "http://host/b", request, allowsInsecureTarget: true)) == "http://host/b")
        #expect(target(decide(302, "/b", request)) == "https://host/b")
    }

    @Test(
        "Other schemes are refused and named",
        arguments: ["ftp", "file", "data", "mailto", "javascript", "localhost"]
    )
    func otherSchemes(scheme: String) throws {
        guard case .fail(let code, let sentence) = decide(307, scheme + ":x", try request()) else {
            Issue.record("\(scheme) is not refused")
            return
        }
        #expect(code == .unsupportedURL)
        #expect(sentence.contains(scheme))
    }
}

#endif
