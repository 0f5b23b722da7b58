#if canImport(FoundationNetworking)
import Foundation
import LarkspurTesting
import Testing

@testable import LarkspurTransport

/// The roots of a session with any TLS library. Tests/Systems/run.sh runs these tests with GnuTLS.
@Suite("Own roots", .timeLimit(.minutes(5)))
struct OwnRootsTests {
    private func status(of server: LoopbackServer, trusting roots: TrustedRoots) async throws -> Int? {
        var options = CurlURLSession.Options()
        options.tls.trustedRoots = roots
        let session = CurlURLSession(configuration: .ephemeral, options: options)
        defer { session.invalidateAndCancel() }
        let (_, response) = try await session.data(from: server.url("/get"))
        return (response as? HTTPURLResponse)?.statusCode
    }

    @Test("A session trusts its own roots only")
    func only() async throws {
        let server = try LoopbackServer(tls: .selfSigned())
        let root = try TLSCertificate(try #require(server.certificate).der)
        let other = try TLSCertificate(Data(TLSFixture.certificate.utf8))
        #expect(try await status(of: server, trusting: .only([root])) == 200)
        #expect(try await status(of: server, trusting: .only([other, root])) == 200)
        for roots in [TrustedRoots.only([other]), .only([]), .system] {
            let error = await #expect(throws: URLError.self) { try await status(of: server, trusting: roots) }
            #expect(error?.tlsFailure != nil, "\(roots): \(String(describing: error))")
        }
        #expect(server.requests.count == 2)
    }
}
#endif
