#if canImport(FoundationNetworking)
import Foundation
import Larkspur
import Testing
import TestSupport

extension StreamsBothWaysTests {
    // MARK: Early responses

    @Test(
        "After an early 413, the call gets the response, and the writer gets an error",
        arguments: StreamsServer.ports,
        ["read", "stay"]
    )
    func early413(_ port: Servers.Port, _ then: String) async throws {
        try await checkEarly413(port, then)
        if then == "read" {
            let end = try await server.state(of: id, once: "end").end
            #expect(end == .broken || end == .reset)
        }
    }

    @Test(
        "After an early 413 with RST_STREAM, the call gets the response, and the writer gets an error",
        .needsTrustedHTTP2
    )
    func early413AndReset() async throws { try await checkEarly413(.streamsHTTP2, "refuse") }

    private func checkEarly413(_ port: Servers.Port, _ then: String) async throws {
        let request = EndlessBody()
        let (head, content) = try await server.makeManager(port)
            .post("early/413?after=1000&then=\(then)&id=\(id)", body: request.body())
            .open()
        #expect(head.statusCode == 413)
        #expect(try await content.collect(upTo: 100) == Data("early".utf8))
        #expect(try await request.errors.first().code == .sendingEnded)
    }

    @Test(
        "After an early 413 to content of known length, the call gets the response, and the writer gets an error",
        arguments: StreamsServer.ports,
        ["read", "stay"]
    )
    func early413Response(_ port: Servers.Port, _ then: String) async throws {
        let request = EndlessBody()
        let response = try await server.makeManager(port)
            .post("early/413?after=1000&then=\(then)", body: request.body(length: 1 << 40))
            .response()
        #expect(response.statusCode == 413)
        #expect(response.data == Data("early".utf8))
        #expect(response.error?.code == .unacceptableStatusCode)
        #expect(try await request.errors.first().code == .sendingEnded)
    }

    @Test("A server that closes the connection after its 413 ends the call", arguments: StreamsServer.ports)
    func closedConnection(_ port: Servers.Port) async throws {
        let request = EndlessBody()
        let response = try await server.makeManager(port)
            .post("early/413?after=1000&then=close", body: request.body())
            .response()
        // The TCP reset that follows what was not read may overtake the response.
        #expect(response.statusCode == 413 || response.error?.code == .connectionLost)
        #expect(try await request.errors.first().code == .sendingEnded)
    }

    @Test("With an option, the sending continues after a 413", arguments: StreamsServer.olderPorts)
    func keepingOn(_ port: Servers.Port) async throws {
        let request = EndlessBody()
        let (head, content) = try await server.makeManager(port)
            .post("early/413?after=1000&id=\(id)", body: request.body(limit: 1 << 24))
            .keepSending()
            .open()
        #expect(head.statusCode == 413)
        #expect(try await content.collect(upTo: 100) == Data("early".utf8))
        let state = try await server.state(of: id, once: "end")
        #expect(state.end == .complete)
        #expect(state.bytes == 1 << 24)
        #expect(request.errors.values.isEmpty)
    }

    @Test("Over HTTP/1.1, an early 200 does not end the sending", arguments: StreamsServer.olderPorts)
    func early200(_ port: Servers.Port) async throws {
        let request = EndlessBody()
        let response = try await server.makeManager(port)
            .post("early/200?after=1000&id=\(id)", body: request.body(limit: 1 << 24))
            .response()
        #expect(response.value == Data("early".utf8))
        let state = try await server.state(of: id, once: "end")
        #expect(state.end == .complete)
        #expect(state.bytes == 1 << 24)
        #expect(request.errors.values.isEmpty)
    }

    @Test("Over HTTP/2 the end of a response ends the sending", .needsTrustedHTTP2, arguments: ["read", "refuse"])
    func early200OfStream(_ then: String) async throws {
        let request = EndlessBody()
        let (head, content) = try await server.makeManager(.streamsHTTP2)
            .post("early/200?after=1000&then=\(then)&id=\(id)", body: request.body())
            .open()
        #expect(head.statusCode == 200)
        #expect(try await content.collect(upTo: 100) == Data("early".utf8))
        #expect(try await request.errors.first().code == .sendingEnded)
        if then == "read" { #expect(try await server.state(of: id, once: "end").end != .complete) }
    }

    // MARK: Servers that fail

    @Test("A reset fails the call and the writer", arguments: StreamsServer.ports)
    func reset(_ port: Servers.Port) async throws {
        let request = EndlessBody()
        let error = await #expect(throws: LarkspurError.self) {
            _ = try await server.makeManager(port).post("reset?after=100000", body: request.body()).open()
        }
        #expect(error?.code == .connectionLost)
        #expect(try await request.errors.first().code == .sendingEnded)
    }

    @Test("A reset after the head fails the content and the writer", arguments: StreamsServer.ports)
    func resetContent(_ port: Servers.Port) async throws {
        let request = EndlessBody()
        let (head, content) = try await server.makeManager(port)
            .post("reset?after=100000&head&gate=\(id)", body: request.body())
            .open()
        #expect(head.statusCode == 200)
        try await server.open(gate: id)
        let error = await #expect(throws: LarkspurError.self) { _ = try await content.collect(upTo: 100) }
        #expect(error?.code == .connectionLost)
        #expect(try await request.errors.first().code == .sendingEnded)
    }

    @Test("Without any bytes, the call and the writer end in a timeout", arguments: StreamsServer.ports)
    func silence(_ port: Servers.Port) async throws {
        let request = EndlessBody()
        let error = await #expect(throws: LarkspurError.self) {
            _ = try await server.makeManager(port).post("silence", body: request.body()).timeout(idle: .seconds(1))
                .open()
        }
        #expect(error?.code == .timedOut)
        #expect(try await request.errors.first().code == .sendingEnded)
        #expect(request.count < Self.large / 2)
    }
}
#endif
