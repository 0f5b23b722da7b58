import Foundation
import LarkspurTesting
import TestSupport
import Testing

@testable import Larkspur

@Suite("The limit of the time of attempts", .timeLimit(.minutes(5)))
struct TimeLimitTests {
    let server: LoopbackServer
    let clock = TestClock()
    let gate = LoopbackServer.Gate()

    init() throws {
        server = try LoopbackServer()
        server.route("/held", .text("late").held(until: gate))
        server.route("/slow", .stream([.bytes(Data("a".utf8)), .wait(gate)], framing: .chunked))
        server.route("/text", .text("text"))
    }

    private func manager(_ transport: TestTransport) -> SessionManager {
        let manager = transport.makeManager(for: server)
        manager.clock = clock
        return manager
    }

    @Test("An attempt that takes too long is followed by another attempt", arguments: TestTransport.allCases)
    func retry(_ transport: TestTransport) async throws {
        server.route("/x", .text("late").held(until: gate), .text("done"))
        let manager = manager(transport)
        manager.timeouts = Timeouts(total: .seconds(60), attempt: .seconds(10))
        manager.interceptors.call = [.retry(baseDelay: .zero)]

        let task = manager.get("x")
        async let response = task.response(as: .string)
        try await server.waitForRequests(1)
        // The limits of the call and of the attempt.
        try await clock.waitForSleepers(2)
        clock.advance(by: .seconds(10))
        #expect(await response.value == "done")
        #expect(server.requests.count == 2)
        gate.open()
        try await manager.finishAll()
        #expect(manager.tasks.isEmpty)
    }

    @Test("Without interceptors, the limit of an attempt ends the call", arguments: TestTransport.allCases)
    func alone(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        let task = manager.get("held").timeout(attempt: .seconds(10))
        let events = Recorder<String>()
        task.observe([.limitReached]) { events.record($0.description) }
        async let response = task.response()
        try await server.waitForRequests(1)
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(10))
        let error = try #require(await response.error)
        #expect(error.code == .timedOut && error.message == "The attempt took longer than 10.0 seconds.")
        #expect(events.values == ["limitReached, attemptTime, because the attempt took longer than 10.0 seconds"])
        gate.open()
        try await manager.finishAll()
    }

    @Test("For collected content, the limit includes the content", arguments: TestTransport.allCases)
    func content(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        let task = manager.get("slow").timeout(attempt: .seconds(10))
        async let response = task.response()
        try await eventually { task.response != nil }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(10))
        #expect(await response.error?.code == .timedOut)
        gate.open()
        try await manager.finishAll()
    }

    @Test(
        "For a stream and a download, the limit ends with the head of the response",
        arguments: TestTransport.allCases
    )
    func head(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        manager.timeouts.attempt = .seconds(10)

        var chunks = manager.get("slow").chunks.makeAsyncIterator()
        #expect(try await chunks.next() == Data("a".utf8))
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(10))
        try await eventually { clock.sleeperCount == 0 }
        // Foundation reports the head of a download at its end.
        let task = transport == .curl ? manager.download("slow") : nil
        async let file = task?.response()
        if let task {
            try await eventually { task.response != nil }
            try await clock.waitForSleepers(1)
            clock.advance(by: .seconds(10))
            try await eventually { clock.sleeperCount == 0 }
        }
        gate.open()

        #expect(try await chunks.next() == nil)
        #expect(await file?.error == nil)
        let held = LoopbackServer.Gate()
        server.route("/silent", .text("late").held(until: held))
        let silent = Task { for try await _ in manager.get("silent").chunks {} }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(10))
        await #expect(throws: LarkspurError.self) { try await silent.value }
        held.open()
        try await manager.finishAll()
    }

    @Test("For the upload of a sequence, the limit begins again while content is sent", arguments: [TestTransport.curl])
    func upload(_ transport: TestTransport) async throws {
        server.route("/upload", .text("late").held(until: gate))
        let manager = manager(transport)
        manager.timeouts.attempt = .seconds(10)
        let (parts, source) = AsyncStream<Data>.makeStream()

        let task = manager.upload("upload", from: .sequence(parts))
        async let response = task.response()
        for round in 1...3 {
            source.yield(Data(count: 100))
            try await eventually { task.uploadProgress.completedUnitCount == Int64(round) * 100 }
            // Less than the limit passes between two parts, and more in all.
            for _ in 0..<8 {
                try await clock.waitForSleepers(1)
                clock.advance(by: .seconds(1))
            }
        }
        #expect(task.state == .running)
        source.finish()
        while task.state == .running {
            try await eventually { clock.sleeperCount == 1 || task.state != .running }
            clock.advance(by: .seconds(1))
        }
        #expect(await response.error?.code == .timedOut)
        gate.open()
        try await manager.finishAll()
    }

    @Test("A call that is cancelled ends with the cancellation", arguments: TestTransport.allCases)
    func cancellation(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        let task = manager.get("held").timeout(attempt: .seconds(10))
        async let response = task.response()
        try await server.waitForRequests(1)
        task.cancel()
        #expect(await response.error?.code == .cancelled)
        gate.open()
        try await manager.finishAll()
        #expect(clock.sleeperCount == 0)
    }

    @Test("An interceptor ends an attempt by cancelling its Swift task", arguments: TestTransport.allCases)
    func race(_ transport: TestTransport) async throws {
        let manager = manager(transport)
        let codes = Recorder<LarkspurError.Code?>()
        manager.interceptors.call = [
            .custom { [server] request, context, next in
                let code = await withoutActuallyEscaping(next) { next in
                    await withTaskGroup(of: LarkspurError.Code?.self) { group in
                        group.addTask {
                            do { _ = try await next(request) } catch { return (error as? LarkspurError)?.code }
                            return nil
                        }
                        _ = try? await server.waitForRequests(1)
                        group.cancelAll()
                        return await group.next() ?? nil
                    }
                }
                codes.record(code)
                var other = request
                other.url = server.url("/text")
                return try await next(other)
            }
        ]
        #expect(try await manager.get("held").string == "text")
        #expect(codes.values == [.cancelled])
        gate.open()
        try await manager.finishAll()
    }

    @Test("Calls that share an attempt share it with a limit, too")
    func coalescing() async throws {
        let manager = manager(.curl)
        manager.timeouts.attempt = .seconds(10)
        manager.interceptors.call = [.coalescing()]
        async let first = manager.get("held").string
        try await server.waitForRequests(1)
        let waits = Recorder<Void>()
        async let second = manager.get("held").observe([.coalesced]) { _ in waits.record(()) }.string
        try await waits.first()
        gate.open()
        #expect(try await (first, second) == ("late", "late"))
        #expect(server.requests.count == 1)
    }
}
