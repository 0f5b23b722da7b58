import Foundation
import Testing
import TestSupport

@testable import LarkspurTesting

@Suite struct LifecycleTests {
    @Test("After stop() the port and the connections are closed, and a second stop() has no effect")
    func stop() throws {
        let server = try LoopbackServer()
        let client = try RawClient(server)
        try client.get("/get")
        _ = try client.response()
        server.stop()
        #expect(try client.readToEnd().isEmpty)
        #expect(server.openConnectionCount == 0)
        #expect(throws: RawClient.Failure.self) { try RawClient(server) }
        server.stop()
        #expect(server.requests.count == 1)
    }

    @Test(
        "Stopping ends every connection, whatever it does",
        arguments: ["/delay/1000", "/bytes/20000000", "/fault/no-response", "/fault/endless-body", "/fault/slow-body"]
    )
    func stopDuringResponse(path: String) throws {
        let server = try LoopbackServer()
        let clients = try (0..<5).map { _ in try RawClient(server) }
        for client in clients { try client.get(path) }
        try server.waitForRequests(5)
        server.stop()
        #expect(server.openConnectionCount == 0)
    }

    @Test("A handler may stop its own server")
    func stopInHandler() throws {
        let server = try LoopbackServer()
        server.route("/") { [weak server] _ in
            server?.stop()
            return .text("too late")
        }
        let client = try RawClient(server)
        try client.get("/")
        // The connection may be reset or closed; either way it ends.
        _ = try? client.readToEnd()
        try server.waitForOpenConnections(0)
        server.stop()
    }

    @Test("Simultaneous calls of stop() return when the server has stopped")
    func concurrentStop() throws {
        let server = try LoopbackServer()
        let clients = try (0..<20).map { _ in try RawClient(server) }
        for client in clients { try client.get("/delay/1000") }
        try server.waitForRequests(20)
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            server.stop()
            #expect(server.openConnectionCount == 0)
        }
    }

    @Test("A server without references stops")
    func deinitialization() throws {
        var server: LoopbackServer? = try LoopbackServer()
        let client = try RawClient(try #require(server))
        try client.get("/delay/1000")
        try server?.waitForRequests(1)
        weak let reference = server
        server = nil
        #expect(reference == nil)
        #expect(try client.readToEnd().isEmpty)
    }

    @Test("A socket that was reset does not close a reused descriptor")
    func reusedDescriptor() throws {
        let (reset, peer) = try Socket.pair()
        reset.reset()
        let (heir, sender) = try Socket.pair()
        try sender.send(Data([1, 2, 3]))
        reset.closeAfterDraining()
        reset.shutDown()
        try #require(try heir.waitUntilReadable(milliseconds: 0))
        #expect(try heir.receive() == [1, 2, 3])
        peer.close()
    }

    @Test(
        "A stopped server leaves no descriptor and no thread",
        .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/task"), "Only Linux lists them.")
    )
    func leaks() async {
        // In a process of its own, as other tests open descriptors at the same time.
        await #expect(processExitsWith: .success) {
            func count(_ directory: String) throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(directory)").count
            }
            func exercise() throws {
                let server = try LoopbackServer()
                let paths = [
                    "/get", "/delay/1000", "/fault/no-response", "/fault/endless-body", "/fault/reset-in-body",
                ]
                let clients = try (0..<30).map { _ in try RawClient(server) }
                for (index, client) in clients.enumerated() { try client.get(paths[index % paths.count]) }
                try server.waitForRequests(clients.count)
                for client in clients.prefix(10) { client.disconnect() }
                server.stop()
            }
            // The process opens descriptors and starts threads of its own once, some of them late.
            for _ in 0..<5 { try exercise() }
            let (descriptors, threads) = (try count("fd"), try count("task"))
            for _ in 0..<20 { try exercise() }
            // One that each run left would be 20.
            try await eventually(in: ...(descriptors + 5)) { try count("fd") }
            try await eventually(in: ...(threads + 5)) { try count("task") }
        }
    }
}
