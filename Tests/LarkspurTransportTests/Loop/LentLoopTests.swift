#if canImport(FoundationNetworking)
import LarkspurTesting
import Synchronization
import Testing

@testable import LarkspurTransport

@Suite("A loop that is lent to other threads", .timeLimit(.minutes(2)))
struct LentLoopTests {
    /// A mailbox whose thread records what it does, and lends a loop that does as a test says.
    private final class Lender: Sendable {
        let events = Recorder<String>()
        let session: SessionCore

        init(_ start: @escaping @Sendable (TaskCore) -> LoopTime?) {
            let events = events
            let loop = LentLoop(start: start)
            session = SessionCore(
                settings: SessionSettings(.testing, options: EngineOptions()),
                delegate: nil,
                place: .loop,
                unavailability: nil,
                thread: .system
            ) { mailbox, poll in
                guard let poll = try? poll.get() else { return true }
                var commands: [LoopMailbox.Command] = []
                while true {
                    mailbox.takeCommands(&commands)
                    var hasEnded = false
                    for command in commands {
                        if case .resume = command { events.record("resume") }
                        if case .end = command { hasEnded = true }
                    }
                    commands.removeAll()
                    if hasEnded, mailbox.endThread() { return true }
                    mailbox.wait(poll, milliseconds: 60_000, until: LoopTime.now.adding(60), lending: loop)
                    events.record("awake")
                }
            }
            session.loop.post(.snapshot { _ in })
        }

        func resume() async throws {
            try await eventually { self.session.loop.isLendable }
            session.loop.post(.resume(try makeTask()))
        }

        func makeTask() throws -> TaskCore {
            session.makeTask(
                kind: .data,
                request: URLRequest(url: try #require(URL(string: "http://origin.test/"))),
                body: .none,
                completion: nil
            )
        }

        /// The records of the thread, once it has ended.
        func end() async throws -> [String] {
            session.loop.end()
            try await eventually { !self.session.loop.isRunning }
            return events.values
        }
    }

    @Test("The thread that resumes a task starts it, and the loop's thread is not woken")
    func started() async throws {
        let threads = Recorder<Bool>()
        let caller = Mutex(pthread_t())
        let lender = Lender { _ in
            threads.record(caller.withLock { pthread_equal($0, pthread_self()) != 0 })
            return LoopTime.now.adding(70)
        }
        try await eventually { lender.session.loop.isLendable }
        let task = try lender.makeTask()
        caller.withLock { $0 = pthread_self() }
        lender.session.loop.post(.resume(task))
        #expect(threads.values == [true])
        // The loop is not idle any more.
        #expect(!lender.session.loop.isLendable)
        #expect(try await lender.end() == ["awake"])
    }

    @Test("A task that another thread cannot start is started by the loop's thread")
    func refused() async throws {
        let lender = Lender { _ in nil }
        try await lender.resume()
        try await lender.events.wait(for: 2)
        #expect(lender.events.values == ["awake", "resume"])
        #expect(try await lender.end() == ["awake", "resume", "awake"])
    }

    @Test(
        "The loop's thread is woken for an earlier time, and for commands that are posted meanwhile",
        arguments: [true, false]
    )
    func woken(byCommand: Bool) async throws {
        let loop = Mutex<LoopMailbox?>(nil)
        let lender = Lender { task in
            guard byCommand else { return LoopTime.now.adding(1) }
            loop.withLock { $0 }?.post(.resume(task))
            return LoopTime.now.adding(70)
        }
        loop.withLock { $0 = lender.session.loop }
        try await lender.resume()
        let expected = byCommand ? ["awake", "resume"] : ["awake"]
        try await lender.events.wait(for: expected.count)
        #expect(lender.events.values == expected)
        _ = try await lender.end()
    }

    @Test("The loop's thread waits until a lent loop is returned, whatever wakes the thread")
    func exclusion() async throws {
        let isLent = Atomic(false)
        let problems = Recorder<String>()
        let loop = Mutex<LoopMailbox?>(nil)
        let lender = Lender { task in
            isLent.store(true, ordering: .sequentiallyConsistent)
            // Wakes nobody, as the loop is lent.
            loop.withLock { $0 }?.post(
                .run { if isLent.load(ordering: .sequentiallyConsistent) { problems.record("run") } }
            )
            for _ in 0..<20 { sched_yield() }
            isLent.store(false, ordering: .sequentiallyConsistent)
            return LoopTime.now
        }
        loop.withLock { $0 = lender.session.loop }
        for _ in 0..<200 { try await lender.resume() }
        _ = try await lender.end()
        #expect(problems.values == [])
    }

    // MARK: Sessions

    @Test("The thread that resumes a task sends its request on a reused connection")
    func sent() async throws {
        let mayRespond = DispatchSemaphore(value: 0)
        let server = try RawServer { connection in
            while !connection.readHead().isEmpty {
                mayRespond.wait()
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
        }
        let session = CurlURLSession(configuration: .testing)
        defer { session.invalidateAndCancel() }
        for number in 0..<20 {
            let outcomes = Recorder<Outcome>()
            let task = session.dataTask(with: server.url) {
                outcomes.record(Outcome(data: $0, response: $1, error: $2))
            }
            if number > 0 { try await eventually { session.core.loop.isLendable } }
            task.resume()
            // With a task under way, no other thread starts another one.
            #expect(!session.core.loop.isLendable)
            mayRespond.signal()
            #expect(try await outcomes.first().text == "ok")
        }
    }

    @Test("A session whose thread could run code of the program does not lend its loop")
    func settings() {
        final class OwnCache: URLCache, @unchecked Sendable {}  // Safe: it adds no state.
        func mayLend(_ change: (URLSessionConfiguration, inout EngineOptions) -> Void) -> Bool {
            var options = EngineOptions()
            let configuration = URLSessionConfiguration.default
            change(configuration, &options)
            return SessionSettings(configuration, options: options).mayLendLoop
        }
        #expect(mayLend { _, _ in })
        #expect(!mayLend { configuration, _ in configuration.protocolClasses = [StubProtocol.self] })
        #expect(
            !mayLend { configuration, _ in
                configuration.urlCache = OwnCache(memoryCapacity: 1, diskCapacity: 0, diskPath: nil)
            }
        )
    }
}
#endif
