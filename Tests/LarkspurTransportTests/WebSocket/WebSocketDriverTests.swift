#if canImport(FoundationNetworking)
import CLibcurl
import Foundation
import FoundationNetworking
import HTTPSyntax
import Testing

@testable import LarkspurTransport

@Suite("WebSocketDriver", .timeLimit(.minutes(2)))
struct WebSocketDriverTests {
    static let request = Array("GET /socket HTTP/1.1\r\n\r\n".utf8)

    /// A driver with the parts around it.
    final class Line {
        let bytes: FakeByteConnection
        let carrier = FakeWebSocketCarrier()
        let task = FakeHandshakeTask()
        let channel: WebSocketChannel
        let handshake = WebSocketHandshake()
        let attempt: WebSocketAttempt?
        let poll: EventPoll
        let driver: WebSocketDriver

        init(
            _ options: WebSocketOptions = WebSocketOptions(),
            hasAttempt: Bool = false,
            after earlier: Line? = nil
        ) throws {
            bytes = try FakeByteConnection()
            poll = try EventPoll()
            channel = earlier?.channel ?? WebSocketChannel(options: options)
            attempt = hasAttempt ? WebSocketAttempt(withheldFields: []) : nil
            if let attempt {
                attempt.attach(task)
                #expect(channel.begin(attempt))
            } else {
                channel.attach(task)
            }
            driver = WebSocketDriver(
                carrier: carrier,
                connection: WebSocketConnection(channel: channel, handshake: handshake, attempt: attempt),
                handle: bytes,
                poll: poll,
                request: WebSocketDriverTests.request
            )
            carrier.driver = driver
        }

        /// The response that opens the connection.
        var acceptance: [UInt8] {
            Array(
                """
                HTTP/1.1 101 Switching Protocols\r
                Upgrade: websocket\r
                Connection: Upgrade\r
                Sec-WebSocket-Accept: \(handshake.key.accept)\r
                \r

                """.utf8
            )
        }

        /// Opens the connection, and receives bytes that come with the response.
        func open(with early: [UInt8] = []) {
            #expect(driver.begin())
            _ = bytes.takeSent()
            receive(acceptance + early)
        }

        /// Sends bytes to the driver, and has the sockets reported.
        func receive(_ content: [UInt8]) {
            bytes.write(content)
            turn()
        }

        /// Reports the sockets that are ready, as a turn of the loop does.
        func turn() {
            poll.wait(milliseconds: 0)
            poll.report()
        }

        /// Gives an order as a program does.
        func give(_ order: WebSocketChannel.Order) {
            channel.give(order)
            performOrders()
        }

        func performOrders() {
            for order in task.takeOrders() { driver.perform(order) }
        }
    }

    /// An answer to an order that records whether it has succeeded.
    func answer(_ results: Recorder<Bool>) -> WebSocketChannel.Completion {
        { result in if case .success = result { results.record(true) } else { results.record(false) } }
    }

    func text(_ text: String) -> [UInt8] { WebSocketFrames.server(.text, Array(text.utf8)) }

    func close(_ code: UInt16) -> [UInt8] {
        WebSocketFrames.server(.close, [UInt8(code >> 8), UInt8(code & 0xFF)])
    }

    /// The code of the only error that the channel has; nil if it has not ended with one.
    func failure(of channel: WebSocketChannel) async -> (any Error)? {
        do {
            while try await channel.next() != nil {}
            return nil
        } catch {
            return error
        }
    }

    // MARK: Orders between two connections

    /// Opens a connection that another one may follow, and uses it.
    func use(_ line: Line) async throws -> Task<WebSocketLoss?, Never> {
        line.open()
        let attempt = try #require(line.attempt)
        let channel = line.channel
        let loss = Task { await channel.use(attempt, greeting: [.text("greeting")], isLast: false) }
        try await eventually { line.task.hasOrders }
        line.performOrders()
        return loss
    }

    @Test("A message that was not begun on a closing connection is sent on the next one, before later messages")
    func returned() async throws {
        let line = try Line(hasAttempt: true)
        let loss = try await use(line)
        let results = Recorder<Bool>()
        // The loop reads the close frame before it takes the orders.
        for text in ["first", "second"] { line.channel.give(.send(.text(text), answer(results))) }
        line.channel.give(.ping(answer(results)))
        line.receive(close(1012))
        #expect(await loss.value?.hasReceived == false)
        line.channel.give(.send(.text("third"), answer(results)))
        _ = line.bytes.takeSent()
        line.performOrders()
        line.driver.finish(.closed(nil))
        line.channel.give(.send(.text("fourth"), answer(results)))
        #expect(results.values.isEmpty)

        let next = try Line(hasAttempt: true, after: line)
        _ = try await use(next)
        let texts = next.bytes.takeEvents().compactMap { event -> String? in
            if case .message(.text(let text)) = event { text } else { nil }
        }
        #expect(texts == ["greeting", "first", "second", "third", "fourth"])
        #expect(results.values == [true, true, true, true])
        next.channel.cancel()
    }

    @Test(
        "A message that was not begun on a closing connection fails if no other connection follows",
        arguments: [true, false]
    )
    func notReturned(isClosedByUser: Bool) async throws {
        let line = try Line(hasAttempt: true)
        let loss = try await use(line)
        let results = Recorder<Bool>()
        line.channel.give(.send(.text("late"), answer(results)))
        if isClosedByUser { line.channel.give(.close(WebSocketTask.CloseFrame(code: .normalClosure), answer(results))) }
        line.receive(close(1012))
        line.performOrders()
        _ = await loss.value
        if isClosedByUser {
            #expect(results.values.first == false)
        } else {
            #expect(results.values.isEmpty)
            line.channel.end(.closed(WebSocketTask.CloseFrame(code: .serviceRestart)))
            #expect(results.values == [false])
        }
        line.driver.finish(.closed(nil))
    }

    // MARK: Frames

    @Test("Each message is sent in a frame, and its completion is called when it is sent")
    func sending() throws {
        let line = try Line()
        line.open()
        let results = Recorder<Bool>()
        line.give(.send(.text("text"), answer(results)))
        line.give(.send(.binary(Data([1, 2])), answer(results)))
        #expect(line.bytes.takeEvents() == [.message(.text("text")), .message(.binary(Data([1, 2])))])
        #expect(results.values == [true, true])
    }

    @Test("A message waits until the connection can take it")
    func blockedSending() throws {
        let line = try Line()
        line.open()
        let results = Recorder<Bool>()
        line.bytes.isBlocked = true
        line.give(.send(.text("text"), answer(results)))
        #expect(results.values == [])
        line.bytes.isBlocked = false
        // The socket is watched for room.
        line.turn()
        #expect(results.values == [true])
        #expect(line.bytes.takeEvents() == [.message(.text("text"))])
    }

    @Test("A ping of the server gets a pong with the same content")
    func serverPing() throws {
        let line = try Line()
        line.open()
        line.receive(WebSocketFrames.server(.ping, [7, 8, 9]))
        #expect(line.bytes.takeEvents() == [.pong(Data([7, 8, 9]))])
    }

    @Test("A ping completes when its pong arrives, and not with another pong")
    func ping() throws {
        let line = try Line()
        line.open()
        let results = Recorder<Bool>()
        line.give(.ping(answer(results)))
        guard case .ping(let content)? = line.bytes.takeEvents().first else {
            Issue.record("No ping was sent.")
            return
        }
        line.receive(WebSocketFrames.server(.pong, [0]))
        #expect(results.values == [])
        line.receive(WebSocketFrames.server(.pong, Array(content)))
        #expect(results.values == [true])
    }

    // MARK: Back-pressure

    /// The frame of a message that is half as large as what may wait for the consumer.
    private let half = WebSocketFrames.server(.binary, [UInt8](repeating: 0, count: 1 << 19))

    @Test("The connection is not read while too much content waits for the consumer")
    func backPressure() async throws {
        let line = try Line()
        line.open()
        line.bytes.pending = half + half
        line.driver.goOn()
        line.receive(WebSocketFrames.server(.ping, [1]))
        line.driver.goOn()
        #expect(line.bytes.takeEvents() == [])
        for _ in 0..<2 {
            #expect(try await line.channel.next() == .data(Data(count: 1 << 19)))
            line.performOrders()
        }
        #expect(line.bytes.takeEvents() == [.pong(Data([1]))])
    }

    @Test("Nothing is read while the carrier pauses")
    func pause() async throws {
        let line = try Line()
        line.open()
        line.carrier.pausesReceiving = true
        line.driver.updateWatch()
        line.receive(WebSocketFrames.server(.ping))
        line.driver.goOn()
        #expect(line.bytes.takeEvents() == [])
        line.carrier.pausesReceiving = false
        line.driver.goOn()
        #expect(line.bytes.takeEvents() == [.pong(Data())])
    }

    @Test("A connection with much to read does not block other connections")
    func turns() async throws {
        let line = try Line()
        line.open()
        line.bytes.pending = Array(
            repeatElement(WebSocketFrames.server(.pong, [UInt8](repeating: 0, count: 100)), count: 15_000).joined()
        )
        let count = line.bytes.pending.count
        line.driver.goOn()
        #expect(line.carrier.calls.last == "readLater")
        let rest = line.bytes.pending.count
        #expect(rest > 0 && count - rest >= 1 << 20)
        line.driver.goOn()
        #expect(line.bytes.pending.isEmpty)
    }
}
#endif
