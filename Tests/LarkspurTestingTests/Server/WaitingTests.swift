import Foundation
import Testing

@testable import LarkspurTesting

@Suite struct WaitingTests {
    typealias Gate = LoopbackServer.Gate

    @Test("A gate delays a response before its header or within its body")
    func gates() throws {
        let server = try LoopbackServer()
        let (first, second, reached) = (Gate(), Gate(), Gate())
        let body: [LoopbackServer.Response.Step] = [.text("ab"), .open(reached), .wait(second), .text("cd")]
        server.route("/", LoopbackServer.Response.stream(body).held(until: first))
        let client = try RawClient(server)
        try client.get("/")
        try server.waitForRequests(1)
        #expect(!reached.isOpen)

        first.open()
        #expect(try client.read(through: "ab").isEmpty == false)
        #expect(reached.wait())
        second.open()
        #expect(try client.read(count: 2) == Data("cd".utf8))
    }

    @Test(
        "If the client disconnects, its response stops waiting",
        arguments: [
            .text("x").held(until: Gate()), .text("x").delayed(by: .seconds(1_000)), .fault(.noResponse),
            .stream([.text("x"), .wait(Gate())]), .fault(.slowBody), .fault(.endlessBody), .fault(.endlessHeader),
        ] as [LoopbackServer.Response]
    )
    func hangUp(response: LoopbackServer.Response) throws {
        let server = try LoopbackServer()
        server.route("/", response)
        let client = try RawClient(server)
        try client.get("/")
        try server.waitForRequests(1)
        client.disconnect()
        try server.waitForOpenConnections(0)
    }

    @Test("If the client disconnects during a pause, the steps after the pause are not performed")
    func pause() throws {
        let server = try LoopbackServer()
        let (reached, passed) = (Gate(), Gate())
        server.route("/", .stream([.text("a"), .open(reached), .pause(.seconds(1_000)), .open(passed)]))
        let client = try RawClient(server)
        try client.get("/")
        #expect(reached.wait())
        client.disconnect()
        try server.waitForOpenConnections(0)
        #expect(!passed.isOpen)
    }

    @Test("If the client disconnects, the server notices this despite a pipelined request")
    func hangUpAfterPipelining() throws {
        let server = try LoopbackServer()
        server.route("/", .fault(.noResponse))
        let client = try RawClient(server)
        try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n")
        try server.waitForRequests(1)
        client.disconnect()
        try server.waitForOpenConnections(0)
        #expect(server.requests.count == 1)
    }

    @Test("A wait for requests returns the requests that match")
    func requests() async throws {
        let server = try LoopbackServer()
        _ = try server.answer("/get")
        #expect(try await server.waitForRequests(1).count == 1)

        async let awaited = server.waitForRequests(2, to: "/anything")
        _ = try server.answer("/anything")
        _ = try server.answer("/get")
        _ = try server.answer("/anything?x")
        #expect(try await awaited.map(\.target) == ["/anything", "/anything?x"])

        server.clearRequests()
        #expect(server.requests.isEmpty)
        await #expect(throws: LoopbackServer.WaitTimeout.self) { try await server.waitForRequests(1, timeout: .zero) }
        server.stop()
    }

    @Test("The error of a wait names the expected requests")
    func timeout() async throws {
        let server = try LoopbackServer()
        let error = await #expect(throws: LoopbackServer.WaitTimeout.self) {
            try await server.waitForRequests(2, to: "/x", timeout: .seconds(0.01))
        }
        #expect(error?.description == "Waited 0.01 seconds for 2 requests to /x, but 0 came.")
        await #expect(throws: LoopbackServer.WaitTimeout.self) {
            try await server.waitForOpenConnections(3, timeout: .seconds(0.01))
        }
    }

    @Test("A thread that waits without success continues after the limit")
    func blockingTimeout() throws {
        let server = try LoopbackServer()
        #expect(throws: LoopbackServer.WaitTimeout.self) { try server.waitForRequests(1, timeout: .zero) }
        #expect(throws: LoopbackServer.WaitTimeout.self) {
            try server.waitForOpenConnections(3, timeout: .milliseconds(10))
        }
    }

    @Test("Cancelling a task ends its wait")
    func cancellation() async throws {
        let server = try LoopbackServer()
        let waiting = Task { try await server.waitForRequests(1, timeout: .seconds(1_000)) }
        let gateWaiting = Task { await Gate().wait() }
        waiting.cancel()
        gateWaiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        await gateWaiting.value
    }

    @Test("An opened gate releases earlier and later waiters")
    func gate() async {
        let gate = Gate()
        #expect(!gate.wait(timeout: .zero))
        async let early: Void = gate.wait()
        gate.open()
        gate.open()
        await early
        await gate.wait()
        #expect(gate.wait(timeout: .zero))
    }
}
