#if canImport(FoundationNetworking)
import Foundation
import LarkspurTesting
import TestSupport
import Testing

@testable import LarkspurTransport

@Suite("Server trust evaluators", .timeLimit(.minutes(5)))
struct ServerTrustEvaluatorTests {
    private struct Objection: LocalizedError {
        let errorDescription: String? = "The printer has a new key"
    }

    private let handshakes = Recorder<ServerHandshake>()

    private func evaluator(
        _ decide: @escaping @Sendable (ServerHandshake) throws -> ServerTrustDecision
    ) -> ServerTrustEvaluator {
        ServerTrustEvaluator { [handshakes] handshake in
            handshakes.record(handshake)
            return try decide(handshake)
        }
    }

    private func options(
        _ server: LoopbackServer? = nil,
        _ decide: @escaping @Sendable (ServerHandshake) throws -> ServerTrustDecision
    ) throws -> CurlURLSession.Options {
        var options = CurlURLSession.Options()
        options.tls.trustedRoots = .only(try server?.certificate.map { [try TLSCertificate($0.der)] } ?? [])
        options.tls.serverTrust = evaluator(decide)
        return options
    }

    private func outcome(_ options: CurlURLSession.Options, _ url: URL) async throws -> Outcome {
        let session = CurlURLSession(configuration: .testing, options: options)
        defer { session.finishTasksAndInvalidate() }
        return try await session.outcome(of: url)
    }

    @Test("An evaluator gets the chain, the host and the standard result, and its acceptance counts")
    func acceptance() async throws {
        let server = try LoopbackServer(tls: .selfSigned())
        let result = try await outcome(options { _ in .accept }, server.url("/get"))
        #expect(result.status == 200)
        let handshake = try #require(handshakes.values.first)
        #expect(handshakes.values.count == 1)
        #expect(handshake.host == "127.0.0.1")
        #expect(handshake.chain.map(\.der) == [server.certificate?.der])
        #expect(handshake.chain.first?.dnsNames == ["localhost"])
        #expect(handshake.refusal == TLSFailure(.unknownRoot, host: "127.0.0.1"))
    }

    @Test("An evaluator can refuse a server that is valid, before a request is sent")
    func refusal() async throws {
        let server = try LoopbackServer(tls: .selfSigned())
        let error = try await outcome(options(server) { _ in .refuse }, server.url("/get")).error as? URLError
        #expect(handshakes.values.map(\.refusal) == [nil])
        #expect(error?.code == .serverCertificateUntrusted)
        #expect(error?.tlsFailure == TLSFailure(.refusedByEvaluator, host: "127.0.0.1"))
        #expect(error?.localizedDescription == "The server trust evaluator refused “127.0.0.1”.")
        #expect(error?.serverTrustError == nil)
        #expect(server.requests.isEmpty)
    }

    @Test("The refusal of a server that is refused anyway has the standard reason")
    func refusalOfRefused() async throws {
        let server = try LoopbackServer(tls: .selfSigned())
        let error = try await outcome(options { _ in .refuse }, server.url("/get")).error as? URLError
        #expect(error?.tlsFailure?.reason == .unknownRoot)
    }

    @Test("If an evaluator throws, the server is refused, and the error names the reason", arguments: [true, false])
    func thrown(isValid: Bool) async throws {
        let server = try LoopbackServer(tls: .selfSigned())
        let options = try options(isValid ? server : nil) { _ in throw Objection() }
        let error = try await outcome(options, server.url("/get")).error as? URLError
        #expect(error?.tlsFailure?.reason == .refusedByEvaluator)
        #expect(
            error?.localizedDescription
                == "The server trust evaluator refused “127.0.0.1”: The printer has a new key."
        )
        #expect(error?.serverTrustError is Objection)
        #expect(server.requests.isEmpty)
    }

    @Test("A certificate for another host is refused by default, and an evaluator can accept it")
    func otherHost() async throws {
        let server = try LoopbackServer(tls: .selfSigned(hosts: ["example.com"]))
        let byDefault = try options(server) { $0.refusal == nil ? .accept : .refuse }
        let error = try await outcome(byDefault, server.url("/get")).error as? URLError
        #expect(error?.code == .serverCertificateUntrusted)
        #expect(error?.tlsFailure?.reason == .hostMismatch)
        let result = try await outcome(options(server) { _ in .accept }, server.url("/get"))
        #expect(result.status == 200)
        #expect(handshakes.values.map(\.refusal?.reason) == [.hostMismatch, .hostMismatch])
    }

    @Test(
        "Names and addresses of a valid certificate are accepted as by libcurl",
        arguments: ["localhost", "127.0.0.1"]
    )
    func rightHost(host: String) async throws {
        let server = try LoopbackServer(tls: .selfSigned())
        let options = try options(server) { $0.refusal == nil ? .accept : .refuse }
        let url = try #require(URL(string: "https://\(host):\(server.port)/get"))
        let result = try await outcome(options, url)
        #expect(result.status == 200)
        #expect(handshakes.values.map(\.host) == [host])
    }

    @Test(
        "Common names count as for libcurl: also addresses, and only if there is no subjectAltName",
        arguments: [(TLSFixture.addressAsCommonName, "127.0.0.1", true), (TLSFixture.otherAddress, "localhost", false)]
    )
    func commonName(certificate: String, host: String, isAccepted: Bool) async throws {
        let server = try LoopbackServer(
            tls: .identity(certificate: Data(certificate.utf8), key: Data(TLSFixture.keyOfCommonNames.utf8))
        )
        let url = try #require(URL(string: "https://\(host):\(server.port)/get"))
        for hasEvaluator in [true, false] {
            var options = try options { $0.refusal == nil ? .accept : .refuse }
            options.tls.trustedRoots = .only([try TLSCertificate(Data(certificate.utf8))])
            options.tls.acceptsCommonNames = true
            if !hasEvaluator { options.tls.serverTrust = nil }
            let result = try await outcome(options, url)
            #expect((result.status == 200) == isAccepted, "\(hasEvaluator)")
        }
    }

    @Test(
        "If several peers have addresses, they cannot be told apart, and no request is sent",
        arguments: [
            (["a.test"], nil), (["192.0.2.1", "a.test"], "192.0.2.1"), (["a.test", "192.0.2.1"], "192.0.2.1"),
            (["192.0.2.1", "192.0.2.1"], "192.0.2.1"), (["192.0.2.1", "[2001:db8::1]"], "?"),
        ] as [([String], String?)]
    )
    func ambiguity(peers: [String], address: String?) throws {
        let trust = try #require(
            ServerTrust(ServerTrustRules(), roots: .system, anchors: [], evaluator: evaluator { _ in .accept })
        )
        var check = ServerCheck(trust)
        check.begin(host: peers[0], peers: peers, hasProxy: peers.count > 1)
        #expect(check.isAmbiguous == (address == "?"))
        if address != "?" { #expect(check.peer == address ?? peers[0]) }
    }

    @Test("With an evaluator, a server and a name server with addresses cannot be used together")
    func ambiguousPeers() async throws {
        let server = try LoopbackServer(tls: .selfSigned())
        var options = try options { _ in .accept }
        options.dnsOverHTTPS = URL(string: "https://192.0.2.1/")
        let error = try await outcome(options, server.url("/get")).error as? URLError
        #expect(error?.tlsFailure == TLSFailure(.notEnforceable, host: "127.0.0.1"))
        #expect(server.acceptedConnectionCount == 0)
    }

    @Test("An evaluator is not called for a server without a pinned key, and cannot accept it")
    func pins() async throws {
        let server = try LoopbackServer(tls: .selfSigned())
        var options = try options(server) { _ in .accept }
        options.tls.pins = [try HostPins("127.0.0.1", pins: [PinTableTests.pin(1)])]
        let error = try await outcome(options, server.url("/get")).error as? URLError
        #expect(error?.tlsFailure?.reason == .pinMismatch)
        #expect(handshakes.values.isEmpty)
    }

    @Test("The decision about a full handshake applies to resumed ones, and each session has its own decisions")
    func resumption() async throws {
        let server = try LoopbackServer(tls: .selfSigned())
        server.route("/closed", .text("a").adding("Connection", "close"))
        let options = try options(server) { _ in .accept }
        for count in 1...2 {
            let session = CurlURLSession(configuration: .testing, options: options)
            for _ in 0..<3 {
                let result = try await session.outcome(of: server.url("/closed"))
                #expect(result.status == 200)
            }
            session.finishTasksAndInvalidate()
            #expect(handshakes.values.count == count)
        }
        #expect(server.acceptedConnectionCount == 6)
    }

    @Test("A handshake that was refused leaves no session that could be resumed")
    func refusedAgain() async throws {
        let server = try LoopbackServer(tls: .selfSigned())
        let session = CurlURLSession(configuration: .testing, options: try options(server) { _ in .refuse })
        defer { session.finishTasksAndInvalidate() }
        for _ in 0..<3 {
            let error = try await session.outcome(of: server.url("/get")).error as? URLError
            #expect(error?.tlsFailure?.reason == .refusedByEvaluator)
        }
        #expect(handshakes.values.count == 3)
    }

    @Test("A server that only an evaluator accepts cannot require https")
    func strictTransport() async throws {
        let server = try LoopbackServer(tls: .selfSigned())
        server.route("/get", .text("a").adding("Strict-Transport-Security", "max-age=60"))
        let url = try #require(URL(string: "https://localhost:\(server.port)/get"))
        for (trusted, expected) in [(server, true), (nil, false)] {
            var options = try options(trusted) { _ in .accept }
            let store = HSTSStore()
            options.hsts = store
            let result = try await outcome(options, url)
            #expect(result.status == 200)
            #expect(store.requiresHTTPS("localhost") == expected)
        }
    }

    @Test(
        "A decision that takes more than 50 milliseconds has a line",
        arguments: [(50, false), (51, true), (1500, true)]
    )
    func slowDecision(milliseconds: Int, isReported: Bool) {
        let line = ClosureTime.line(host: "a.test", .milliseconds(milliseconds))
        #expect((line != nil) == isReported)
        if isReported { #expect(line?.contains("took \(milliseconds) ms for a.test") == true) }
    }

    @Test("Only copies of an evaluator are equal")
    func equality() {
        let first = ServerTrustEvaluator { _ in .accept }
        let copy = first
        #expect(first == copy && first.hashValue == copy.hashValue)
        #expect(first != ServerTrustEvaluator { _ in .accept })
        #expect("\(ServerTrustDecision.accept) \(ServerTrustDecision.refuse)" == "accept refuse")
    }
}
#endif
