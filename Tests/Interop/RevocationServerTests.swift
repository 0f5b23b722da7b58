#if canImport(FoundationNetworking)
import Foundation
import LarkspurTransport
import Synchronization
import TestSupport
import Testing

/// Revoked certificates and evaluators, against nginx.
@Suite("Revocation lists and evaluators with servers", .needsServers, .timeLimit(.minutes(5)))
struct RevocationServerTests {
    let servers: Servers
    private let folder = TemporaryFolder()

    init() throws { servers = try Servers() }

    private func options(
        _ lists: [String],
        _ scope: RevocationLists.Scope,
        trusting root: String = "listing-root"
    ) -> CurlURLSession.Options {
        var options = servers.options(trusting: root)
        options.tls.revocationLists = RevocationLists(
            files: lists.map { servers.file("lists/\($0).pem") },
            scope: scope
        )
        return options
    }

    typealias Refusal = (
        port: Servers.Port, lists: [String], scope: RevocationLists.Scope, reason: TLSFailure.Reason
    )

    private static let all = ["listing-root", "listing", "revoked-listing"]

    static let refusals: [Refusal] = [
        (.revoked, ["listing"], .leaf, .certificateRevoked), (.revoked, all, .chain, .certificateRevoked),
        (.revokedIntermediate, all, .chain, .certificateRevoked),
        (.listed, [], .leaf, .revocationListMissing), (.listed, ["listing-root"], .leaf, .revocationListMissing),
        (.listed, ["listing"], .chain, .revocationListMissing),
        (.listed, ["expired"], .leaf, .revocationListExpired),
        (.listed, ["listing-root", "expired"], .chain, .revocationListExpired),
        (.listed, ["listing", "false-root"], .chain, .revocationListUnusable),
    ]

    @Test("A revoked certificate, and a missing, expired or forged list, fails the task", arguments: refusals)
    func refused(_ test: Refusal) async throws {
        let session = servers.makeSession(options: options(test.lists, test.scope))
        defer { session.finishTasksAndInvalidate() }
        let error = try await session.failure(of: servers.url(test.port, "/echo"))
        #expect(error.code == .serverCertificateUntrusted)
        #expect(error.tlsFailure?.reason == test.reason)
        #expect(error.tlsFailure?.host == "localhost")
    }

    static let acceptances: [(port: Servers.Port, lists: [String], scope: RevocationLists.Scope, root: String)] = [
        (.listed, ["listing"], .leaf, "listing-root"), (.listed, all, .chain, "listing-root"),
        (.revokedIntermediate, ["revoked-listing"], .leaf, "listing-root"),
        // The chain ends in the intermediate, which is trusted without a list.
        (.listed, ["listing"], .chain, "listing"),
    ]

    @Test("A certificate in no list is accepted, also at the end of a partial chain", arguments: acceptances)
    func accepted(_ test: (port: Servers.Port, lists: [String], scope: RevocationLists.Scope, root: String))
        async throws
    {
        let session = servers.makeSession(options: options(test.lists, test.scope, trusting: test.root))
        defer { session.finishTasksAndInvalidate() }
        #expect(try await session.reply(to: servers.url(test.port, "/echo")).status == 200)
    }

    @Test("Lists are checked with roots in addition to the system's, and each kind of file is read")
    func additionalRoots() async throws {
        var options = options(Self.all, .chain)
        options.tls.trustedRoots = .systemAnd([try servers.certificate("listing-root")])
        let all = try Self.all.map { try servers.contents(of: "lists/\($0).pem") }.reduce(Data(), +)
        options.tls.revocationLists?.files = [try folder.file("all.pem", all)]
        let session = servers.makeSession(options: options)
        defer { session.finishTasksAndInvalidate() }
        #expect(try await session.reply(to: servers.url(.listed, "/echo")).status == 200)
        let error = try await session.failure(of: servers.url(.revoked, "/echo"))
        #expect(error.tlsFailure?.reason == .certificateRevoked)
    }

    @Test("After a change of a list, neither connections nor TLS sessions are used again", arguments: [true, false])
    func change(addsToSystem: Bool) async throws {
        let list = try folder.file("list.pem", servers.contents(of: "lists/listing.pem"))
        var options = options([], .leaf)
        options.tls.revocationLists?.files = [list]
        if addsToSystem { options.tls.trustedRoots = .systemAnd([try servers.certificate("listing-root")]) }
        options.http2 = .never
        let session = servers.makeSession(options: options)
        defer { session.finishTasksAndInvalidate() }
        let url = try servers.url(.listed, "/tls")
        var resumed: [Bool] = []
        for _ in 0..<3 { resumed.append(try await session.reply(to: url).text.contains(" r ")) }
        #expect(resumed == [false, true, true])

        // The same certificates are good, but every certificate has to be looked up again.
        let both = try servers.contents(of: "lists/listing.pem") + servers.contents(of: "lists/revoked-listing.pem")
        try both.write(to: list, options: .atomic)
        // The file is looked at once a second.
        while try await session.reply(to: url).text.contains(" r ") {}
        #expect(try await session.reply(to: url).text.contains(" r "))

        let kept = try servers.url(.listed, "/echo")
        #expect(try await session.reply(to: kept).status == 200)
        #expect(try await session.reply(to: kept).last.isReusedConnection)
        try servers.contents(of: "lists/listing-with-all.pem").write(to: list, options: .atomic)
        var error: URLError?
        while error == nil {
            do { _ = try await session.reply(to: kept) } catch let failure as URLError { error = failure }
        }
        #expect(error?.tlsFailure?.reason == .certificateRevoked)
        #expect(try await session.failure(of: url).tlsFailure?.reason == .certificateRevoked)
    }

    // MARK: Evaluators

    @Test(
        "An evaluator gets the whole chain of each full handshake, and its decision applies to resumed ones",
        arguments: TLSVersion.allCases
    )
    func evaluator(_ version: TLSVersion) async throws {
        let seen = Mutex<[ServerHandshake]>([])
        var options = servers.options(trusting: "chain-root")
        options.http2 = .never
        options.tls.maximumVersion = version
        options.tls.serverTrust = ServerTrustEvaluator { handshake in
            seen.withLock { $0.append(handshake) }
            return .accept
        }
        let session = servers.makeSession(options: options)
        defer { session.finishTasksAndInvalidate() }
        var resumed: [Bool] = []
        for _ in 0..<3 {
            resumed.append(try await session.reply(to: servers.url(.chain, "/tls")).text.contains(" r "))
        }
        #expect(resumed == [false, true, true])
        let handshakes = seen.withLock { $0 }
        #expect(handshakes.count == 1)
        let names = ["chain-leaf", "chain-intermediate", "chain-root"]
        #expect(try handshakes.first?.chain.map(\.der) == names.map { try servers.certificate($0).der })
        #expect(handshakes.first?.chain.map(\.subject) == ["CN=localhost", "CN=chain-intermediate", "CN=chain-root"])
        #expect(handshakes.first?.refusal == nil)
    }

    static let overruled: [(Servers.Port, TLSFailure.Reason)] = [
        (.expired, .certificateExpired), (.notYetValid, .certificateNotYetValid), (.otherHost, .hostMismatch),
        (.selfSigned, .unknownRoot), (.unknownIssuer, .unknownRoot), (.commonName, .missingSubjectAltName),
        (.revoked, .unknownRoot),
    ]

    @Test(
        "An evaluator can accept each server that is refused without it, and then only this one",
        arguments: overruled
    )
    func acceptance(_ port: Servers.Port, _ reason: TLSFailure.Reason) async throws {
        let seen = Mutex<[TLSFailure.Reason?]>([])
        var options = servers.options
        options.tls.serverTrust = ServerTrustEvaluator { handshake in
            seen.withLock { $0.append(handshake.refusal?.reason) }
            return .accept
        }
        let session = servers.makeSession(options: options)
        defer { session.finishTasksAndInvalidate() }
        #expect(try await session.reply(to: servers.url(port, "/echo")).status == 200)
        #expect(seen.withLock { $0 } == [reason])
        let strict = servers.makeSession()
        defer { strict.finishTasksAndInvalidate() }
        #expect(try await strict.failure(of: servers.url(port, "/echo")).tlsFailure?.reason == reason)
    }
}
#endif
