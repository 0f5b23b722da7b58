#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import Testing

@testable import LarkspurTransport

/// A loop that runs on the thread of the test, until it has done what was posted before. No request needs the network:
/// each asks the cache of a session that has none.
@Suite("EventLoop", .timeLimit(.minutes(2)))
struct EventLoopTests {
    private let engine: TestEngine

    init() {
        engine = TestEngine(
            .testing {
                $0.requestCachePolicy = .returnCacheDataDontLoad
                $0.urlCache = nil
                $0.timeoutIntervalForResource = 60
            }
        )
    }

    private func makeLoop(failing failure: LoopFailure? = nil) throws -> EventLoop {
        EventLoop(
            mailbox: engine.session.loop,
            settings: engine.settings,
            poll: try failure.map { .failure($0) } ?? .success(EventPoll())
        )
    }

    /// A task that records its name and the code of its error.
    private func makeTask(_ name: String, _ ends: Recorder<String>, kind: TaskCore.Kind = .data) throws -> TaskCore {
        try engine.makeTask(
            kind,
            completion: .data { _, _, error in
                ends.record("\(name) \((error as? URLError)?.code.rawValue ?? 0)")
            }
        )
    }

    /// Runs a loop until all that was posted is done.
    private func run(_ loop: EventLoop) {
        engine.session.loop.end()
        #expect(loop.run())
        #expect(!engine.session.loop.isRunning)
    }

    private static let notInCache = URLError.Code.resourceUnavailable.rawValue
    private static let cancelled = URLError.Code.cancelled.rawValue
    private static let timedOut = URLError.Code.timedOut.rawValue

    // MARK: Commands

    @Test("Commands are performed in the order in which they were posted")
    func order() throws {
        let order = Recorder<Int>()
        for number in 0..<100 { engine.session.loop.post(.run { order.record(number) }) }
        run(try makeLoop())
        #expect(order.values == Array(0..<100))
    }

    @Test("Commands that a command posts are performed after all that were posted before them")
    func nestedCommands() throws {
        let order = Recorder<String>()
        let mailbox = engine.session.loop
        mailbox.post(
            .run {
                order.record("first")
                mailbox.post(.run { order.record("nested") })
            }
        )
        mailbox.post(.run { order.record("second") })
        run(try makeLoop())
        #expect(order.values == ["first", "second", "nested"])
    }

    @Test("Events are delivered in the turn of their commands, after the commands")
    func events() throws {
        let order = Recorder<String>()
        engine.session.loop.post(.deliver([.action { order.record("event") }]))
        engine.session.loop.post(.run { order.record("command") })
        run(try makeLoop())
        #expect(order.values == ["command", "event"])
    }

    // MARK: Tasks

    @Test("A task that is resumed begins and ends once, however often it is controlled")
    func beginning() throws {
        let ends = Recorder<String>()
        let task = try makeTask("task", ends)
        for control in [task.resume, task.suspend, task.resume, task.suspend, task.resume] { control() }
        run(try makeLoop())
        #expect(ends.values == ["task \(Self.notInCache)"])
    }

    @Test("Tasks begin in the order in which they were resumed")
    func beginnings() throws {
        let ends = Recorder<String>()
        for number in 0..<5 { try makeTask("\(number)", ends).resume() }
        run(try makeLoop())
        #expect(ends.values == (0..<5).map { "\($0) \(Self.notInCache)" })
    }

    @Test("A task that is cancelled before it has begun ends without beginning", arguments: [true, false])
    func cancellation(isResumed: Bool) throws {
        let ends = Recorder<String>()
        let task = try makeTask("task", ends)
        if isResumed {
            task.resume()
            task.suspend()
        }
        task.cancel()
        run(try makeLoop())
        #expect(ends.values == ["task \(Self.cancelled)"])
    }

    @Test("The loop keeps a suspended task alive until the task is cancelled")
    func suspendedTask() throws {
        let ends = Recorder<String>()
        let task = try makeTask("task", ends)
        task.resume()
        task.suspend()
        let mailbox = engine.session.loop
        // Two turns later, when the loop has taken it up.
        mailbox.post(.run { mailbox.post(.run { task.cancel() }) })
        run(try makeLoop())
        #expect(ends.values == ["task \(Self.cancelled)"])
    }

    @Test("A resumable cancellation of a download that never began leaves its resume data")
    func resumableCancellation() throws {
        let handled = Recorder<Data?>()
        let errors = Recorder<(any Error)?>()
        let resumption = ResumeData(
            url: try #require(URL(string: "http://origin.test/file")),
            fields: [:],
            validator: .entityTag("\"a\""),
            file: "/tmp/\(DownloadFile.prefix)\(UUID().uuidString).tmp",
            total: 100,
            received: 40,
            date: Date()
        )
        let task = try engine.makeTask(
            .download,
            completion: .download { _, _, error in errors.record(error) },
            resumption: resumption
        )
        task.cancel(leavingResumeDataFor: Transferring { handled.record($0) })
        run(try makeLoop())
        #expect(handled.values.count == 1)
        let data = try #require(handled.values.first ?? nil)
        #expect(ResumeData(data)?.received == 40)
        let error = try #require(errors.values.first as? URLError)
        #expect(error.code == .cancelled)
        #expect(error.downloadTaskResumeData == data)
    }

    @Test("An order to a WebSocket without a connection fails")
    func webSocketOrder() throws {
        let results = Recorder<Bool>()
        let task = try engine.makeTask()
        let answer: WebSocketChannel.Completion = { result in
            if case .failure = result { results.record(false) } else { results.record(true) }
        }
        engine.session.loop.post(.webSocket(task, .ping(answer)))
        run(try makeLoop())
        #expect(results.values == [false])
    }

    // MARK: Deadlines

    @Test("Tasks that exceed their time before they begin end in the order of their deadlines")
    func expiry() throws {
        let ends = Recorder<String>()
        let now = LoopTime.now
        for (name, age) in [("second", 200), ("third", 100), ("first", 300)] as [(String, TimeInterval)] {
            let task = try makeTask(name, ends)
            task.withStorage { storage in
                _ = storage.course.resume(at: now.subtracting(age))
                _ = storage.course.suspend()
            }
            engine.session.loop.post(.suspend(task))
        }
        run(try makeLoop())
        #expect(ends.values == ["first", "second", "third"].map { "\($0) \(Self.timedOut)" })
    }

    @Test("Tasks begin at their earliest begin dates, whatever the order in which they were resumed")
    func beginDates() throws {
        let ends = Recorder<String>()
        let start = Date()
        for (name, delay) in [("second", 0.1), ("third", 0.2), ("first", 0)] {
            let task = try makeTask(name, ends)
            task.withStorage { $0.course.earliestBeginDate = start + delay }
            task.resume()
        }
        run(try makeLoop())
        #expect(ends.values == ["first", "second", "third"].map { "\($0) \(Self.notInCache)" })
    }

    // MARK: Jobs

    @Test("The jobs of Swift tasks run on the loop's thread, after the events of the turn")
    func jobs() throws {
        let order = Recorder<String>()
        let threads = Recorder<pthread_t>()
        _ = Task(executorPreference: engine.session.executor) {
            order.record("job")
            threads.record(pthread_self())
        }
        engine.session.loop.post(.deliver([.action { order.record("event") }]))
        engine.session.loop.post(.run { threads.record(pthread_self()) })
        run(try makeLoop())
        #expect(order.values == ["event", "job"])
        #expect(threads.values.count == 2 && Set(threads.values).count == 1)
    }

    @Test("The loop ends after all jobs, including those that jobs add")
    func laterJobs() throws {
        let order = Recorder<Int>()
        let executor = engine.session.executor
        _ = Task(executorPreference: executor) {
            order.record(1)
            await Task.yield()
            order.record(2)
            _ = Task(executorPreference: executor) { order.record(3) }
        }
        run(try makeLoop())
        #expect(order.values == [1, 2, 3])
    }

    // MARK: The end

    @Test("A loop whose session is over ends with its last command")
    func sessionIsOver() throws {
        engine.session.loop.finish()
        let order = Recorder<Int>()
        let mailbox = engine.session.loop
        mailbox.post(.run { mailbox.post(.run { order.record(1) }) })
        #expect(try makeLoop().run())
        #expect(order.values == [1])
    }

    @Test("The loop ends with the last task of an invalid session")
    func invalidation() throws {
        let ends = Recorder<String>()
        let log = DelegateLog()
        let engine = TestEngine(
            .testing {
                $0.requestCachePolicy = .returnCacheDataDontLoad
                $0.urlCache = nil
            },
            delegate: log
        )
        let object = InertSession()
        engine.session.attach(object)
        let task = try engine.makeTask(completion: .data { _, _, _ in ends.record("end") })
        task.resume()
        engine.session.invalidate(cancelingTasks: false)
        let loop = EventLoop(
            mailbox: engine.session.loop,
            settings: engine.settings,
            poll: .success(try EventPoll())
        )
        #expect(loop.run())
        #expect(ends.values == ["end"])
        #expect(log.invalidations == 1)
    }

    // MARK: Failures

    @Test(
        "A loop without resources ends every task with the reason, and then ends itself",
        arguments: [LoopFailure.noWakeup, .noHandle, .noThread(EAGAIN)]
    )
    func failure(_ failure: LoopFailure) throws {
        let ends = Recorder<String>()
        for number in 0..<3 { try makeTask("\(number)", ends).resume() }
        #expect(try makeLoop(failing: failure).run())
        #expect(ends.values == (0..<3).map { "\($0) \(URLError.Code.resourceUnavailable.rawValue)" })
    }

    @Test("Commands that arrive after a loop's failure are left to the next loop")
    func commandsAfterFailure() throws {
        let ends = Recorder<String>()
        let (first, second) = (Recorder<Void>(), try makeTask("second", ends))
        let task = try engine.makeTask(
            completion: .data { _, _, _ in
                first.record(())
                second.resume()
            }
        )
        task.resume()
        #expect(try !makeLoop(failing: .noWakeup).run())
        #expect(first.values.count == 1 && ends.values == [])
        run(try makeLoop())
        #expect(ends.values == ["second \(Self.notInCache)"])
    }

    @Test("Jobs of a loop without resources run elsewhere")
    func jobsAfterFailure() async throws {
        let thread = Recorder<Void>()
        let task = Task(executorPreference: engine.session.executor) { thread.record(()) }
        let loop = try makeLoop(failing: .noWakeup)
        #expect(loop.run())
        await task.value
        #expect(thread.values.count == 1)
    }
}
#endif
