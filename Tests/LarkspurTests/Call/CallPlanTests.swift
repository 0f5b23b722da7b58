import Synchronization
import Testing

@testable import Larkspur

@Suite("CallPlan", .timeLimit(.minutes(2)))
struct CallPlanTests {
    /// A launcher that records how calls are launched.
    private final class Launcher: CallLauncher {
        let launches = Recorder<(timeouts: Timeouts, isCancelled: Bool, stream: ResponseStream?)>()

        func launch(_ task: SessionTask, _ start: CallStart) {
            launches.record((start.options.timeouts, start.isCancelled, start.stream))
        }
    }

    private let lone = LoneTask()
    private let launcher = Launcher()
    private let request: URLRequest

    init() throws { request = URLRequest(url: try #require(URL(string: "http://origin.test/path?token=secret"))) }

    private func makePlan(takesHandlers: Bool = true) -> CallPlan {
        var plan = CallPlan(template: .data, request: .success(request))
        if takesHandlers {
            plan.chain = CallPlan.Chain(jsonDecoder: JSONDecoder(), serializer: .sessionDefault)
        }
        return plan
    }

    private func makeTask(takesHandlers: Bool = true) -> DataTask {
        let task = DataTask(environment: lone.environment, makePlan(takesHandlers: takesHandlers))
        task.launchLater(by: launcher)
        return task
    }

    // MARK: The plan

    @Test("A plan has its request, or the error that prevented it, or neither")
    func requests() throws {
        let made = CallPlan(template: .data, request: .success(request))
        #expect(made.urlRequest == request)
        let known = try made.request?.get()
        #expect(known == request)
        let failed = CallPlan(template: .data, request: .failure(LarkspurError(.invalidURL, "It is not one.")))
        #expect(failed.urlRequest == nil)
        #expect(failed.request?.failure?.code == .invalidURL)
        let resumed = CallPlan(template: .download, request: nil)
        #expect(resumed.urlRequest == nil && resumed.request == nil)
    }

    @Test("Only a request that was validated when it was built counts as valid")
    func validRequest() {
        let plan = CallPlan(validRequest: request)
        #expect(plan.isValid && plan.urlRequest == request && plan.download == nil)
        #expect(plan.template.kind == .data)
        #expect(!makePlan().isValid)
    }

    @Test("A call is launched when it starts if it takes handlers or resumes by itself, and otherwise when it is made")
    func lateLaunch() {
        #expect(makePlan().isLaunchedLate)
        #expect(!makePlan(takesHandlers: false).isLaunchedLate)
        var template = TransferTemplate.download
        template.resumption = DownloadResumption(limit: 3)
        #expect(CallPlan(template: template, request: .success(request)).isLaunchedLate)
    }

    // MARK: The start

    @Test("A call is launched once, with the settings that it has at its start")
    func launch() {
        let task = makeTask()
        _ = task.configure("timeouts") { options in
            options.timeouts.total = .seconds(9)
            options.checks.statusCodes = [200]
        }
        #expect(launcher.launches.values.isEmpty)
        task.resume()
        task.suspend()
        task.resume()
        #expect(launcher.launches.values.map(\.timeouts.total) == [.seconds(9)])
        #expect(launcher.launches.values.map(\.isCancelled) == [false])
        #expect(task.options.checks.statusCodes == [200])
        #expect(lone.lines.values.isEmpty)
    }

    @Test("A call that is cancelled before it starts is launched as cancelled, once")
    func cancelledLaunch() {
        let task = makeTask()
        task.cancel()
        task.resume()
        task.cancel()
        #expect(launcher.launches.values.map(\.isCancelled) == [true])
    }

    @Test("A setting that comes after the start has no effect, which is reported without the query")
    func lateSetting() {
        let task = makeTask()
        task.resume()
        #expect(!task.mayConfigure("timeouts") { options in options.timeouts.total = .seconds(9) })
        #expect(task.storage.withLock { $0.start.options.timeouts.total } == nil)
        #expect(lone.lines.values.count == 1)
        #expect(lone.lines.values.first?.contains("timeouts has no effect") == true)
        #expect(lone.lines.values.first?.contains("GET http://origin.test/path") == true)
        #expect(lone.lines.values.first?.contains("secret") == false)
    }

    @Test(
        "A call that is released and was never started is reported, and one that was started is not",
        arguments: [true, false]
    )
    func unstarted(isStarted: Bool) {
        do {
            let task = makeTask()
            if isStarted { task.resume() }
        }
        #expect(lone.lines.values.count == (isStarted ? 0 : 1))
        #expect(lone.lines.values.allSatisfy { $0.contains("never started") })
    }

    // MARK: Streams

    private func makeStream() -> ResponseStream {
        ResponseStream(validation: { ResponseValidation() }, consumer: .handler { _, _ in })
    }

    @Test("The content of a call goes to one stream, which is known before its start")
    func stream() throws {
        let task = makeTask()
        let stream = makeStream()
        try task.direct(to: stream, for: nil)
        #expect(task.stream === stream)
        #expect(throws: LarkspurError.self) { try task.direct(to: makeStream(), for: nil) }
        task.resume()
        #expect(launcher.launches.values.first?.stream === stream)
    }

    @Test("No stream is added to a call that has started, that was cancelled, or that takes no handlers")
    func lateStream() {
        func code(_ task: DataTask) -> LarkspurError.Code? {
            do throws(LarkspurError) {
                try task.direct(to: makeStream(), for: nil)
                return nil
            } catch {
                return error.code
            }
        }
        let started = makeTask()
        started.resume()
        #expect(code(started) == .unsupported)
        let cancelled = makeTask()
        cancelled.cancel()
        #expect(code(cancelled) == .cancelled)
        let other = makeTask(takesHandlers: false)
        #expect(code(other) == .unsupported)
        other.resume()
    }

    // MARK: Interceptors

    @Test(
        "The work of interceptors is cancelled with the task, at once if it was cancelled before",
        arguments: [true, false]
    )
    func cancelledWork(isCancelledBefore: Bool) {
        let task = makeTask()
        task.resume()
        let cancellations = Recorder<Void>()
        if isCancelledBefore { task.cancel() }
        task.onCancellation { cancellations.record(()) }
        #expect(cancellations.values.count == (isCancelledBefore ? 1 : 0))
        task.cancel()
        task.cancel()
        #expect(cancellations.values.count == 1)
    }

    /// A clock on which no time passes. It records the sleeps that are cancelled.
    private struct StandingClock: Clock {
        let cancellations = Recorder<Void>()
        let sleeps = Recorder<Void>()
        let now = ContinuousClock.now
        let minimumResolution = Duration.nanoseconds(1)

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
            sleeps.record(())
            do {
                try await Recorder<Void>().wait()
            } catch {
                cancellations.record(())
                throw error
            }
        }
    }

    @Test(
        "The timers of a call are cancelled when its transfer ends, at once if it has ended",
        arguments: [true, false]
    )
    func timers(hasEnded: Bool) async throws {
        let clock = StandingClock()
        let task = makeTask()
        task.resume()
        let timers = CallTimers(Timeouts(total: .seconds(9)), until: nil, on: clock, for: task)
        try await clock.sleeps.wait()
        if hasEnded { _ = task.endCourse() }
        task.use(timers)
        if !hasEnded {
            #expect(clock.cancellations.values.isEmpty)
            _ = task.endCourse()
        }
        try await clock.cancellations.wait()
    }
}
