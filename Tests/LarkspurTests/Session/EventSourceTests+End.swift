import LarkspurTesting
import Testing

@testable import Larkspur

extension EventSourceTests {
    @Test("Cancelling the surrounding task ends the loop, even during a delay", arguments: TestTransport.allCases)
    func cancellation(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        let gate = LoopbackServer.Gate()
        server.route("/held", response("data: a\n\n", .wait(gate)))
        server.route("/ended", response("data: a\n\n"))
        let arrived = Recorder<ServerSentEvent>()
        func follow(_ url: String) -> Task<LarkspurError?, Never> {
            Task {
                do throws(LarkspurError) {
                    for try await event in manager.events(url) { arrived.record(event) }
                    return nil
                } catch {
                    return error
                }
            }
        }

        let held = follow("held")
        try await arrived.wait()
        held.cancel()
        #expect(await held.value?.code == .cancelled)
        gate.open()

        let ended = follow("ended")
        try await clock.waitForSleeps()
        ended.cancel()
        #expect(await ended.value?.code == .cancelled)
        let before = follow("ended")
        before.cancel()
        _ = await before.value
        try await manager.finishAll()
        #expect(manager.tasks.isEmpty)
    }

    @Test("A task that was cancelled before the loop sends nothing")
    func cancelledBefore() async throws {
        let manager = manager(.curl)
        let gate = LoopbackServer.Gate()
        let work = Task {
            await gate.wait()
            return await error(of: manager.events("updates"))
        }
        work.cancel()
        gate.open()

        #expect(await work.value?.code == .cancelled)
        #expect(server.requests.isEmpty)
    }

    @Test("After an error or the end, the iterator returns nil")
    func ended() async throws {
        let manager = manager(.curl)
        server.route("/text", .text("x"))
        server.route("/none", .status(204))

        var iterator = manager.events("text").makeAsyncIterator()
        await #expect(throws: LarkspurError.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
        iterator = manager.events("none").makeAsyncIterator()
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
        #expect(server.requests.count == 2)
    }

    @Test("A second iteration begins a new stream")
    func twice() async throws {
        let manager = manager(.curl)
        server.route("/updates", response("data: a\nid: 1\n\n"))
        let events = manager.events("updates")
        for _ in 0..<2 {
            for try await _ in events { break }
        }
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == [nil, nil])
    }

    @Test("A request that cannot be built ends the sequence")
    func unsent() async throws {
        let manager = manager(.curl)
        #expect(await error(of: manager.events("http://[")).map(\.code) == .invalidURL)
        manager.invalidate(cancelingTasks: true)
        #expect(await error(of: manager.events("updates")).map(\.code) == .sessionInvalidated)
        #expect(clock.sleeps.isEmpty)
    }

    @Test("The timeout of an event stream overrides the manager's timeouts", arguments: TestTransport.allCases)
    func timeout(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        manager.requestSettings.timeoutInterval = 10
        manager.timeouts.idle = .seconds(20)
        let gate = LoopbackServer.Gate()
        server.route("/held", response("data: a\n\n", .wait(gate)))
        var timeouts: [TimeInterval?] = []

        for try await _ in manager.events("held") {
            timeouts.append(manager.tasks.first?.urlSessionTask?.originalRequest?.timeoutInterval)
            break
        }
        try await manager.finishAll()
        let task = manager.get("held")
        for try await _ in task.events(idleTimeout: .seconds(1_000_000)) {
            timeouts.append(task.urlSessionTask?.originalRequest?.timeoutInterval)
            break
        }
        let silent = await error(of: manager.get("held").events(idleTimeout: .milliseconds(500)))
        gate.open()

        #expect(timeouts == [300, 1e6] && silent?.code == .timedOut)
        #expect(task.urlSessionTask?.originalRequest?.cachePolicy == .reloadIgnoringLocalCacheData)
        try await manager.finishAll()
    }

    @Test("The total limit of a call ends an event stream, and the manager's limit does not")
    func totalTimeout() async throws {
        let manager = manager(.curl)
        manager.timeouts = Timeouts(total: .seconds(1), response: .seconds(1))
        let gate = LoopbackServer.Gate()
        server.route("/held", response("data: a\n\n", .wait(gate), .text("data: b\n\n")))
        var events: [String] = []

        for try await event in manager.get("held").events {
            events.append(event.data)
            try await clock.waitForSleeps()
            clock.advance(by: .seconds(100))
            gate.open()
        }
        server.route("/silent", response("data: a\n\n", .wait(LoopbackServer.Gate())))
        let limited = manager.get("silent").timeout(total: .seconds(1)).events
        let work = Task { await error(of: limited) }
        try await server.waitForRequests(2)
        clock.advance(by: .seconds(100))
        try await eventually { manager.tasks.isEmpty }

        #expect(events == ["a", "b"])
        #expect(await work.value?.code == .timedOut)
    }

    @Test("A deadline around a loop over events ends the loop")
    func deadline() async throws {
        let manager = manager(.curl)
        server.route("/updates", response("data: a\n\n"))

        let work = Task {
            await withTimeout(total: .seconds(50), clock: clock) { await error(of: manager.events("updates")) }
        }
        try await eventually { clock.sleeps.contains { $0 >= .seconds(3) && $0 < .seconds(4) } }
        clock.advance(by: .seconds(100))

        #expect(await work.value?.code == .timedOut)
        #expect(server.requests.count == 1)
    }

    @Test("Without a timeout, a silent connection is not lost", arguments: TestTransport.allCases)
    func noTimeout(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        let gate = LoopbackServer.Gate()
        server.route("/held", response("data: a\n\n", .wait(gate), .text("data: b\n\n")))
        var events = 0
        for try await _ in manager.get("held").events(idleTimeout: nil) {
            events += 1
            gate.open()
        }
        #expect(events == 2)
    }

    @Test("An event without an end is an error", arguments: TestTransport.allCases)
    func tooLarge(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        server.route(
            "/updates",
            .stream(
                [.text("data: "), .repeated([.bytes(Data(repeating: 0x78, count: 1 << 16))])],
                contentType: "text/event-stream",
                framing: .chunked
            )
        )

        let error = await error(of: manager.events("updates"))

        #expect(error?.code == .contentTooLarge && error?.statusCode == 200 && error?.request != nil)
        try await manager.finishAll()
        #expect(clock.sleeps.isEmpty)
    }

    @Test("The server waits while a consumer pauses, and no event is lost", arguments: TestTransport.allCases)
    func backPressure(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        // .foundation cannot make the server wait: what it buffers has to stay below 16 MiB.
        let padding = String(repeating: "x", count: transport != .foundation ? 4000 : 400)
        let count = 10_000
        let steps = (0..<count).map { LoopbackServer.Response.Step.text("id: \($0)\ndata: \(padding)\n\n") }
        server.route("/much", .stream(steps, contentType: "text/event-stream", framing: .chunked))
        let task = manager.get("much")
        var (next, consumed, most): (Int, Int64, Int64) = (0, 0, 0)

        for try await event in task.events {
            #expect(event.id == String(next) && event.data.utf8.count == padding.utf8.count)
            next += 1
            consumed += Int64(event.data.utf8.count + event.id.utf8.count + 12)
            if next % 2500 == 100 {
                let consumed = consumed
                try await eventually { task.downloadProgress.completedUnitCount - consumed > 1 << 19 }
            }
            if next % 100 == 0 { await Task.yield() }
            most = max(most, task.downloadProgress.completedUnitCount - consumed)
        }

        #expect(next == count)
        if transport != .foundation { #expect(most > 0 && most < 4 << 20, "\(most) bytes were buffered") }
        try await manager.finishAll()
    }
}
