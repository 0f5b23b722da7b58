#if canImport(FoundationNetworking)
import Foundation
import Larkspur
import TestSupport
import Testing

/// Connections whose other end no longer gets a packet, and does not say so.
@Suite("HTTP/2: silent connections", .needsTrustedHTTP2, .timeLimit(.minutes(5)))
struct SilentConnectionTests {
    private let server: MisbehavingServer
    private let manager: SessionManager

    init() throws {
        server = try MisbehavingServer()
        let configuration = URLSessionConfiguration.testing
        configuration.timeoutIntervalForRequest = 20
        manager = SessionManager(configuration: configuration, transport: .curl(server.options))
    }

    /// The ways in which a call ends before its response.
    enum End: CaseIterable, Sendable {
        case totalTimeout, responseTimeout, deadline, cancellation
    }

    private func connection() async throws -> Int {
        try await manager.get(server.echoURL()).value(as: MisbehavingServer.Echo.self).connection
    }

    /// Makes a call, which never gets a response, and ends it.
    private func makeCall(_ url: URL, endingBy end: End, after time: Duration) async {
        switch end {
        case .totalTimeout: _ = await manager.get(url).timeout(total: time).response()
        case .responseTimeout: _ = await manager.get(url).timeout(response: time).response()
        case .deadline: _ = await withTimeout(total: time) { await manager.get(url).response() }
        case .cancellation:
            let call = manager.get(url)
            // Another call ends at the right time.
            async let other = manager.get(url).timeout(total: time).response()
            async let response = call.response()
            _ = await other
            call.cancel()
            _ = await response
        }
    }

    @Test(
        "A connection with a silent server gets no more calls, however the last call ended",
        arguments: End.allCases
    )
    func silence(_ end: End) async throws {
        let name = UUID().uuidString
        let first = try await connection()
        let stream = manager.get(try server.url("head:200 data:10 vanish signal:\(name) forever"))
        async let streamed = stream.response()
        _ = try await server.makeSession().reply(to: server.url("wait:\(name) headend:204"))
        await makeCall(try server.url("headend:204"), endingBy: end, after: .seconds(2))
        for _ in 0..<3 { #expect(try await connection() != first) }
        // A stream that runs on the connection is not ended.
        #expect(stream.state == .running)
        stream.cancel()
        #expect(await streamed.error?.code == .cancelled)
    }

    @Test("A hundred calls that are cancelled on a working connection use one connection")
    func cancellations() async throws {
        let first = try await connection()
        for _ in 0..<100 {
            let name = UUID().uuidString
            let call = manager.get(try server.url("signal:\(name) forever"))
            async let response = call.response()
            _ = try await server.makeSession().reply(to: server.url("wait:\(name) headend:204"))
            call.cancel()
            #expect(await response.error?.code == .cancelled)
        }
        #expect(try await connection() == first)
    }

    @Test("A handler that takes longer than a limit causes no new connection", arguments: End.allCases)
    func slowHandler(_ end: End) async throws {
        let first = try await connection()
        await makeCall(try server.url("forever"), endingBy: end, after: .seconds(1))
        #expect(try await connection() == first)
    }
}
#endif
