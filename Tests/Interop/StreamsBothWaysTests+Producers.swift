#if canImport(FoundationNetworking)
import Foundation
import Larkspur
import Testing
import TestSupport

extension StreamsBothWaysTests {
    // MARK: Producers that fail

    /// A failure of a producer whose content never looks complete to the server.
    enum ProducerFault: CaseIterable, Sendable {
        case throwing, throwingWithLength, throwingSequence, endingEarly, tooLong, tooLongAtOnce

        /// - Parameter arrival: Returns when the server has the first bytes. A request that fails at once may never
        ///   reach it.
        func body(after arrival: @escaping @Sendable () async throws -> Void) -> RequestBody {
            @Sendable func writeParts(to writer: BodyWriter) async throws {
                try await writer.write("be")
                try await arrival()
                for part in ["gu", "n ", "ok"] { try await writer.write(part) }
            }
            switch self {
            case .throwing:
                return .writer { writer in
                    try await writeParts(to: writer)
                    throw Failure()
                }
            case .throwingWithLength:
                return .writer(length: 8) { writer in
                    try await writeParts(to: writer)
                    throw Failure()
                }
            case .throwingSequence:
                return .sequence(making: {
                    let parts = Recorder<Void>()
                    return AsyncThrowingStream<Data, any Error> {
                        parts.record(())
                        if parts.values.count == 1 { return Data("begun".utf8) }
                        try await arrival()
                        throw Failure()
                    }
                })
            case .endingEarly: return .writer(length: 9) { writer in try await writeParts(to: writer) }
            case .tooLong: return .writer(length: 7) { writer in try await writeParts(to: writer) }
            case .tooLongAtOnce:
                return .writer(length: 7) { writer in
                    try await writer.write("be")
                    try await arrival()
                    try await writer.write("too long")
                }
            }
        }

        struct Failure: Error {}

        var isThrown: Bool { self == .throwing || self == .throwingWithLength || self == .throwingSequence }
    }

    /// Expects that a request was broken off: a connection of HTTP/1.1 has ended, a stream of HTTP/2 was reset. The
    /// manager must live until then, because its end closes the connection.
    private func expectBroken(_ state: StreamsServer.State, _ port: Servers.Port) {
        #expect(state.end == .reset || state.end == .broken && port != .streamsHTTP2)
    }

    @Test(
        "A request whose producer fails is aborted, and never looks complete to the server",
        arguments: StreamsServer.ports,
        ProducerFault.allCases
    )
    func producerFault(_ port: Servers.Port, _ fault: ProducerFault) async throws {
        let body = fault.body { _ = try await server.state(of: id, once: "bytes:2") }
        let manager = try server.makeManager(port)
        let response = await manager.post("sink?id=\(id)", body: body).response()
        #expect(response.error?.code == .bodyUnreadable)
        #expect((response.error?.underlyingError is ProducerFault.Failure) == fault.isThrown)
        let state = try await server.state(of: id, once: "end")
        expectBroken(state, port)
        withExtendedLifetime(manager) {}
    }

    @Test(
        "A cancelled call aborts its request, which never looks complete, and cancels its producer",
        arguments: StreamsServer.ports
    )
    func cancelledCall(_ port: Servers.Port) async throws {
        let ended = Recorder<Bool>()
        let (never, continuation) = AsyncStream.makeStream(of: Void.self)
        defer { continuation.finish() }
        let body = RequestBody.writer { writer in
            try await writer.write("begun")
            // A cancellation ends the stream.
            for await _ in never {}
            ended.record(Task.isCancelled)
        }
        let manager = try server.makeManager(port)
        let task = manager.post("sink?id=\(id)", body: body)
        task.resume()
        _ = try await server.state(of: id, once: "bytes:5")
        task.cancel()
        let state = try await server.state(of: id, once: "end")
        expectBroken(state, port)
        withExtendedLifetime(manager) {}
        #expect(try await ended.first())
    }

    @Test("A producer that hangs leads to the timeout of the call", arguments: StreamsServer.ports)
    func hangingProducer(_ port: Servers.Port) async throws {
        let request = SentByHand()
        request.send("begun")
        let manager = try server.makeManager(port)
        let response =
            await manager
            .post("sink?id=\(id)", body: request.body)
            .timeout(idle: .seconds(1))
            .response()
        #expect(response.error?.code == .timedOut)
        let state = try await server.state(of: id, once: "end")
        expectBroken(state, port)
        withExtendedLifetime(manager) {}
        #expect(state.bytes == 5)
    }

    // MARK: Sent again

    @Test(
        "For a redirect that keeps the content, the content is produced again",
        arguments: StreamsServer.ports,
        [307, 308]
    )
    func replay(_ port: Servers.Port, _ status: Int) async throws {
        let made = Recorder<Void>()
        let body = RequestBody.sequence(making: {
            made.record(())
            return Self.parts
        })
        let received = try await server.makeManager(port)
            .post("redirect?status=\(status)&to=/request", body: body)
            .value(as: StreamsServer.Received.self)
        #expect(received.method == "POST")
        #expect(received.content == "one two three")
        #expect(made.values.count == 2)
    }

    @Test("A redirect fails if the content can be sent only once", arguments: StreamsServer.ports)
    func onceOnly(_ port: Servers.Port) async throws {
        let response = try await server.makeManager(port)
            .post("redirect?status=307&to=/request", body: .sequence(Self.parts))
            .response()
        #expect(response.error?.code == .bodyUnreadable)
    }

    @Test("If a redirect removes the content, no content is sent again", arguments: StreamsServer.ports)
    func droppedContent(_ port: Servers.Port) async throws {
        let received = try await server.makeManager(port)
            .post("redirect?status=303&to=/request", body: .sequence(Self.parts))
            .value(as: StreamsServer.Received.self)
        #expect(received.method == "GET")
        #expect(received.content.isEmpty)
    }

    private static var parts: AsyncStream<Data> {
        AsyncStream { stream in
            for part in ["one ", "two ", "three"] { stream.yield(Data(part.utf8)) }
            stream.finish()
        }
    }
}
#endif
