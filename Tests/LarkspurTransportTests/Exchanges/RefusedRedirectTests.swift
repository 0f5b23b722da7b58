#if canImport(FoundationNetworking)
import LarkspurTesting
import Synchronization
import Testing

@testable import LarkspurTransport

/// Redirects that no one can follow: to other schemes, and from https to http.
@Suite("Redirects that cannot be followed", .timeLimit(.minutes(5)))
struct RefusedRedirectTests {
    typealias Answer = @Sendable (URLSessionTask, URLRequest, @escaping @Sendable (URLRequest?) -> Void) -> Void

    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    static let otherTargets = [
        "myapp://callback?code=4%2F0A&state=x", "mailto:a@b.example", "tel:+49-30-1", "data:text/plain,x",
        "javascript:alert(1)", "file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://h/x",
        "http+unix://%2Frun%2Fnone.sock/",
    ]

    private func route(_ location: String, status: Int = 302) {
        server.route("/from", .text("moved", status: status).adding("Location", location))
        server.route("/to", .text("there"))
    }

    /// Sends a request with a delegate that answers so.
    private func run(
        _ style: Style,
        at url: URL? = nil,
        options: CurlURLSession.Options = .init(),
        _ redirect: Answer?
    ) async throws -> (Outcome, DelegateLog) {
        let log = DelegateLog(.with { $0.redirect = redirect })
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil, options: options)
        defer { session.finishTasksAndInvalidate() }
        let url = url ?? server.url("/from")
        switch style {
        case .delegate: return (try await log.outcome(of: session.dataTask(with: url)), log)
        case .downloadDelegate: return (try await log.outcome(of: session.downloadTask(with: url)), log)
        default: return (try await session.outcome(of: url), log)
        }
    }

    private static let styles = [Style.handler, .delegate, .downloadDelegate]

    @Test(
        "A redirect to another scheme is offered to the delegate, and is the response if the delegate refuses it",
        arguments: otherTargets,
        styles
    )
    func refused(target: String, style: Style) async throws {
        route(target)
        let (outcome, log) = try await run(style) { _, _, answer in answer(nil) }
        #expect(outcome.error == nil)
        #expect(outcome.text == "moved")
        if style != .downloadDelegate { #expect(outcome.status == 302) }
        let offered = log.events.values.compactMap { event -> String? in
            if case .redirect(_, let next) = event { next.url?.absoluteString } else { nil }
        }
        #expect(offered == [target])
        #expect(server.requests.count == 1)
    }

    @Test(
        "Without a delegate, a redirect to another scheme fails the task, which has the response",
        arguments: otherTargets,
        Style.allCases
    )
    func unanswered(target: String, style: Style) async throws {
        route(target, status: 307)
        let outcome = try await style.send(URLRequest(url: server.url("/from")))
        #expect(outcome.code == .unsupportedURL)
        #expect((outcome.error as? URLError)?.failingURL == server.url("/from"))
        #expect(outcome.error?.localizedDescription.contains("scheme is") == true)
        #expect(outcome.data?.isEmpty != false)
        if style == .handler || style == .download { #expect(outcome.status == 307) }
        #expect(server.requests.count == 1)
    }

    @Test("A redirect to another scheme fails the task if the delegate follows it", arguments: otherTargets)
    func followed(target: String) async throws {
        route(target)
        let answers: [Answer] = [
            { _, next, answer in answer(next) },
            { _, next, answer in DispatchQueue.global().async { answer(next) } },
        ]
        for answer in answers {
            let (outcome, log) = try await run(.delegate, answer)
            #expect(outcome.code == .unsupportedURL)
            #expect(log.names == ["redirect", "completed"])
        }
    }

    @Test(
        "The request that a delegate makes for a redirect is checked in place of the offered one",
        arguments: otherTargets
    )
    func changed(target: String) async throws {
        let url = try #require(URL(string: target))
        route("/to")
        let (outcome, _) = try await run(.delegate) { _, _, answer in answer(URLRequest(url: url)) }
        #expect(outcome.code == .unsupportedURL)
        #expect(server.requests(to: "/to").isEmpty)

        // The other way round the request is sent.
        route(target)
        let there = server.url("/to")
        let (repaired, _) = try await run(.delegate) { _, _, answer in answer(URLRequest(url: there)) }
        #expect(repaired.text == "there")
    }

    @Test("A redirect to another scheme is offered without the credentials of the origin")
    func credentials() async throws {
        for target in Self.otherTargets {
            route(target, status: 308)
            let log = DelegateLog(.with { $0.redirect = { _, _, answer in answer(nil) } })
            let configuration = URLSessionConfiguration.testing {
                $0.httpAdditionalHeaders = ["Authorization": "Bearer configured"]
            }
            let session = CurlURLSession(configuration: configuration, delegate: log, delegateQueue: nil)
            defer { session.finishTasksAndInvalidate() }
            let fields = ["Authorization": "Bearer own", "cookie": "id=1", "Proxy-Authorization": "p", "X-Own": "1"]
            let request = URLRequest(server.url("/from"), "POST", body: Data("content".utf8), headers: fields)
            _ = try await log.outcome(of: session.dataTask(with: request))
            let offered = log.events.values.compactMap { event -> [String: String]? in
                if case .redirect(_, let next) = event { next.allHTTPHeaderFields } else { nil }
            }
            #expect(offered == [["X-Own": "1"]])
        }
    }

    @Test("A delegate may refuse the redirect beyond the limit, which is then the response")
    func lastRedirect() async throws {
        server.route("/from", .redirect(to: "/from"))
        let count = Mutex(0)
        let (outcome, _) = try await run(.delegate) { _, next, answer in
            let mayFollow = count.withLock { count in
                count += 1
                return count <= 20
            }
            answer(mayFollow ? next : nil)
        }
        #expect(outcome.error == nil && outcome.status == 302)
        #expect(server.requests.count == 21)
    }

    // MARK: From https to http

    private func secureServer() throws -> (LoopbackServer, CurlURLSession.Options) {
        let secure = try LoopbackServer(tls: .selfSigned())
        var options = CurlURLSession.Options()
        options.tls.trustedRoots = .only([try TLSCertificate(try #require(secure.certificate).der)])
        return (secure, options)
    }

    @Test(
        "A redirect from https to http is offered to the delegate, and fails if it is followed without permission",
        arguments: styles
    )
    func downgrade(style: Style) async throws {
        var (secure, options) = try secureServer()
        server.route("/plain", .text("plain"))
        let target = server.url("/plain").absoluteString
        secure.route("/from", .text("moved", status: 302).adding("Location", target))
        secure.route("/again", .redirect(to: "/again2"))
        let from = secure.url("/from")

        for answer in [{ _, _, answer in answer(nil) }, { _, _, _ in }] as [Answer] {
            let (refused, _) = try await run(style, at: from, options: options, answer)
            #expect(refused.error == nil && refused.text == "moved")
        }
        for answer in [{ _, next, answer in answer(next) }, nil] as [Answer?] {
            let (outcome, _) = try await run(style, at: from, options: options, answer)
            #expect(outcome.code == .appTransportSecurityRequiresSecureConnection)
            #expect(outcome.error?.localizedDescription.contains("https to http") == true)
        }
        let plain = server.url("/plain")
        let (changed, _) = try await run(style, at: secure.url("/again"), options: options) { _, _, answer in
            answer(URLRequest(url: plain))
        }
        #expect(changed.code == .appTransportSecurityRequiresSecureConnection)
        #expect(server.requests.isEmpty)

        options.allowsInsecureRedirects = true
        let (allowed, _) = try await run(style, at: from, options: options, nil)
        #expect(allowed.text == "plain")
    }
}
#endif
