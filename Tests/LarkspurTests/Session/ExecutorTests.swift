import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("The executor of a session manager", .timeLimit(.minutes(5)))
struct ExecutorTests {
    private static var thread: String { (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? "" }

    @Test("Calls that are awaited on the executor return on it, for any content and any listeners")
    func calls() async throws {
        let server = try LoopbackServer()
        server.route("/number", .json("7"))
        let manager = SessionManager(baseURL: server.baseURL, configuration: .testing)
        for interest in [NotificationInterest(), .shared] {
            manager.interest = interest
            try await withTaskExecutorPreference(manager.executor) {
                #expect(try await manager.get("number").data == Data("7".utf8))
                #expect(try await manager.get("number").value(as: Int.self) == 7)
                #expect(try await manager.get("bytes/100000").data.count == 100_000)
                #expect(try await manager.get("number").downloadProgress { _ in }.string == "7")
                #expect(await manager.get("status/500").response().error?.statusCode == 500)
                var count = 0
                for try await chunk in manager.get("bytes/100000").chunks { count += chunk.count }
                #expect(count == 100_000)
                let file = try await manager.download("bytes/100000", to: nil).file
                try FileManager.default.removeItem(at: file)
                #expect(Self.thread == "larkspur.loop\n")
            }
        }
        try await manager.finishAll()
    }

    @Test("After a reset there is another executor, and tasks on the earlier executor still succeed")
    func reset() async throws {
        let server = try LoopbackServer()
        let manager = SessionManager(baseURL: server.baseURL, configuration: .testing)
        let first = try #require(manager.executor)
        #expect(manager.executor === first)
        try await withTaskExecutorPreference(first) { () async throws in
            manager.invalidate(cancelingTasks: true, resettingSession: true)
            #expect(try await manager.get("get").data.isEmpty == false)
            #expect(Self.thread == "larkspur.loop\n")
        }
        #expect(manager.executor !== first)
        manager.invalidate(cancelingTasks: true)
        #expect(
            await withTaskExecutorPreference(first) { await manager.get("get").response().error?.code }
                == .sessionInvalidated
        )
    }

    @Test("A transport without its own thread has no executor")
    func none() {
        #expect(SessionManager(transport: .foundation).executor == nil)
        #expect(SessionManager.stubbed().executor == nil)
    }
}
