#if os(Linux)
import Foundation
import Larkspur
import TestSupport
import Testing

extension NetworkFaultTests {
    /// Servers that have lost all memory of their connections, as after a failure of power.
    @Suite("Connections that only the client still has")
    struct HalfOpenConnectionTests {
        private let server: NetworkServer

        init() async throws { server = try await NetworkServer.fresh() }

        /// - Parameter isSilent: Whether the resets with which the new server refuses the old connections are lost too,
        ///   as behind many firewalls.
        private func loseConnections(isSilent: Bool) async throws {
            try await server.restart()
            try NetworkPath.set(isSilent ? "resets=1" : "")
        }

        @Test("A response whose server has disappeared ends at the limit", arguments: [true, false])
        func response(isSilent: Bool) async throws {
            let manager = try server.makeManager(idle: .seconds(1))
            let task = manager.get("file/\(2 << 20)/1?rate=\(256 << 10)")
            for await count in task.downloadCounts where count > 0 { break }
            try await loseConnections(isSilent: isSilent)
            let error = await #expect(throws: LarkspurError.self) { try await task.data }
            #expect(error?.code == .timedOut)
            #expect(try await manager.get("digest/1/1").string.count == 64)
        }

        @Test("A request on a half-open connection ends at the limit, and the next request gets a new connection")
        func silentRequest() async throws {
            let manager = try server.makeManager(idle: .seconds(1))
            _ = try await manager.get("digest/1/1").string
            try await loseConnections(isSilent: true)
            #expect(await manager.post("hash", body: .data(Data(count: 10))).response().error?.code == .timedOut)
            #expect(try NetworkPath.counts().resets > 0)
            #expect(try await manager.get("digest/1/1").string.count == 64)
            #expect(try await server.requests() == ["GET /digest/1/1", "GET /requests"])
        }

        @Test("If the new server resets the connection, a GET is sent again, and a POST is not")
        func refusedRequest() async throws {
            let manager = try server.makeManager(idle: .seconds(20))
            _ = try await manager.get("digest/1/1").string
            try await loseConnections(isSilent: false)
            #expect(try await manager.get("digest/1/1").string.count == 64)
            try await loseConnections(isSilent: false)
            let error = await manager.post("hash", body: .data(Data(count: 10))).response().error
            #expect(error?.code == .connectionLost)
            #expect(try await server.requests() == ["GET /requests"])
        }

        @Test("A WebSocket detects a half-open connection by its pings", arguments: [true, false])
        func webSocket(isSilent: Bool) async throws {
            let manager = try server.makeManager()
            var options = WebSocketOptions()
            options.pingInterval = .milliseconds(500)
            let socket = manager.webSocket("socket", options: options)
            #expect(try await socket.receive() == .text("connection 1"))
            try await loseConnections(isSilent: isSilent)
            let error = await #expect(throws: URLError.self) { try await socket.receive() }
            // With a reset, the ping itself fails, unless its time is over before.
            let codes: [URLError.Code] = isSilent ? [.timedOut] : [.networkConnectionLost, .timedOut]
            #expect(codes.contains(error?.code ?? .unknown), "\(String(describing: error))")
        }

        @Test(
            "An event stream detects a half-open connection by its limit, and continues with the next event",
            arguments: [true, false]
        )
        func events(isSilent: Bool) async throws {
            let manager = try server.makeManager()
            var rules = Reconnection.automatic
            rules.initialDelay = .milliseconds(100)
            var numbers: [Int] = []
            for try await event in manager.events("events", idleTimeout: .seconds(1), reconnection: rules) {
                numbers.append(try #require(Int(event.id)))
                if numbers.count == 5 { try await loseConnections(isSilent: isSilent) }
                if numbers.count == 20 { break }
            }
            #expect(numbers == Array(1...20))
        }
    }
}
#endif
