#if canImport(FoundationNetworking)

import Foundation
import LarkspurTesting
import Testing

@testable import LarkspurTransport

@Suite("Bounds of cookies", .timeLimit(.minutes(5)))
struct CookieBoundsTests {
    private let server: LoopbackServer
    private let session = CurlURLSession(configuration: .testing)

    init() throws {
        server = try LoopbackServer()
        server.route("*", .text("ok"))
    }

    private var storage: HTTPCookieStorage? { session.configuration.httpCookieStorage }

    private func route(_ path: String, _ cookies: [String]) {
        server.route(path, cookies.reduce(.text("ok")) { $0.adding("Set-Cookie", $1) })
    }

    @Test("A response with thousands of cookies leaves the limit of one site, and later requests are sent")
    func flood() async throws {
        route("/flood", (0..<3000).map { "c\($0)=" + String(repeating: "x", count: 40) + "; Path=/" })
        _ = try await session.outcome(of: URLRequest(url: server.url("/flood")))
        #expect(storage?.cookies?.count == CookieLimits.perSite)
        #expect(try await session.outcome(of: URLRequest(url: server.url("/after"))).text == "ok")
        let field = try #require(server.requests.last?.headers["Cookie"])
        #expect(field.utf8.count <= CookieLimits.fieldLength)
        #expect(field.utf8.count > CookieLimits.fieldLength - 100)
    }

    @Test("A Cookie field has a limited length: longer paths come first, then older cookies, and the rest is left out")
    func fieldLength() async throws {
        let long = String(repeating: "x", count: 4000)
        route("/a/set", ["short=1; Path=/", "one=\(long); Path=/", "two=\(long); Path=/", "deep=\(long); Path=/a"])
        _ = try await session.outcome(of: URLRequest(url: server.url("/a/set")))
        #expect(storage?.cookies?.count == 4)
        _ = try await session.outcome(of: URLRequest(url: server.url("/a")))
        let sent = server.requests.last?.headers["Cookie"]?.split(separator: "; ").map { $0.prefix(4) }
        #expect(sent == ["deep", "shor", "one="])
    }

    @Test("A cookie that is too long is rejected, and an attribute that is too long is ignored")
    func lengths() throws {
        let pair = "a=" + String(repeating: "x", count: CookieLimits.pairLength - 1)
        #expect(SetCookie(pair) != nil)
        #expect(SetCookie(pair + "x") == nil)
        let path = "/" + String(repeating: "x", count: CookieLimits.attributeLength - 1)
        #expect(SetCookie("a=b; Path=" + path)?.path == path)
        #expect(SetCookie("a=b; Path=\(path)x")?.path == nil)
    }

    @Test("A request whose header is too large fails with an error about the size, and is not sent")
    func requestTooLarge() async throws {
        for length in [1 << 20, 4 << 20] {
            let value = String(repeating: "x", count: length)
            let request = URLRequest(server.url("/"), "GET", headers: ["Cookie": "a=" + value])
            let outcome = try await session.outcome(of: request)
            #expect(outcome.code == .badURL)
            #expect(outcome.error?.localizedDescription.hasPrefix("The request's header is too large") == true)
        }
        #expect(server.requests.isEmpty)
        let fitting = String(repeating: "x", count: RequestHead.maximumLength - 1000)
        let request = URLRequest(server.url("/"), "GET", headers: ["X-Long": fitting])
        let outcome = try await session.outcome(of: request)
        #expect(outcome.error?.localizedDescription.contains("request's header is too large") != true)
    }

    @Test("The storage has a response's cookies before the handler or delegate is called")
    func handlersSeeCookies() async throws {
        for number in 0..<200 {
            route("/\(number)", ["n\(number % 50)=\(number); Path=/"])
            let names = Recorder<String>()
            let storage = storage
            session.dataTask(with: server.url("/\(number)")) { _, _, _ in
                names.record(storage?.cookies?.first { $0.name == "n\(number % 50)" }?.value ?? "none")
            }.resume()
            #expect(try await names.first() == "\(number)")
        }
    }
}

#endif
