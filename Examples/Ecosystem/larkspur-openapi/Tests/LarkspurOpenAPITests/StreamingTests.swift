import Foundation
import HTTPTypes
import Larkspur
import LarkspurOpenAPI
import LarkspurTesting
import Synchronization
import Testing

@Suite("Content of OpenAPI clients in both directions", .timeLimit(.minutes(5)))
struct StreamingTests {
    let server: LoopbackServer
    let manager: SessionManager
    let transport: SessionTransport

    init() throws {
        server = try LoopbackServer()
        manager = SessionManager(configuration: .ephemeral)
        transport = SessionTransport(manager)
    }

    @Test("More than 64 MiB are sent in both directions, with little buffering", arguments: [true, false])
    func largeContent(isLengthKnown: Bool) async throws {
        let echo = try EchoServer()
        let chunkSize = 1 << 16
        let total = 1_100 * chunkSize
        let produced = Counter()
        let stream = AsyncThrowingStream<ArraySlice<UInt8>, any Error> {
            let position = produced.value.add(chunkSize, ordering: .relaxed).oldValue
            guard position < total else { return nil }
            return ArraySlice(repeating: UInt8(truncatingIfNeeded: position / chunkSize), count: chunkSize)
        }
        let body = HTTPBody(stream, length: isLengthKnown ? .known(Int64(total)) : .unknown)

        let (response, content) = try await transport.send(
            HTTPRequest(method: .post, path: "/"),
            body: body,
            baseURL: echo.baseURL,
            operationID: "echo"
        )
        #expect(response.status == .ok)
        let echoed = try #require(content)
        #expect(echoed.length == body.length)
        var received = 0
        var largestLead = produced.value.load(ordering: .relaxed)
        for try await chunk in echoed {
            #expect(chunk.first == UInt8(truncatingIfNeeded: received / chunkSize))
            received += chunk.count
            largestLead = max(largestLead, produced.value.load(ordering: .relaxed) - received)
        }

        #expect(received == total)
        // Most of it is in the buffers of the system's sockets.
        #expect(largestLead < 16 << 20, "The producer was \(largestLead >> 20) MiB ahead.")
    }

    @Test("A cancellation ends a waiting request and the production of its content")
    func cancellation() async throws {
        let (isWaiting, isCancelled, never) = (Gate(), Gate(), Gate())
        let produced = Counter()
        let stream = AsyncThrowingStream<ArraySlice<UInt8>, any Error> {
            if produced.value.add(1, ordering: .relaxed).oldValue == 0 { return ArraySlice("Tom".utf8) }
            isWaiting.open()
            await never.wait()
            if Task.isCancelled { isCancelled.open() }
            throw CancellationError()
        }
        let sending = Task { try await put("/pets/7", HTTPBody(stream, length: .unknown)) }
        await isWaiting.wait()
        sending.cancel()

        let error = await #expect(throws: LarkspurError.self) { try await sending.value }
        #expect(error?.code == .cancelled)
        await isCancelled.wait()
        try await server.waitForOpenConnections(0)
        #expect(server.requests.isEmpty)
    }

    @Test("An error of the content fails the request, which is incomplete for the server")
    func brokenContent() async throws {
        let produced = Counter()
        let stream = AsyncThrowingStream<ArraySlice<UInt8>, any Error> {
            if produced.value.add(1, ordering: .relaxed).oldValue == 0 { return ArraySlice("Tom".utf8) }
            throw Broken()
        }
        let error = await #expect(throws: LarkspurError.self) {
            try await put("/pets/7", HTTPBody(stream, length: .unknown))
        }
        #expect(error?.code == .bodyUnreadable && error?.underlyingError is Broken)
        try await server.waitForOpenConnections(0)
        #expect(server.requests.isEmpty)
    }

    @Test("Content that can be iterated once is not sent after a redirect, and other content is")
    func redirects() async throws {
        server.route("/old", .redirect(to: "/new", status: 307))
        server.route("/new", .text("renamed"))

        let (response, _) = try await put("/old", HTTPBody(Array("Tom".utf8)))
        #expect(response.status == .ok)
        #expect(server.requests.map(\.text) == ["Tom", "Tom"])
        #expect(server.requests.map { $0.headers["Content-Length"] } == ["3", "3"])

        let stream = AsyncThrowingStream<ArraySlice<UInt8>, any Error> { continuation in
            continuation.yield(ArraySlice("Tom".utf8))
            continuation.finish()
        }
        let error = await #expect(throws: LarkspurError.self) {
            try await put("/old", HTTPBody(stream, length: .unknown))
        }
        // The error is not that of a second iteration.
        #expect(error?.code == .bodyUnreadable && error?.underlyingError is URLError)
    }

    @Test("The content of a response can be read once, and has a length if it is known")
    func responses() async throws {
        server.route("/plain", .text("Tom"))
        server.route("/gzip", .text("Tom").encoded(as: .gzip))
        let (_, plain) = try await put("/plain", nil)
        let body = try #require(plain)
        #expect(body.length == .known(3) && body.iterationBehavior == .single)
        var text = ""
        for try await chunk in body { text += String(decoding: chunk, as: UTF8.self) }
        #expect(text == "Tom")
        await #expect(throws: (any Error).self) { for try await _ in body {} }

        #expect(try await put("/gzip", nil).1?.length == .unknown)
    }

    @discardableResult
    private func put(_ path: String, _ body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody?) {
        try await transport.send(
            HTTPRequest(method: .put, path: path),
            body: body,
            baseURL: server.baseURL,
            operationID: "pets"
        )
    }
}

private typealias Gate = LoopbackServer.Gate

/// The error of content.
private struct Broken: Error {}

/// A number that a production and a test share.
private final class Counter: Sendable {
    let value = Atomic(0)
}
