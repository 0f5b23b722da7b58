#if canImport(FoundationNetworking)
import Foundation
import LarkspurTransport
import Testing

/// Frames without end, which bring a client nothing: deadlines and commands are heeded all the same.
@Suite("HTTP/2: floods", .needsTrustedHTTP2, .timeLimit(.minutes(5)), .serialized)
struct HTTP2FloodTests {
    private let server: MisbehavingServer
    /// More than any client takes in during these tests, in bytes.
    private let limit = 1 << 34

    init() throws { server = try MisbehavingServer() }

    /// Some versions of libcurl end a connection that is flooded.
    private static let codes: Set<URLError.Code> = [.timedOut, .cancelled, .networkConnectionLost, .badServerResponse]

    static let kinds = ["empty", "priority", "window", "altsvc", "settings", "ping"]

    private func url(_ kind: String, key: String) throws -> URL {
        try server.url("head:200 data:1 send flood:\(kind):\(limit):\(key) last:0", key: key)
    }

    @Test("The time limit of a task ends a flood", arguments: kinds)
    func deadline(_ kind: String) async throws {
        let session = server.makeSession(resourceTimeout: 1)
        let key = UUID().uuidString
        #expect(Self.codes.contains(try await session.failure(of: url(kind, key: key)).code))
        #expect(try await server.count(of: key).flooded < limit)
    }

    @Test("During a flood, a task is cancelled at once, and other tasks of its session get responses", arguments: kinds)
    func commands(_ kind: String) async throws {
        let key = UUID().uuidString
        let begin = DispatchSemaphore(value: 0)
        let collector = FirstBytes { begin.signal() }
        let session = server.makeSession(delegate: collector)
        let task = session.dataTask(with: try url(kind, key: key))
        task.resume()
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                begin.wait()
                continuation.resume()
            }
        }
        let servers = try Servers()
        for _ in 0..<20 { _ = try await session.reply(to: servers.url(.http, "/echo")) }
        task.cancel()
        while collector.error == nil { await Task.yield() }
        let flooded = try await server.count(of: key).flooded
        #expect(Self.codes.contains((collector.error as? URLError)?.code ?? .unknown))
        #expect(flooded < limit)
    }
}
#endif
