#if canImport(FoundationNetworking)
import CLibcurl
import Foundation
import FoundationNetworking
import HTTPSyntax
import Testing

@testable import LarkspurTransport

extension WebSocketDriverTests {
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
        #expect(line.channel.closeFrame?.code?.rawValue == Int(code))
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
        let closure = WebSocketTask.CloseFrame(code: .goingAway, reason: "bye")
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
        line.give(.close(WebSocketTask.CloseFrame(code: nil, reason: ""), answer(closed)))
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
