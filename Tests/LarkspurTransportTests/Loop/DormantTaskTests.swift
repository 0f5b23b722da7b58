#if canImport(FoundationNetworking)
import LarkspurTesting
import Synchronization
import Testing

@testable import LarkspurTransport

/// Tasks that were resumed, and that the loop has not taken up.
@Suite("Tasks that have not begun", .timeLimit(.minutes(5)))
struct DormantTaskTests {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    /// Keeps the thread from starting until a test lets it.
    private final class Brake: Sendable {
        private let held = Mutex<(@Sendable () -> Void)?>(nil)

        var thread: LoopThread {
            LoopThread { [self] action in
                held.withLock { $0 = action }
                return 0
            }
        }

        func release() throws {
            let action = try #require(held.withLock { $0.take() })
            #expect(LoopThread.system.start(action) == 0)
        }
    }

    private func makeSession(
        _ log: DelegateLog,
        _ configuration: URLSessionConfiguration = .testing,
        thread: LoopThread = .system
    ) -> CurlURLSession {
        CurlURLSession(
            configuration,
            delegate: log,
            queue: nil,
            options: CurlURLSession.Options(),
            callsDelegateOnLoop: false,
            thread: thread
        )
    }

    private func setEarliestBeginDate(_ date: Date?, of task: URLSessionTask) throws {
        // FoundationNetworking deprecates the property because its own tasks do not heed it.
        try #require(task as? any EngineTask).core.withStorage { $0.course.earliestBeginDate = date }
    }

    @Test("A task that is suspended before the loop gets it ends at the resource timeout, and so does its session")
    func suspendedAtOnce() async throws {
        let log = DelegateLog()
        let brake = Brake()
        weak var released: CurlURLSession?
        do {
            let session = makeSession(log, .testing { $0.timeoutIntervalForResource = 0.2 }, thread: brake.thread)
            released = session
            let task = session.dataTask(with: server.url("/get"))
            task.resume()
            task.suspend()
            try brake.release()
            try await log.ends.wait()
            #expect((task.error as? URLError)?.code == .timedOut)
            #expect(task.error?.localizedDescription.contains("0.2 seconds that its session allows") == true)
            session.finishTasksAndInvalidate()
        }
        try await eventually { released == nil }
        #expect(server.requests.isEmpty)
        #expect(log.ends.values.count == 1)
    }

    @Test(
        "A task that is suspended before the loop gets it begins when it is resumed, and can be cancelled",
        arguments: [true, false]
    )
    func goesOn(isResumed: Bool) async throws {
        let log = DelegateLog()
        let brake = Brake()
        let session = makeSession(log, thread: brake.thread)
        let task = session.dataTask(with: server.url("/anything/first"))
        task.resume()
        task.suspend()
        try brake.release()
        // Comes after the suspended one in everything.
        #expect(try await session.outcome(of: server.url("/anything/second")).status == 200)
        #expect(server.requests.map(\.path) == ["/anything/second"])
        if isResumed { task.resume() } else { task.cancel() }
        try await log.ends.wait()
        #expect((task.error as? URLError)?.code == (isResumed ? nil : .cancelled))
        session.finishTasksAndInvalidate()
        try await eventually(1) { log.invalidations }
        #expect(server.requests.count == (isResumed ? 2 : 1))
    }

    @Test("A task with an infinite begin date never begins, and is released after its cancellation")
    func distantFuture() async throws {
        let log = DelegateLog()
        weak var released: CurlURLSession?
        weak var core: TaskCore?
        do {
            let session = makeSession(log)
            released = session
            for date in [Date.distantFuture, Date(timeIntervalSinceReferenceDate: .greatestFiniteMagnitude)] {
                let task = session.dataTask(with: server.url("/anything/never"))
                try setEarliestBeginDate(date, of: task)
                core = try #require(task as? any EngineTask).core
                task.resume()
                #expect(try await session.outcome(of: server.url("/anything/now")).status == 200)
                #expect(task.state == .running)
                task.cancel()
            }
            try await log.ends.wait(for: 2)
            session.finishTasksAndInvalidate()
        }
        try await eventually { released == nil && core == nil }
        #expect(Set(server.requests.map(\.path)) == ["/anything/now"])
    }

    @Test("The resource timeout is measured from the begin date, and a begin date in the past has no effect")
    func beginning() throws {
        let session = makeSession(DelegateLog())
        defer { session.invalidateAndCancel() }
        let now = LoopTime.now
        func makeCore(_ delay: TimeInterval?, isSuspended: Bool = false) throws -> TaskCore {
            let task = session.dataTask(with: server.url("/get"))
            try setEarliestBeginDate(delay.map { Date(timeIntervalSinceNow: $0) }, of: task)
            let core = try #require(task as? any EngineTask).core
            core.withStorage { storage in
                _ = storage.course.resume(at: now)
                if isSuspended { _ = storage.course.suspend() }
            }
            return core
        }
        for delay in [nil, 0, -5, -1e18] as [TimeInterval?] {
            let core = try makeCore(delay)
            #expect(core.begin(at: now) == .now)
            #expect(core.begin(at: now) == .never)
            #expect(core.timerStart(at: now) >= now)
        }
        for isSuspended in [true, false] {
            guard case .later(let dormancy) = try makeCore(100, isSuspended: isSuspended).begin(at: now) else {
                Issue.record("It begins.")
                return
            }
            #expect(dormancy.timerStart > now.adding(90))
            #expect(dormancy.expiry(resourceTimeout: 50) > now.adding(140))
            #expect(
                dormancy.deadline(resourceTimeout: 50)
                    == (isSuspended ? dormancy.timerStart.adding(50) : dormancy.beginning)
            )
        }
        #expect(
            try makeCore(nil, isSuspended: true).begin(at: now) == .later(Dormancy(timerStart: now, beginning: nil))
        )
        let unused = try #require(session.dataTask(with: server.url("/get")) as? any EngineTask).core
        #expect(unused.begin(at: now) == .never)
    }
}
#endif
