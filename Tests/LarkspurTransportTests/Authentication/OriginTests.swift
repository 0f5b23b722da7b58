#if canImport(FoundationNetworking)
import HTTPSyntax
import LarkspurTesting
import LarkspurTransport
import Testing

@Suite("Credentials and the origins that see them", .timeLimit(.minutes(5)))
struct OriginTests {
    /// Where credentials come from.
    enum Source: CaseIterable, Sendable {
        case url, storage, delegate, own, session
    }

    /// Where a redirect leads.
    enum Target: CaseIterable, Sendable {
        case sameOrigin, otherPort, otherHost
    }

    private static let field = "Basic " + Data("user:password".utf8).base64EncodedString()
    private static let credential = URLCredential(user: "user", password: "password", persistence: .forSession)

    @Test(
        "A redirect to another origin sends no credentials, even if that origin has the same challenge",
        arguments: Source.allCases,
        Target.allCases
    )
    func redirect(source: Source, target: Target) async throws {
        let (server, other) = (try LoopbackServer(), try LoopbackServer())
        let end: String
        switch target {
        case .sameOrigin: end = "/end"
        case .otherPort: end = other.url("/end").absoluteString
        case .otherHost: end = "http://localhost:\(server.port)/end"
        }
        server.protect("/start", with: .redirect(to: end))
        for server in [server, other] { server.protect("/end") }

        let configuration = URLSessionConfiguration.testing
        var request = URLRequest(url: server.url("/start"))
        var answers: [ChallengeDelegate.Answer] = []
        switch source {
        case .url: request.url = URL(string: "http://user:password@127.0.0.1:\(server.port)/start")
        case .storage:
            let space = URLProtectionSpace(
                host: "127.0.0.1",
                port: Int(server.port),
                protocol: "http",
                realm: "r",
                authenticationMethod: NSURLAuthenticationMethodHTTPBasic
            )
            configuration.urlCredentialStorage?.setDefaultCredential(Self.credential, for: space)
        case .delegate: answers = [(.useCredential, Self.credential), (.performDefaultHandling, nil)]
        case .own: request.setValue(Self.field, forHTTPHeaderField: "Authorization")
        case .session: configuration.httpAdditionalHeaders = ["Authorization": Self.field]
        }
        let delegate = ChallengeDelegate(answers)
        let session = CurlURLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }

        // The second time the first origin's are known.
        for _ in 0..<2 {
            server.clearRequests()
            let outcome = try await session.outcome(of: request)
            #expect(outcome.status == (target == .sameOrigin ? 200 : 401))
            #expect(server.values(of: "Authorization", at: "/start").last == Self.field)
            switch target {
            case .sameOrigin: #expect(server.values(of: "Authorization", at: "/end") == [Self.field])
            case .otherPort: break
            case .otherHost: #expect(server.values(of: "Authorization", at: "/end") == [nil])
            }
        }
        #expect(other.requests.count == (target == .otherPort ? 2 : 0))
        #expect(other.requests.allSatisfy { $0.headers["Authorization"] == nil })
        let strangers = delegate.challenges.values.filter {
            $0.space.port != Int(server.port) || $0.space.host == "localhost"
        }
        #expect(strangers.count == (target == .sameOrigin ? 0 : 2))
        #expect(strangers.allSatisfy { $0.proposed == nil && $0.failures == 0 })
    }
}
#endif
