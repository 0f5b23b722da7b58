#if canImport(FoundationNetworking)
import LarkspurTesting
import Synchronization
import Testing

@testable import LarkspurTransport

/// Machines that have no thread or no descriptor left for a session.
@Suite("The thread of a session", .timeLimit(.minutes(5)))
struct LoopThreadTests {
    /// A maker of threads that a test can keep from making any.
    final class Maker: Sendable {
        private let failure: Mutex<Int32>
        let attempts = Atomic(0)

        init(failure: Int32) { self.failure = Mutex(failure) }

        func succeed() { failure.withLock { $0 = 0 } }

        var thread: LoopThread {
            LoopThread { [self] action in
                attempts.add(1, ordering: .relaxed)
                let failure = failure.withLock { $0 }
                return failure == 0 ? LoopThread.system.start(action) : failure
            }
        }
    }

    enum Place: CaseIterable, Sendable {
        case ownQueue, callersQueue, loop
    }

    private func makeSession(_ log: DelegateLog?, _ place: Place, _ maker: Maker) -> CurlURLSession {
        CurlURLSession(
            .ephemeral,
            delegate: log,
            queue: place == .ownQueue ? nil : OperationQueue(),
            options: CurlURLSession.Options(),
            callsDelegateOnLoop: place == .loop,
            thread: maker.thread
        )
    }

    @Test("The thread has its name in the list of the process")
    func name() async throws {
        let names = Recorder<String>()
        let failure = LoopThread.system.start {
            names.record((try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? "")
        }
        #expect(failure == 0)
        #expect(try await names.first() == "larkspur.loop\n")
    }

    @Test(
        "If no thread can be created, tasks of every kind end with an error, and later tasks succeed",
        arguments: Place.allCases
    )
    func noThread(place: Place) async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        let log = DelegateLog()
        let maker = Maker(failure: EAGAIN)
        let session = makeSession(log, place, maker)
        let url = server.url("/get")
        let tasks: [URLSessionTask] = [
            session.dataTask(with: url), session.downloadTask(with: url),
            session.uploadTask(with: URLRequest(url, "POST"), from: Data(count: 10)),
            session.uploadTask(withStreamedRequest: URLRequest(url, "POST")),
        ]
        for task in tasks { task.resume() }
        try await log.ends.wait(for: tasks.count)
        for task in tasks {
            #expect((task.error as? URLError)?.code == .resourceUnavailable)
            #expect(task.error?.localizedDescription.contains("Resource temporarily unavailable") == true)
            #expect(task.state == .completed)
        }
        let handled = try await session.outcome(of: url)
        #expect(handled.code == .resourceUnavailable)
        await #expect(throws: URLError.self) { try await session.data(from: url) }
        // Cancellation and suspension need no thread either.
        let cancelled = session.dataTask(with: url)
        cancelled.cancel()
        let download = session.downloadTask(with: url)
        download.cancel { #expect($0 == nil) }
        try await log.ends.wait(for: tasks.count + 2)
        #expect((cancelled.error as? URLError)?.code == .cancelled)
        #expect(server.requests.isEmpty)
        #expect(maker.attempts.load(ordering: .relaxed) > 0)

        maker.succeed()
        #expect(try await session.outcome(of: url).status == 200)
        session.finishTasksAndInvalidate()
        try await eventually(1) { log.invalidations }
        #expect(Set(log.ends.values).count == log.ends.values.count)
    }

    @Test("A session without a thread can be invalidated, and then ends", arguments: Place.allCases, [true, false])
    func invalidation(place: Place, isCancelling: Bool) async throws {
        let log = DelegateLog()
        let maker = Maker(failure: EAGAIN)
        weak var released: CurlURLSession?
        do {
            let session = makeSession(log, place, maker)
            released = session
            let task = session.dataTask(with: try #require(URL(string: "http://127.0.0.1:1/")))
            task.resume()
            if isCancelling { session.invalidateAndCancel() } else { session.finishTasksAndInvalidate() }
            try await log.ends.wait()
            try await eventually(1) { log.invalidations }
        }
        try await eventually { released == nil }
        #expect(log.ends.values.count == 1)
    }

    @Test("A thousand tasks from ten threads each end once, whether threads can be created or not")
    func storm() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        let log = DelegateLog()
        let maker = Maker(failure: EAGAIN)
        let session = makeSession(log, .ownQueue, maker)
        let url = server.url("/status/204")
        await withTaskGroup { group in
            for round in 0..<10 {
                group.addTask {
                    for index in 0..<100 {
                        let task = session.dataTask(with: url)
                        task.resume()
                        if index % 10 == 9 { task.cancel() }
                        if round == 5, index == 50 { maker.succeed() }
                    }
                }
            }
        }
        try await log.ends.wait(for: 1000)
        #expect(Set(log.ends.values).count == 1000)
        #expect(try await session.outcome(of: url).status == 204)
        session.finishTasksAndInvalidate()
        try await eventually(1) { log.invalidations }
        #expect(log.ends.values.count == 1000)
    }

    @Test("A thread without memory for its stack is an error, and runs nothing")
    func noMemory() async {
        await #expect(processExitsWith: .success) {
            let statm = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
            let pages = try #require(statm.split(separator: " ").first.flatMap { UInt($0) })
            // What there is, and half of a stack.
            var limit = rlimit(rlim_cur: pages * UInt(getpagesize()) + 1 << 19, rlim_max: rlim_t.max)
            try #require(setrlimit(__rlimit_resource_t(9), &limit) == 0)
            var failure: Int32 = 0
            // The system may have stacks left from threads that have ended.
            for _ in 0..<64 where failure == 0 { failure = LoopThread.system.start { pause() } }
            limit.rlim_cur = .max
            setrlimit(__rlimit_resource_t(9), &limit)
            try #require(failure == EAGAIN || failure == ENOMEM)
        }
    }

    @Test("A session that begins without a free descriptor fails its tasks with the reason, and later works")
    func noDescriptors() async {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer()
            let url = server.url("/get")
            // What is opened once in a process; kept, so that its descriptors do not become free.
            let earlier = CurlURLSession(configuration: .testing)
            _ = try await earlier.outcome(of: url)
            // So low that hardly any number becomes free again: what has these was opened before.
            let end = try endOfDescriptors() + 128
            var limit = rlimit(rlim_cur: 8, rlim_max: end)
            try #require(setrlimit(__rlimit_resource_t(7), &limit) == 0)
            // All are kept: libcurl 8.16 needs a single descriptor for a session, which one that ends would leave to
            // the next.
            var sessions = [earlier]
            var session = earlier
            var outcome = Outcome()
            for _ in 0..<20 where outcome.code != .resourceUnavailable {
                while open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0 {}
                session = CurlURLSession(configuration: .testing)
                sessions.append(session)
                outcome = try await session.outcome(of: URLRequest(url, "GET", timeout: 5))
            }
            try #require(outcome.code == .resourceUnavailable)
            try #require(outcome.error?.localizedDescription.contains("descriptors") == true)
            try #require(try await session.outcome(of: url).code == .resourceUnavailable)
            limit.rlim_cur = end
            try #require(setrlimit(__rlimit_resource_t(7), &limit) == 0)
            for _ in 0..<3 { try #require(try await session.outcome(of: url).status == 200) }
            withExtendedLifetime(sessions) {}
        }
    }
}
#endif
