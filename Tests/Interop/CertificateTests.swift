#if canImport(FoundationNetworking)
import Foundation
import Larkspur
import LarkspurTransport
import Testing

/// Servers that cannot prove who they are.
@Suite("Certificates", .needsServers, .timeLimit(.minutes(5)))
struct CertificateTests {
    typealias Case = (
        port: Servers.Port, code: URLError.Code, reason: TLSFailure.Reason, managerCode: LarkspurError.Code
    )

    static let cases: [Case] = [
        (.expired, .serverCertificateHasBadDate, .certificateExpired, .certificateExpired),
        (.notYetValid, .serverCertificateNotYetValid, .certificateNotYetValid, .certificateNotYetValid),
        (.otherHost, .serverCertificateUntrusted, .hostMismatch, .certificateHostMismatch),
        (.selfSigned, .serverCertificateHasUnknownRoot, .unknownRoot, .certificateUnknownRoot),
        (.unknownIssuer, .serverCertificateHasUnknownRoot, .unknownRoot, .certificateUnknownRoot),
    ]

    let servers: Servers

    init() throws { servers = try Servers() }

    @Test(
        "A bad certificate fails the task with a code for its fault, and nothing is sent",
        arguments: cases
    )
    func bad(_ test: Case) async throws {
        let session = servers.makeSession()
        let target = "/echo?\(test.port.rawValue)"
        var request = URLRequest(url: try servers.url(test.port, target))
        request.httpMethod = "POST"
        request.httpBody = Data("a secret".utf8)
        let error = await #expect(throws: URLError.self) { _ = try await session.reply(to: request) }
        #expect(error?.code == test.code)
        #expect(error?.tlsFailure?.reason == test.reason)
        #expect(error?.tlsFailure?.host == "localhost")

        // nginx writes a line when it has answered, so that with the second answer the first line is there.
        for _ in 0..<2 { _ = try await session.reply(to: servers.url(.h2, target)) }
        let good = try servers.url(.h2, "").port ?? 0
        let requests = try servers.requests().filter { $0.contains(target) }
        #expect(requests.contains("\(good) GET \(target) HTTP/2.0"))
        #expect(requests.allSatisfy { $0.hasPrefix("\(good) ") })
    }

    @Test("A session manager's error names the fault and keeps the transport's error", arguments: cases)
    func sessionManager(_ test: Case) async throws {
        let manager = SessionManager(configuration: .ephemeral, transport: .curl(servers.options))
        let url = try servers.url(test.port, "/echo").absoluteString
        let error = await #expect(throws: LarkspurError.self) {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                manager.get(url, as: .string) { _, _ in
                    continuation.resume()
                } failure: { _, error in
                    continuation.resume(throwing: error)
                }
            }
        }
        #expect(error?.code == test.managerCode)
        #expect((error?.underlyingError as? URLError)?.code == test.code)
    }

    @Test(
        "A certificate from an unknown issuer is accepted if the issuer is trusted",
        arguments: [(Servers.Port.selfSigned, "self-signed"), (.unknownIssuer, "unknown-authority")]
    )
    func trusted(_ port: Servers.Port, _ authority: String) async throws {
        let session = servers.makeSession(options: servers.options(trusting: authority))
        #expect(try await session.reply(to: servers.url(port, "/echo")).status == 200)
        #expect(try await session.failure(of: servers.url(.h2, "/echo")).code == .serverCertificateHasUnknownRoot)
    }

    @Test("By default a session trusts the system's certificate authorities, and not the test's")
    func system() async throws {
        let session = servers.makeSession(options: CurlURLSession.Options())
        #expect(try await session.failure(of: servers.url(.h2, "/echo")).code == .serverCertificateHasUnknownRoot)
    }
}
#endif
