#if canImport(FoundationNetworking)
import Foundation
import LarkspurTesting
import SessionClients
import Testing

@testable import LarkspurTransport

@Suite("Hosts with several addresses, of which some are refused", .timeLimit(.minutes(2)))
struct RefusedAddressTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.route("/text", .text("text"))
    }

    /// The addresses of the host: some that are refused, and after them one that is not.
    private func session(refused count: Int, last: [String]) -> CurlURLSession {
        var options = CurlURLSession.Options()
        options.allowedAddresses = .matching { $0.bytes == [127, 0, 0, 1] }
        let addresses = (0..<count).map { "127.0.1.\($0)" } + last
        options.hostAddresses = [HostAddress(host: "several.test", port: Int(server.port), addresses: addresses)]
        let configuration = URLSessionConfiguration.testing
        // Without an attempt for the next address, the request would end at this time.
        configuration.timeoutIntervalForRequest = 20
        return CurlURLSession(configuration: configuration, options: options)
    }

    private func url() throws -> URL { try #require(URL(string: "http://several.test:\(server.port)/text")) }

    @Test("After any number of refused addresses, the next is tried at once", arguments: 1...12)
    func tried(count: Int) async throws {
        let session = session(refused: count, last: ["127.0.0.1"])
        defer { session.invalidateAndCancel() }
        #expect(try await session.outcome(of: url()).text == "text")
    }

    @Test("If any number of addresses are refused, the request fails at once", arguments: 1...12)
    func refused(count: Int) async throws {
        let session = session(refused: count, last: [])
        defer { session.invalidateAndCancel() }
        let outcome = try await session.outcome(of: url())
        #expect((outcome.error as? URLError)?.accessFailure?.address?.text == "127.0.1.0")
        #expect(server.acceptedConnectionCount == 0)
    }

    @Test("A request that was suspended while addresses are refused continues when it is resumed")
    func suspended() async throws {
        let session = session(refused: 6, last: ["127.0.0.1"])
        defer { session.invalidateAndCancel() }
        let outcome = try await withCheckedThrowingContinuation { continuation in
            do {
                let task = session.dataTask(with: try url()) { data, _, error in
                    continuation.resume(returning: (data, error))
                }
                task.resume()
                task.suspend()
                task.resume()
            } catch {
                continuation.resume(throwing: error)
            }
        }
        #expect(outcome.0 == Data("text".utf8), "\(String(describing: outcome.1))")
    }
}
#endif
