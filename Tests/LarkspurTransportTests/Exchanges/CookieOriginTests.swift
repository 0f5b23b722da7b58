#if canImport(FoundationNetworking)
import Foundation
import LarkspurTesting
import LarkspurTransport
import Testing

@Suite("Cookies and the servers that see them", .timeLimit(.minutes(5)))
struct CookieOriginTests {
    /// Where cookies come from.
    enum Source: CaseIterable, Sendable {
        case storage, own, session
    }

    /// Where a redirect leads.
    enum Target: CaseIterable, Sendable {
        case sameOrigin, otherPort, otherHost
    }

    @Test(
        "A redirect sends cookies to no other origin, except to other ports of the host (RFC 6265, section 8.5)",
        arguments: Source.allCases,
        Target.allCases
    )
    func redirect(source: Source, target: Target) async throws {
        let (server, other) = (try LoopbackServer(), try LoopbackServer())
        defer { for server in [server, other] { server.stop() } }
        let end =
            switch target {
            case .sameOrigin: "/end"
            case .otherPort: other.url("/end").absoluteString
            case .otherHost: "http://localhost:\(other.port)/end"
            }
        server.route("/start", .redirect(to: end))
        for server in [server, other] { server.route("/end", .text("end")) }

        let configuration = URLSessionConfiguration.testing
        var request = URLRequest(url: server.url("/start"))
        switch source {
        case .storage:
            let properties: [HTTPCookiePropertyKey: Any] = [.domain: "127.0.0.1", .path: "/", .name: "a", .value: "b"]
            configuration.httpCookieStorage?.setCookie(try #require(HTTPCookie(properties: properties)))
        case .own: request.setValue("a=b", forHTTPHeaderField: "Cookie")
        case .session: configuration.httpAdditionalHeaders = ["Cookie": "a=b"]
        }
        let session = CurlURLSession(configuration: configuration)
        defer { session.invalidateAndCancel() }

        #expect(try await session.outcome(of: request).text == "end")
        #expect(server.requests.first?.headers["Cookie"] == "a=b")
        let last = target == .sameOrigin ? server.requests.last : other.requests.last
        #expect(last?.path == "/end")
        let isSeen = target == .sameOrigin || (target == .otherPort && source == .storage)
        #expect(last?.headers["Cookie"] == (isSeen ? "a=b" : nil))
    }
}
#endif
