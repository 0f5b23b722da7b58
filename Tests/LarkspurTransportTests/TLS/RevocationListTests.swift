#if canImport(FoundationNetworking)
import Foundation
import LarkspurTesting
import TestSupport
import Testing

@testable import LarkspurTransport

@Suite("Revocation lists", .timeLimit(.minutes(5)))
struct RevocationListTests {
    private let folder = TemporaryFolder()
    private let start = LoopTime.now

    private func file(_ text: String, _ name: String = "list.pem") throws -> URL {
        try folder.file(name, Data(text.utf8))
    }

    private func der(_ pem: String) throws -> Data {
        try #require(PEMBlock.blocks(of: Data(pem.utf8)).first?.content)
    }

    // MARK: Files

    @Test("A file has one list in DER, or any number in PEM")
    func formats() throws {
        let list = try der(RevocationFixture.list)
        #expect(try RevocationList.lists(in: list, path: "/a").map(\.der) == [list])
        let text = RevocationFixture.authority + "\n" + RevocationFixture.list + "\n" + RevocationFixture.emptyList
        #expect(
            try RevocationList.lists(in: Data(text.utf8), path: "/a").map(\.der)
                == [list, der(RevocationFixture.emptyList)]
        )
    }

    @Test(
        "A file without a list, or with a damaged one, is an error that names the path",
        arguments: [
            "", "text", RevocationFixture.authority, "0", "0\u{3}a",
            "-----BEGIN X509 CRL-----\n*\n-----END X509 CRL-----\n",
            "-----BEGIN X509 CRL-----\nMAA\n-----END X509 CRL-----\n",
            RevocationFixture.list + "\n"
                + "-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----\n",
        ]
    )
    func unusable(text: String) throws {
        var files = RevocationFiles([try file(text)])
        let error = #expect(throws: RevocationDefect.self) { try files.read(at: start) }
        #expect(error?.sentence.contains("list.pem") == true)
    }

    @Test("A list with only the changes of another list is refused")
    func delta() throws {
        var files = RevocationFiles([try file(RevocationFixture.list + "\n" + RevocationFixture.deltaList)])
        let error = #expect(throws: RevocationDefect.self) { try files.read(at: start) }
        #expect(error?.sentence.hasSuffix("list.pem has only the changes of another list (delta CRL).") == true)
    }

    @Test("When a list expires, the certificates have to be looked up again, once for each list")
    func expiry() throws {
        let texts = [RevocationFixture.emptyList, RevocationFixture.expiredList, RevocationFixture.list]
        let lists = try RevocationList.lists(in: Data(texts.joined(separator: "\n").utf8), path: "/a")
        #expect(
            lists.map(\.expirationDate)
                == [4_859_740_800, 1_580_515_200, 4_859_740_800].map { Date(timeIntervalSince1970: $0) }
        )
        var generation = ListGeneration()
        generation.begin(with: lists)
        let numbers = [0, 1_580_515_199, 1_580_515_200, 1_580_515_201, 4_859_740_799, 4_859_740_801, 5_000_000_000]
            .map { seconds in
                generation.advance(to: Date(timeIntervalSince1970: seconds))
                return generation.number
            }
        #expect(numbers == [1, 1, 2, 2, 2, 3, 3])
    }

    @Test("A file that cannot be read, or is no regular file, is an error that names the path")
    func unreadable() throws {
        for path in [folder.url.path, folder.url.appendingPathComponent("none").path, "/dev/zero"] {
            var files = RevocationFiles([URL(fileURLWithPath: path)])
            let error = #expect(throws: RevocationDefect.self) { try files.read(at: start) }
            #expect(error?.sentence.contains(path) == true)
        }
    }

    private func isChanged(_ reading: RevocationFiles.Reading) -> Bool {
        if case .changed = reading { true } else { false }
    }

    @Test("Files are read again when they have changed, and the same lists are no change")
    func changes() throws {
        let file = try file(RevocationFixture.emptyList)
        var files = RevocationFiles([file])
        var readings = [isChanged(try files.read(at: start)), isChanged(try files.read(at: start.adding(5)))]
        try Data((RevocationFixture.emptyList + "\n").utf8).write(to: file)
        readings.append(isChanged(try files.read(at: start.adding(10))))
        try Data(RevocationFixture.list.utf8).write(to: file)
        readings += [
            isChanged(try files.read(at: start.adding(10.9))), isChanged(try files.read(at: start.adding(11))),
        ]
        #expect(readings == [true, false, false, false, true])
    }

    @Test("A file that became unusable is an error until it is usable")
    func recovery() throws {
        let file = try file(RevocationFixture.emptyList)
        var files = RevocationFiles([file])
        _ = try files.read(at: start)
        try Data().write(to: file)
        for time in [1, 1.5, 2] { #expect(throws: RevocationDefect.self) { try files.read(at: start.adding(time)) } }
        try Data(RevocationFixture.emptyList.utf8).write(to: file)
        #expect(throws: RevocationDefect.self) { try files.read(at: start.adding(2.9)) }
        let reading = try files.read(at: start.adding(3))
        #expect(isChanged(reading))
    }

    @Test("Each number of a path has another notation of the same path")
    func notations() throws {
        let path = try file("content", "roots.pem").path
        let notations = (1...300 as ClosedRange<UInt32>).map { SystemRoots.notation(of: path, number: $0) }
        #expect(Set(notations).count == 300)
        for notation in notations + [SystemRoots.notation(of: path, number: .max)] {
            #expect(try String(contentsOfFile: notation, encoding: .utf8) == "content")
        }
    }

    // MARK: Handshakes

    private func server() throws -> LoopbackServer {
        try LoopbackServer(
            tls: .identity(
                certificate: Data(RevocationFixture.certificate.utf8),
                key: Data(RevocationFixture.key.utf8)
            )
        )
    }

    private func options(_ lists: String..., scope: RevocationLists.Scope = .chain) throws -> CurlURLSession.Options {
        var options = CurlURLSession.Options()
        options.tls.trustedRoots = .only([try TLSCertificate(Data(RevocationFixture.authority.utf8))])
        let files = try lists.enumerated().map { try file($0.element, "list-\($0.offset).pem") }
        options.tls.revocationLists = RevocationLists(files: files, scope: scope)
        return options
    }

    private func error(_ options: CurlURLSession.Options, _ server: LoopbackServer) async throws -> URLError? {
        let session = CurlURLSession(configuration: .testing, options: options)
        defer { session.finishTasksAndInvalidate() }
        return try await session.outcome(of: server.url("/get")).error as? URLError
    }

    @Test("A certificate that is in no list is accepted, and a revoked one is refused before a request is sent")
    func revoked() async throws {
        let server = try server()
        for scope in [RevocationLists.Scope.leaf, .chain] {
            let good = try await error(options(RevocationFixture.emptyList, scope: scope), server)
            #expect(good == nil)
            let count = server.requests.count
            let bad = try await error(options(RevocationFixture.list, scope: scope), server)
            #expect(bad?.code == .serverCertificateUntrusted)
            #expect(bad?.tlsFailure?.reason == .certificateRevoked)
            #expect(bad?.localizedDescription.contains("was revoked") == true)
            #expect(server.requests.count == count)
        }
    }

    static let unusableLists: [([String], TLSFailure.Reason, String)] = [
        ([], .revocationListMissing, "no revocation list"),
        ([RevocationFixture.expiredList], .revocationListExpired, "has expired"),
        ([RevocationFixture.forgedList], .revocationListUnusable, "not valid"),
    ]

    @Test("A missing, expired or forged list is refused by its name", arguments: unusableLists)
    func faults(lists: [String], reason: TLSFailure.Reason, text: String) async throws {
        let server = try server()
        var options = try options()
        options.tls.revocationLists?.files = try lists.map { try file($0) }
        let failure = try await error(options, server)
        #expect(failure?.code == .serverCertificateUntrusted)
        #expect(failure?.tlsFailure?.reason == reason)
        #expect(failure?.localizedDescription.contains(text) == true)
        #expect(server.requests.isEmpty)
    }

    @Test("If a file cannot be used, no connection is opened, and plain http is not affected")
    func unusableFile() async throws {
        let (server, plain) = (try server(), try LoopbackServer())
        let options = try options("no list")
        let failure = try await error(options, server)
        #expect(failure?.code == .secureConnectionFailed)
        #expect(failure?.tlsFailure == TLSFailure(.revocationListUnusable, host: "127.0.0.1"))
        #expect(failure?.localizedDescription.contains("list-0.pem") == true)
        #expect(server.acceptedConnectionCount == 0)
        let other = try await error(options, plain)
        #expect(other == nil)
    }

    @Test("A trusted certificate at the end of the chain needs no list")
    func trustedCertificate() async throws {
        let server = try LoopbackServer(tls: .selfSigned())
        var options = try options()
        options.tls.trustedRoots = .only([try TLSCertificate(#require(server.certificate).der)])
        let failure = try await error(options, server)
        #expect(failure == nil)
    }

    @Test(
        "After a change of the lists, neither the old connection nor its TLS session is used",
        .timeLimit(.minutes(1))
    )
    func change() async throws {
        let server = try server()
        let options = try options(RevocationFixture.emptyList)
        let session = CurlURLSession(configuration: .testing, options: options)
        defer { session.finishTasksAndInvalidate() }
        let first = try await session.outcome(of: server.url("/get"))
        #expect(first.status == 200)
        let file = try #require(options.tls.revocationLists?.files.first)
        try Data(RevocationFixture.list.utf8).write(to: file, options: .atomic)
        // The file is looked at once a second.
        let end = LoopTime.now.adding(20)
        var error: URLError?
        while error == nil, LoopTime.now < end {
            error = try await session.outcome(of: server.url("/get")).error as? URLError
        }
        #expect(error?.tlsFailure?.reason == .certificateRevoked)
        let again = try await session.outcome(of: server.url("/get")).error as? URLError
        #expect(again?.tlsFailure?.reason == .certificateRevoked)
    }

    @Test("Revocation lists cannot be combined with unverified certificates")
    func contradiction() async throws {
        let server = try server()
        var options = try options(RevocationFixture.emptyList)
        options.tls.dangerouslySkipsCertificateVerification = true
        let failure = try await error(options, server)
        #expect(failure?.tlsFailure?.reason == .notEnforceable)
        #expect(server.acceptedConnectionCount == 0)
    }

    @Test("Revocation lists cannot be combined with an empty set of roots")
    func noRoots() async throws {
        let server = try server()
        var options = try options(RevocationFixture.emptyList)
        options.tls.trustedRoots = .only([])
        options.tls.serverTrust = ServerTrustEvaluator { _ in .accept }
        let failure = try await error(options, server)
        #expect(failure?.tlsFailure?.reason == .notEnforceable)
        #expect(server.acceptedConnectionCount == 0)
    }

    @Test(
        "Each error of the verification has its reason",
        arguments: [
            (3, .revocationListMissing), (33, .revocationListMissing), (44, .revocationListMissing),
            (11, .revocationListExpired), (12, .revocationListExpired), (8, .revocationListUnusable),
            (35, .revocationListUnusable), (23, .certificateRevoked), (9, .certificateNotYetValid),
            (10, .certificateExpired), (20, .unknownRoot), (62, .hostMismatch), (1, .certificateUntrusted),
            (24, .certificateUntrusted),
        ] as [(Int32, TLSFailure.Reason)]
    )
    func reasons(error: Int32, reason: TLSFailure.Reason) {
        #expect(TLSFailure.Reason(verificationError: error) == reason)
        let failure = TransferFailure(curlCode: 60, verifyResult: Int(error), isTLS: true).error(url: nil)
        guard error != 1 else { return }
        #expect(failure.tlsFailure?.reason == reason)
    }
}
#endif
