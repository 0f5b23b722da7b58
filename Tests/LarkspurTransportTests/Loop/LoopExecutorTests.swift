#if canImport(FoundationNetworking)
import LarkspurTesting
import Synchronization
import Testing

@testable import LarkspurTransport

/// The thread of a session as the executor of Swift tasks.
@Suite("The executor of a session", .timeLimit(.minutes(5)))
struct LoopExecutorTests {
    private actor Counter {
        private(set) var count = 0
        private(set) var threads: Set<String> = []

        func add() {
            count += 1
            threads.insert(LoopExecutorTests.thread)
        }
    }

    private struct Tree: Codable {
        var children: [Tree] = []
    }

    /// The name of the current thread.
    static var thread: String { (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? "" }

    private static let loop = "larkspur.loop\n"

    @Test("The executor is one object, and runs tasks on the session's thread, also after suspensions")
    func thread() async throws {
        let server = try LoopbackServer()
        let session = CurlURLSession(configuration: .testing)
        #expect(session.executor === session.executor)
        try await withTaskExecutorPreference(session.executor) {
            #expect(Self.thread == Self.loop)
            for _ in 0..<10 {
                let (data, _) = try await session.data(from: server.url("/get"))
                #expect(!data.isEmpty)
                #expect(Self.thread == Self.loop)
            }
            await Task.yield()
            #expect(Self.thread == Self.loop)
        }
        #expect(Self.thread != Self.loop)
        let child = Task(executorPreference: session.executor) { Self.thread }
        #expect(await child.value == Self.loop)
        session.invalidateAndCancel()
    }

    @Test("An actor without its own executor runs on the session's thread")
    func actors() async {
        let session = CurlURLSession(configuration: .testing)
        let counter = Counter()
        await withTaskExecutorPreference(session.executor) {
            await withDiscardingTaskGroup { group in
                for _ in 0..<100 { group.addTask { await counter.add() } }
            }
        }
        #expect(await counter.count == 100)
        #expect(await counter.threads == [Self.loop])
        session.invalidateAndCancel()
    }

    @Test("Tasks run after the session's invalidation and release, and its thread ends")
    func invalidated() async throws {
        var session: CurlURLSession? = CurlURLSession(configuration: .testing)
        let core = try #require(session?.core)
        let executor = core.executor
        let before = Task(executorPreference: executor) { await Task.yield() }
        session?.finishTasksAndInvalidate()
        await before.value
        #expect(await Task(executorPreference: executor) { Self.thread }.value == Self.loop)
        try await eventually { !core.loop.isRunning }
        session = nil
        #expect(await Task(executorPreference: executor) { Self.thread }.value == Self.loop)
        try await eventually { !core.loop.isRunning }
    }

    @Test("If no thread can be created, tasks run on the global executor, and never in the call that queues them")
    func noThread() async throws {
        let maker = LoopThreadTests.Maker(failure: EAGAIN)
        let session = CurlURLSession(
            .ephemeral,
            delegate: nil,
            queue: nil,
            options: CurlURLSession.Options(),
            callsDelegateOnLoop: false,
            thread: maker.thread
        )
        let isQueueing = Atomic(true)
        let task = Task(executorPreference: session.executor) {
            // A task that ran in the call would wait for ever.
            while isQueueing.load(ordering: .acquiring) { await Task.yield() }
            return Self.thread
        }
        isQueueing.store(false, ordering: .releasing)
        #expect(await task.value != Self.loop)
        #expect(maker.attempts.load(ordering: .relaxed) > 0)
        maker.succeed()
        #expect(await Task(executorPreference: session.executor) { Self.thread }.value == Self.loop)
    }

    @Test("A Swift task that takes longer than a timeout does not time out a transfer whose bytes have arrived")
    func longTask() async throws {
        let server = try LoopbackServer()
        server.route("/small", .text("content"))
        let session = CurlURLSession(configuration: .testing)
        _ = try await session.data(from: server.url("/small"))
        let timeout = 3.0
        let request = URLRequest(url: server.url("/small"), timeoutInterval: timeout)
        let ends = Recorder<(any Error)?>()
        await withTaskExecutorPreference(session.executor) {
            session.dataTask(with: request) { _, _, error in ends.record(error) }.resume()
            while server.requests(to: "/small").count < 2 { await Task.yield() }
            // The server answers while the thread is busy.
            usleep(UInt32(1_000_000 * (timeout + 0.5)))
        }
        #expect(try await ends.first() == nil)
    }

    // Counted and not timed: a job of 10 ms makes a transfer 10 ms late, and no more.
    @Test("However many Swift tasks wait, bytes that have arrived are delivered after one of them")
    func lateness() async throws {
        let asked = Recorder<Void>()
        let answered = DispatchSemaphore(value: 0)
        let server = try RawServer { connection in
            connection.readHead()
            asked.record(())
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]")
            answered.signal()
        }
        defer { server.stop() }
        let session = CurlURLSession(
            .testing { $0.urlCache = nil },
            delegate: nil,
            queue: nil,
            options: CurlURLSession.Options(),
            callsDelegateOnLoop: true
        )
        let (jobs, jobsBefore) = (Recorder<Void>(), Recorder<Int>())
        @Sendable func awaitAnswer() { answered.wait() }
        @Sendable func work() {
            let end = ContinuousClock.now + .milliseconds(2)
            while ContinuousClock.now < end {}
            jobs.record(())
        }
        try await withTaskExecutorPreference(session.executor) {
            session.dataTask(with: server.url) { _, _, _ in jobsBefore.record(jobs.values.count) }.resume()
            try await asked.wait()
            await withDiscardingTaskGroup { group in
                for _ in 0..<50 { group.addTask { work() } }
                awaitAnswer()
            }
        }
        #expect(jobs.values.count == 50)
        #expect(try await jobsBefore.first() <= 1)
    }

    @Test("Deeply nested JSON is decoded on the session's thread, with a recursive type")
    func nesting() async throws {
        let depth = 250
        let text = String(repeating: #"{"children":["#, count: depth) + String(repeating: "]}", count: depth)
        let session = CurlURLSession(configuration: .testing)
        let found = try await withTaskExecutorPreference(session.executor) {
            var tree = try JSONDecoder().decode(Tree.self, from: Data(text.utf8))
            var found = 1
            while let child = tree.children.first { (tree, found) = (child, found + 1) }
            return found
        }
        #expect(found == depth)
    }

    @Test("The elements of a line are taken in order, and released while others wait", arguments: [1, 2, 100])
    func line(waiting: Int) {
        var line = Line<Int>()
        var added = 0
        var taken = 0
        for count in [waiting] + Array(repeating: 3, count: 1_000) {
            for number in added..<(added + count) { line.append(number) }
            added += count
            while added - taken > waiting {
                #expect(line.take() == taken)
                taken += 1
            }
            #expect(line.storedCount <= 2 * waiting + 6)
        }
        while let number = line.take() {
            #expect(number == taken)
            taken += 1
        }
        #expect(taken == added && line.isEmpty)
    }

    @Test("Requests and jobs of many concurrent tasks all end, whatever happens to the session")
    func storm() async throws {
        let server = try LoopbackServer()
        let url = server.url("/status/204")
        for round in 0..<20 {
            let session = CurlURLSession(configuration: .testing)
            let ends = Recorder<Int>()
            await withDiscardingTaskGroup { group in
                for number in 0..<20 {
                    group.addTask(executorPreference: session.executor) {
                        for _ in 0..<3 {
                            _ = try? await session.data(from: url)
                            await Task.yield()
                        }
                        ends.record(number)
                        if number == round { session.invalidateAndCancel() }
                    }
                }
            }
            #expect(Set(ends.values).count == 20)
            session.invalidateAndCancel()
            try await eventually { !session.core.loop.isRunning }
        }
    }
}
#endif
