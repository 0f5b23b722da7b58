#if canImport(FoundationNetworking)
import CLibcurl
import Foundation
import FoundationNetworking
import HTTPSyntax
import Testing

@testable import LarkspurTransport

@Suite("WebSocketDriver", .timeLimit(.minutes(2)))
struct WebSocketDriverTests {
    private static let request = Array("GET /socket HTTP/1.1\r\n\r\n".utf8)

    /// A driver with the parts around it.
    private final class Line {
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
    private func answer(_ results: Recorder<Bool>) -> WebSocketChannel.Completion {
        { result in if case .success = result { results.record(true) } else { results.record(false) } }
    }

    private func text(_ text: String) -> [UInt8] { WebSocketFrames.server(.text, Array(text.utf8)) }

    private func close(_ code: UInt16) -> [UInt8] {
        WebSocketFrames.server(.close, [UInt8(code >> 8), UInt8(code & 0xFF)])
    }

    /// The code of the only error that the channel has; nil if it has not ended with one.
    private func failure(of channel: WebSocketChannel) async -> (any Error)? {
        do {
            while try await channel.next() != nil {}
            return nil
        } catch {
            return error
        }
    }

    // MARK: Orders between two connections

    /// Opens a connection that another one may follow, and uses it.
    private func use(_ line: Line) async throws -> Task<WebSocketLoss?, Never> {
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
        if isClosedByUser { line.channel.give(.close(WebSocketTask.Closure(code: .normalClosure), answer(results))) }
        line.receive(close(1012))
        line.performOrders()
        _ = await loss.value
        if isClosedByUser {
            #expect(results.values.first == false)
        } else {
            #expect(results.values.isEmpty)
            line.channel.end(.closed(WebSocketTask.Closure(code: .serviceRestart)))
            #expect(results.values == [false])
        }
        line.driver.finish(.closed(nil))
    }

    // MARK: The handshake

    @Test("The request is sent once, when the connection is ready")
    func request() throws {
        let line = try Line()
        line.bytes.isConnected = false
        #expect(!line.driver.begin())
        line.bytes.isConnected = true
        #expect(line.driver.begin())
        #expect(line.bytes.takeSent() == Self.request)
        #expect(!line.driver.begin())
        #expect(line.bytes.takeSent() == [])
    }

    @Test("A valid response opens the connection, which gives back its place at the host", arguments: [1, 7, 1_000])
    func opening(step: Int) throws {
        let line = try Line()
        #expect(line.driver.begin())
        let acceptance = line.acceptance
        for start in stride(from: 0, to: acceptance.count, by: step) {
            #expect(!line.driver.isOpen)
            line.receive(Array(acceptance[start..<min(start + step, acceptance.count)]))
        }
        #expect(line.driver.isOpen)
        #expect(line.carrier.calls == ["leaveHostForGood"])
        #expect(line.carrier.results == [])
    }

    @Test("Messages that come with the response are received")
    func earlyMessages() async throws {
        let line = try Line()
        line.open(with: text("one") + text("two"))
        #expect(try await line.channel.next() == .text("one"))
        #expect(try await line.channel.next() == .text("two"))
    }

    @Test("Messages that are sent before the connection opens are written in order when it opens")
    func earlyOrders() throws {
        let line = try Line()
        let results = Recorder<Bool>()
        line.give(.send(.text("one"), answer(results)))
        line.give(.send(.text("two"), answer(results)))
        #expect(results.values == [])
        line.open()
        #expect(line.bytes.takeEvents() == [.message(.text("one")), .message(.text("two"))])
        #expect(results.values == [true, true])
    }

    @Test("A 101 that does not match the request fails the transfer with the reason")
    func invalidResponse() async throws {
        let line = try Line()
        #expect(line.driver.begin())
        line.receive(
            Array("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n".utf8)
        )
        #expect(line.carrier.failure?.code == .badServerResponse)
        #expect(line.carrier.results == [CURLE_WRITE_ERROR])
        #expect(line.driver.phase == .ended)
        #expect((await failure(of: line.channel) as? WebSocketError)?.kind == .refused)
    }

    @Test("A response other than 101 is received with its content, and ends the transfer", arguments: [true, false])
    func refusal(hasLength: Bool) throws {
        let line = try Line()
        line.carrier.contentLength = hasLength ? 9 : nil
        #expect(line.driver.begin())
        line.receive(Array("HTTP/1.1 403 Forbidden\r\n\r\nno ".utf8))
        #expect(line.driver.phase == .refused)
        line.receive(Array("access".utf8))
        if !hasLength {
            #expect(line.carrier.results == [])
            line.bytes.closeOtherEnd()
            line.turn()
        }
        #expect(line.carrier.response?.statusCode == 403)
        #expect(line.carrier.content == Array("no access".utf8))
        #expect(line.carrier.results == [CURLE_OK])
    }

    @Test("If the carrier refuses content, the transfer ends")
    func refusedContent() throws {
        let line = try Line()
        line.carrier.reception = .refused
        #expect(line.driver.begin())
        line.receive(Array("HTTP/1.1 403 Forbidden\r\n\r\nno ".utf8))
        #expect(line.carrier.results == [CURLE_WRITE_ERROR])
    }

    @Test("If a connection ends before the response, the transfer ends without a response")
    func noResponse() throws {
        let line = try Line()
        #expect(line.driver.begin())
        line.bytes.closeOtherEnd()
        line.turn()
        #expect(line.carrier.results == [CURLE_GOT_NOTHING])
    }

    @Test("If the request cannot be sent, the transfer ends with libcurl's result")
    func unsentRequest() throws {
        let line = try Line()
        line.bytes.sendFailure = CURLE_SEND_ERROR
        #expect(line.driver.begin())
        #expect(line.carrier.results == [CURLE_SEND_ERROR])
    }

    // MARK: A connector's attempt

    @Test("The connection of an attempt is not read or written before it is used")
    func attempt() async throws {
        let line = try Line(hasAttempt: true)
        let attempt = try #require(line.attempt)
        let results = Recorder<Bool>()
        line.give(.send(.text("order"), answer(results)))
        line.open(with: text("early"))
        guard case .open = await attempt.open() else {
            Issue.record("The attempt has failed.")
            return
        }
        #expect(line.bytes.takeEvents() == [])
        line.bytes.write(text("late"))
        line.turn()
        let channel = line.channel
        let loss = Task { await channel.use(attempt, greeting: [.text("greeting")], isLast: false) }
        try await eventually {
            line.performOrders()
            return !results.values.isEmpty
        }
        #expect(line.bytes.takeEvents() == [.message(.text("greeting")), .message(.text("order"))])
        #expect(try await line.channel.next() == .text("early"))
        #expect(try await line.channel.next() == .text("late"))
        line.bytes.closeOtherEnd()
        line.turn()
        #expect(await loss.value?.hasReceived == true)
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

    // MARK: The end

    @Test(
        "A close frame of the server is echoed and ends the channel, and the end of the connection ends the task",
        arguments: [1000, 4001] as [UInt16]
    )
    func serverClose(code: UInt16) async throws {
        let line = try Line()
        line.open()
        line.receive(text("last") + close(code))
        #expect(line.bytes.takeEvents() == [.close(code: code, reason: "")])
        #expect(line.channel.closure?.code?.rawValue == Int(code))
        #expect(line.carrier.calls == ["leaveHostForGood"])
        line.bytes.closeOtherEnd()
        line.turn()
        line.turn()
        #expect(line.carrier.calls == ["leaveHostForGood", "webSocketEnded"])
        #expect(try await line.channel.next() == .text("last"))
        #expect((await failure(of: line.channel) as? WebSocketError)?.kind == (code == 1000 ? nil : .closed))
    }

    @Test("A close order sends a close frame, and completes when the connection is closed")
    func closing() throws {
        let line = try Line()
        line.open()
        let (closed, sent) = (Recorder<Bool>(), Recorder<Bool>())
        let closure = WebSocketTask.Closure(code: .goingAway, reason: "bye")
        line.give(.close(closure, answer(closed)))
        line.give(.send(.text("late"), answer(sent)))
        line.give(.ping(answer(sent)))
        #expect(line.bytes.takeEvents() == [.close(code: 1001, reason: "bye")])
        #expect(closed.values == [] && sent.values == [false, false])
        line.receive(close(1001))
        #expect(line.bytes.takeEvents() == [])
        line.bytes.closeOtherEnd()
        line.turn()
        #expect(closed.values == [true])
        #expect(line.carrier.calls.last == "webSocketEnded")
    }

    @Test("A server has the close timeout of the options to close the connection")
    func closeTimeout() throws {
        var options = WebSocketOptions()
        options.closeTimeout = .seconds(5)
        let line = try Line(options)
        line.open()
        #expect(line.driver.deadline == .distantFuture)
        let closed = Recorder<Bool>()
        line.give(.close(WebSocketTask.Closure(code: nil, reason: ""), answer(closed)))
        let deadline = line.carrier.now.adding(5)
        #expect(line.driver.deadline == deadline)
        line.driver.expire(at: line.carrier.now.adding(4))
        #expect(closed.values == [])
        line.driver.expire(at: deadline)
        #expect(closed.values == [true])
        #expect(line.carrier.calls.last == "webSocketEnded")
    }

    @Test("A frame that violates the protocol is answered with a close frame, and is the channel's error")
    func violation() async throws {
        let line = try Line()
        line.open()
        // A server must not mask its frames.
        line.receive(WebSocketFrames.client(.text, [65]))
        guard case .close(1002, _)? = line.bytes.takeEvents().first else {
            Issue.record("No close frame was sent.")
            return
        }
        #expect((await failure(of: line.channel) as? WebSocketError)?.kind == .violation)
    }

    @Test("A message that is larger than the options allow leads to a close frame with code 1009")
    func largeMessage() throws {
        var options = WebSocketOptions()
        options.maximumMessageSize = 3
        let line = try Line(options)
        line.open()
        line.receive(text("1234"))
        guard case .close(1009, _)? = line.bytes.takeEvents().first else {
            Issue.record("No close frame was sent.")
            return
        }
    }

    @Test(
        "A lost connection is the channel's error, which says whether a message was incomplete",
        arguments: [true, false]
    )
    func loss(isInMessage: Bool) async throws {
        let line = try Line()
        line.open(with: isInMessage ? Array(text("message").dropLast()) : text("message"))
        line.bytes.closeOtherEnd()
        line.turn()
        let error = await failure(of: line.channel) as? URLError
        #expect(error?.code == .networkConnectionLost)
        #expect(
            error?.localizedDescription.contains(isInMessage ? "middle of a message" : "without a close frame") == true
        )
        #expect(line.carrier.calls.last == "webSocketEnded")
    }

    @Test("Waiting orders and later ones fail when the driver leaves the connection")
    func detaching() throws {
        let line = try Line()
        line.open()
        let results = Recorder<Bool>()
        line.give(.ping(answer(results)))
        line.bytes.isBlocked = true
        line.give(.send(.text("text"), answer(results)))
        line.driver.detach()
        #expect(results.values == [false, false])
        line.driver.perform(.ping(answer(results)))
        #expect(results.values == [false, false, false])
        // The socket is not watched.
        line.bytes.isBlocked = false
        _ = line.bytes.takeSent()
        line.receive(WebSocketFrames.server(.ping))
        #expect(line.bytes.takeSent() == [])
    }

    // MARK: Pings of the engine's own

    private func makePingingLine() throws -> Line {
        var options = WebSocketOptions()
        options.pingInterval = .seconds(20)
        let line = try Line(options)
        line.open()
        return line
    }

    @Test("A ping is sent after each interval, if the last ping got its pong")
    func ownPings() throws {
        let line = try makePingingLine()
        for _ in 0..<3 {
            let due = line.carrier.now.adding(20)
            #expect(line.driver.deadline == due)
            line.carrier.now = due
            line.driver.expire(at: due)
            guard case .ping(let content)? = line.bytes.takeEvents().first else {
                Issue.record("No ping was sent.")
                return
            }
            line.receive(WebSocketFrames.server(.pong, Array(content)))
        }
        #expect(line.driver.isOpen)
    }

    @Test(
        "A server without a pong at the next interval has failed, unless reading is paused",
        arguments: [true, false]
    )
    func unansweredPing(isSuspended: Bool) async throws {
        let line = try makePingingLine()
        line.carrier.isSuspended = isSuspended
        for _ in 0..<2 {
            line.carrier.now = line.carrier.now.adding(20)
            line.driver.expire(at: line.carrier.now)
        }
        #expect(line.driver.isOpen == isSuspended)
        #expect(line.bytes.takeEvents().count == 1)
        if !isSuspended { #expect((await failure(of: line.channel) as? URLError)?.code == .timedOut) }
    }
}
#endif
