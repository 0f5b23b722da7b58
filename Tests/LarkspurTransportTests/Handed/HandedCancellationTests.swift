#if canImport(FoundationNetworking)
import LarkspurTesting
import SessionClients
import Synchronization
import Testing

@testable import LarkspurTransport

@Suite("Cancellation in code that was compiled without this module", .timeLimit(.minutes(5)))
struct HandedCancellationTests {
    let server: LoopbackServer
    let session = CurlURLSession(configuration: .testing)

    init() throws { server = try LoopbackServer() }

    private func run(_ call: AsyncCall, _ path: String, on session: URLSession? = nil) -> Task<Outcome, any Error> {
        let (url, session) = (server.url(path), session ?? self.session)
        return Task { try await call.outcome(URLRequest(url: url), with: session) }
    }

    @Test("A call that is cancelled before its request sends nothing", arguments: AsyncCall.allCases)
    func before(call: AsyncCall) async throws {
        let (url, session) = (server.url("/get"), session)
        for _ in 0..<20 {
            let transfer = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await call.outcome(URLRequest(url: url), with: session)
            }
            #expect(try await transfer.value.code == .cancelled)
        }
        #expect(server.requests.isEmpty)
    }

    @Test(
        "A call that is cancelled before the response or during the content closes its connection",
        arguments: AsyncCall.allCases
    )
    func during(call: AsyncCall) async throws {
        let gate = LoopbackServer.Gate()
        server.route("/held", .text("late").held(until: gate))
        for path in ["/held", "/fault/slow-body"] {
            let count = server.requests.count
            let transfer = run(call, path)
            try await server.waitForRequests(count + 1)
            transfer.cancel()
            #expect(try await transfer.value.code == .cancelled)
            try await server.waitForOpenConnections(0)
        }
    }

    @Test("A call that is cancelled at any moment ends once", arguments: AsyncCall.allCases)
    func race(call: AsyncCall) async throws {
        let count = ProcessInfo.processInfo.environment["LARKSPUR_STRESS"] == nil ? 200 : 5000
        for index in 0..<count {
            let transfer = run(call, "/get")
            for _ in 0..<(index % 50) { await Task.yield() }
            transfer.cancel()
            let outcome = try await transfer.value
            #expect(outcome.status == 200 || outcome.code == .cancelled || (outcome.status == 405))
        }
    }

    @Test("A timeout as a race between Swift tasks does not block the process")
    func timeouts() async throws {
        let transport = BufferingTransport(session: session)
        let count = ProcessInfo.processInfo.environment["LARKSPUR_STRESS"] == nil ? 500 : 20_000
        for index in 0..<count {
            let request = URLRequest(url: server.url("/get"))
            _ = try? await transport.send(request, within: .microseconds(200 + index % 40 * 50))
        }
        #expect(
            try await AsyncCall.dataFromURL.outcome(URLRequest(url: server.url("/get")), with: session).status == 200
        )
    }

    @Test("Cancelling the session ends its calls", arguments: AsyncCall.allCases)
    func invalidation(call: AsyncCall) async throws {
        let session = CurlURLSession(configuration: .testing)
        let transfers = (0..<5).map { _ in run(call, "/fault/no-response", on: session) }
        try await server.waitForRequests(5)
        session.invalidateAndCancel()
        for transfer in transfers { #expect(try await transfer.value.code == .cancelled) }
        #expect(try await run(call, "/get", on: session).value.code == .cancelled)
    }

    @Test("A session that finishes lets its calls end, and then reports that it is invalid")
    func finishing() async throws {
        let gate = LoopbackServer.Gate()
        server.route("/held", .text("held").held(until: gate))
        let log = DelegateLog()
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
        let transfer = run(.dataForRequest, "/held", on: session)
        try await server.waitForRequests(1)
        session.finishTasksAndInvalidate()
        #expect(try await run(.dataForRequest, "/held", on: session).value.code == .cancelled)
        gate.open()
        #expect(try await transfer.value.text == "held")
        try await eventually(1) { log.invalidations }
    }

    @Test("An invalid session refuses calls without ending the process, even after a task of the superclass")
    func finishingWithSuperclass() async throws {
        let log = DelegateLog()
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
        // Nothing listens at this port.
        let url = try #require(URL(string: "ftp://127.0.0.1:1/x"))
        #expect(try await session.outcome(of: url).error != nil)
        let unresumed = session.dataTask(with: url)
        session.finishTasksAndInvalidate()
        #expect(try await run(.dataForRequest, "/get", on: session).value.code == .cancelled)
        #expect(try await session.outcome(of: url).code == .cancelled)
        #expect(log.invalidations == 0)
        unresumed.resume()
        try await eventually(1) { log.invalidations }
    }

    @Test("A delegate may suspend, resume and cancel its task", arguments: [true, false])
    func suspension(isCancelled: Bool) async throws {
        let log = DelegateLog(
            .with {
                $0.response = { task, decide in
                    for _ in 0..<3 {
                        task.suspend()
                        task.resume()
                    }
                    if isCancelled { task.cancel() }
                    decide(.allow)
                }
            }
        )
        let count = ProcessInfo.processInfo.environment["LARKSPUR_STRESS"] == nil ? 20 : 5000
        for _ in 0..<count {
            let outcome = try await AsyncCall.dataForRequest.outcome(
                URLRequest(url: server.url("/bytes/10")),
                with: session,
                delegate: log
            )
            #expect(outcome.data?.count == 10 || outcome.code == .cancelled)
        }
    }

    @Test("A session without references lives until its calls have ended")
    func release() async throws {
        weak var session: CurlURLSession?
        do {
            let own = CurlURLSession(configuration: .testing)
            session = own
            #expect(try await run(.dataForRequest, "/get", on: own).value.status == 200)
            #expect(try await run(.downloadForRequest, "/get", on: own).value.status == 200)
            #expect(try await run(.dataForRequest, "/fault/short-body", on: own).value.error != nil)
        }
        try await eventually { session == nil }
        try await server.waitForOpenConnections(0)
    }

    /// With `LARKSPUR_STRESS` set, ten thousand of them.
    @Test("Many calls from fifty threads end once each")
    func many() async throws {
        let count = ProcessInfo.processInfo.environment["LARKSPUR_STRESS"] == nil ? 20 : 200
        let ends = Recorder<Bool>()
        let (server, session) = (server, session)
        let content = try TemporaryFile(Data("content".utf8))
        for _ in 0..<50 {
            Thread.detachNewThread {
                for index in 0..<count {
                    let call = AsyncCall.allCases[index % AsyncCall.allCases.count]
                    let request = URLRequest(
                        server.url(index % 20 == 19 ? "/fault/reset-before-header" : "/anything"),
                        "POST"
                    )
                    let transfer = Task { try await call.send(request, content: content.url, with: session) }
                    if index % 10 == 9 { transfer.cancel() }
                    Task {
                        let response = try? await transfer.value.1 as? HTTPURLResponse
                        ends.record(response?.statusCode == 200)
                    }
                }
            }
        }
        let outcomes = try await ends.wait(for: 50 * count)
        #expect(outcomes.count == 50 * count)
        #expect(outcomes.filter(\.self).count >= 50 * count * 8 / 10)
        let tasks = await withCheckedContinuation { continuation in
            session.getAllTasks { continuation.resume(returning: $0.count) }
        }
        #expect(tasks == 0)
    }
}
#endif
