import LarkspurTesting
import TestSupport
import Testing

@testable import Larkspur

/// Runs the samples of `Docs/Timeouts.md`, and what the page says that no other test shows.
@Suite("Samples about timeouts", .timeLimit(.minutes(5)))
struct TimeoutSamplesTests {
    let server: LoopbackServer
    let samples: TimeoutSamples
    let gate = LoopbackServer.Gate()

    init() throws {
        server = try LoopbackServer()
        server.route("/notes", .text("notes"))
        server.route("/users/1", .json(#"{"name": "Ada"}"#))
        server.route("/slow", .text("late").held(until: gate))
        samples = TimeoutSamples(manager: TestTransport.allCases[0].makeManager(for: server))
    }

    @Test("The page has every limit of a call, in the order of the type's properties")
    func complete() throws {
        let page = try #require(Documentation.page("Timeouts.md"))
        let limits = Mirror(reflecting: Timeouts()).children.compactMap { $0.label.map { "`\($0)`" } }
        #expect(page.rows(below: "## Limits of a call").compactMap(\.first).prefix(limits.count) == limits[...])
    }

    @Test func limits() async throws {
        try await samples.timeouts()
        try await samples.deadline()
        #expect(samples.output.values == ["notes", "Ada notes"])
        let page = try #require(Documentation.page("Timeouts.md"))
        await samples.ending()
        let message = "The call took longer than 0.1 seconds in all."
        #expect(samples.output.values.last == message)
        #expect(page.text.contains(message.replacing("0.1", with: "5.0")))
        gate.open()
    }

    @Test("The idle limit is that of the call, else the manager, else the request, else the configuration")
    func precedence() async {
        let (manager, call) = samples.idle(server.baseURL)

        func interval(_ call: DataTask) async -> TimeInterval? {
            _ = await call.response()
            return call.urlSessionTask?.originalRequest?.timeoutInterval
        }

        #expect(manager.session.configuration.timeoutIntervalForRequest == 30)
        #expect(await interval(call) == 5)
        manager.requestSettings.timeoutInterval = 10
        #expect(await interval(manager.get("notes")) == 20)
        manager.timeouts.idle = nil
        #expect(await interval(manager.get("notes")) == 10)
        manager.requestSettings.timeoutInterval = nil
        #expect(await interval(manager.get("notes")) == 60)
    }

    #if canImport(FoundationNetworking)
    @Test("A request with 60 seconds has the configuration's idle limit, and one with zero has 60 seconds")
    func sixty() async throws {
        let configuration = URLSessionConfiguration.testing
        configuration.timeoutIntervalForRequest = 0.1
        let manager = SessionManager(baseURL: server.baseURL, configuration: configuration, transport: .curl)
        server.route("/silent", .fault(.noResponse))
        let short = await manager.get("silent").timeout(idle: .seconds(60)).response().error
        #expect(short?.message.contains("Not a byte was sent or received for 0.1 seconds") == true)
        async let long = manager.get("slow").timeout(idle: .seconds(61)).response()
        try await server.waitForRequests(1, to: "/slow")
        gate.open()
        #expect(await long.error == nil)
    }

    @Test("The resource timeout applies to each attempt")
    func resource() async throws {
        let configuration = URLSessionConfiguration.testing
        configuration.timeoutIntervalForResource = 0.2
        let manager = SessionManager(baseURL: server.baseURL, configuration: configuration, transport: .curl)
        manager.interceptors.call = [.retry(maximumAttempts: 3, baseDelay: .zero)]
        let attempts = attempts(of: manager)
        #expect(await manager.get("slow").response().error?.code == .timedOut)
        #expect(attempts.values == [1, 2, 3])
        gate.open()
    }
    #endif

    @Test("The idle limit applies to each attempt, and the total limit to the call")
    func retries() async throws {
        server.route("/silent", .fault(.noResponse))
        let attempts = attempts(of: samples.manager)
        samples.manager.interceptors.call = [.retry(maximumAttempts: 5, baseDelay: .zero, deadline: .seconds(40))]
        samples.manager.timeouts = Timeouts(total: .seconds(60), idle: .milliseconds(100))
        #expect(await samples.manager.get("silent").response().error?.code == .timedOut)
        #expect(attempts.values == [1, 2, 3, 4, 5])
    }

    /// The numbers of a manager's attempts. On a busy machine the time of an attempt can be over before the server has
    /// its request, so the requests there do not count them.
    private func attempts(of manager: SessionManager) -> Recorder<Int> {
        let attempts = Recorder<Int>()
        manager.observe([.attemptStarted]) { attempts.record($0.attempt) }
        return attempts
    }

    @Test("The default timeouts are those of the page")
    func defaults() {
        let configuration = URLSessionConfiguration.default
        #expect(configuration.timeoutIntervalForRequest == 60)
        #expect(configuration.timeoutIntervalForResource == 7 * 86_400)
        #expect(RetryPolicy().deadline == .seconds(60))
        #expect(EventSource.defaultTimeout == .seconds(300))
        #if canImport(FoundationNetworking)
        #expect(WebSocketOptions().closeTimeout == .seconds(10))
        #expect(WebSocketOptions().pingInterval == nil)
        #endif
    }
}
