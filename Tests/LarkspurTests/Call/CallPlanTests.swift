import Synchronization
import Testing

@testable import Larkspur

@Suite("The plan of a call", .timeLimit(.minutes(2)))
struct CallPlanTests {
    /// A launcher that records how calls are launched.
    private final class Launcher: CallLauncher {
        let launches = Recorder<(timeouts: Timeouts, isCancelled: Bool, stream: ResponseStream?)>()

        func launch(_ task: SessionTask, _ start: CallStart) {
            launches.record((start.options.value.timeouts, start.isCancelled, start.stream))
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

    @Test("A plan has its request, or the error that prevented the request, or neither")
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
        #expect(plan.template.content.kind == .data)
        #expect(!makePlan().isValid)
    }

    @Test("A call that takes handlers or resumes automatically is launched at its start, and other calls at creation")
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
        #expect(task.options.value.checks.statusCodes == [200])
        #expect(lone.lines.values.isEmpty)
    }

    @Test("A call that is cancelled before its start is launched once, as cancelled")
    func cancelledLaunch() {
        let task = makeTask()
        task.cancel()
        task.resume()
        task.cancel()
        #expect(launcher.launches.values.map(\.isCancelled) == [true])
    }

    @Test("A setting after the start has no effect, and is reported without the query")
    func lateSetting() {
        let task = makeTask()
        task.resume()
        #expect(!task.mayConfigure("timeouts") { options in options.timeouts.total = .seconds(9) })
        #expect(task.storage.withLock { $0.start.options.value.timeouts.total } == nil)
        #expect(lone.lines.values.count == 1)
        #expect(lone.lines.values.first?.contains("timeouts has no effect") == true)
        #expect(lone.lines.values.first?.contains("GET http://origin.test/path") == true)
        #expect(lone.lines.values.first?.contains("secret") == false)
    }

    @Test(
        "Only a call that is released before its start is reported",
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

    @Test("The content of a call goes to one stream, which is chosen before the start")
    func stream() throws {
        let task = makeTask()
        let stream = makeStream()
        try task.direct(to: stream, for: nil)
        #expect(task.stream === stream)
        #expect(throws: LarkspurError.self) { try task.direct(to: makeStream(), for: nil) }
        task.resume()
        #expect(launcher.launches.values.first?.stream === stream)
    }

    @Test("A call that has started, was cancelled or takes no handlers accepts no stream")
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
        "A cancelled task cancels the work of interceptors, also work that begins later",
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
        "The end of a transfer cancels the timers of its call, also those that are added later",
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
