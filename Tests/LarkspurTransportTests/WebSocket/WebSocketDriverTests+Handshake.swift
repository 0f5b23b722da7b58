#if canImport(FoundationNetworking)
import CLibcurl
import Foundation
import FoundationNetworking
import HTTPSyntax
import Testing

@testable import LarkspurTransport

extension WebSocketDriverTests {
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
}
#endif
