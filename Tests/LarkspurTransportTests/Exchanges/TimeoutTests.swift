#if canImport(FoundationNetworking)
import LarkspurTesting
import LarkspurTransport
import Testing

@Suite("Timeouts of the engine", .timeLimit(.minutes(5)))
struct TimeoutTests {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    @Test("A server without a response times out after the request's timeout", arguments: Style.allCases)
    func silence(style: Style) async throws {
        let request = URLRequest(server.url("/fault/no-response"), "GET", timeout: 0.1)
        #expect(try await style.send(request).code == .timedOut)
    }

    @Test("A timeout may have fractions of a second")
    func fractions() async throws {
        server.route("/soon", .text("soon").delayed(by: .milliseconds(20)))
        #expect(try await Style.handler.send(URLRequest(server.url("/soon"), "GET", timeout: 0.99)).text == "soon")
        #expect(try await Style.handler.send(URLRequest(server.url("/soon"), "GET", timeout: 1.9)).text == "soon")
    }

    @Test("A shorter timeout ends a task before a longer one")
    func order() async throws {
        let session = CurlURLSession(configuration: .testing)
        defer { session.finishTasksAndInvalidate() }
        let ends = Recorder<TimeInterval>()
        for timeout in [0.9, 0.5, 0.1] {
            let request = URLRequest(server.url("/fault/no-response"), "GET", timeout: timeout)
            session.dataTask(with: request) { _, _, error in
                if (error as? URLError)?.code == .timedOut { ends.record(timeout) }
            }.resume()
        }
        #expect(try await ends.wait(for: 3) == [0.1, 0.5, 0.9])
    }

    @Test("The configuration's timeout applies to requests without one")
    func configured() async throws {
        let configuration = URLSessionConfiguration.testing { $0.timeoutIntervalForRequest = 0.1 }
        let request = URLRequest(url: server.url("/fault/no-response"))
        #expect(try await Style.handler.send(request, configuration: configuration).code == .timedOut)
    }

    @Test("Every byte restarts the idle timeout")
    func idle() async throws {
        let drop = LoopbackServer.Response.Step.text("*")
        server.route("/drip", .stream([drop, .repeated([.pause(.milliseconds(100)), drop], times: 15)]))
        let outcome = try await Style.delegate.send(URLRequest(server.url("/drip"), "GET", timeout: 1.2))
        #expect(outcome.data?.count == 16)
    }

    @Test(
        "The resource timeout ends a task whose content continues to arrive",
        arguments: [Style.handler, .delegate, .download]
    )
    func resource(style: Style) async throws {
        let configuration = URLSessionConfiguration.testing { $0.timeoutIntervalForResource = 0.3 }
        let outcome = try await style.send(
            URLRequest(url: server.url("/fault/slow-body")),
            configuration: configuration
        )
        #expect(outcome.code == .timedOut)
    }

    @Test("The timeouts do not run while a task waits for a connection")
    func queued() async throws {
        let gate = LoopbackServer.Gate()
        server.route("/held", .text("held").held(until: gate))
        let session = CurlURLSession(configuration: .testing { $0.httpMaximumConnectionsPerHost = 1 })
        defer { session.finishTasksAndInvalidate() }
        async let first = session.outcome(of: server.url("/held"))
        try await server.waitForRequests(1)
        async let second = session.outcome(of: URLRequest(server.url("/get"), "GET", timeout: 1))
        try await passTime(1.5, by: server)
        gate.open()
        #expect(try await first.status == 200)
        #expect(try await second.status == 200)
    }

    @Test("The timeouts do not run while a task is suspended")
    func suspended() async throws {
        let gate = LoopbackServer.Gate()
        server.route("/half", .stream([.text("half"), .wait(gate), .text("half")]))
        let log = DelegateLog(.with { $0.data = { task, _ in if !gate.isOpen { task.suspend() } } })
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: URLRequest(server.url("/half"), "GET", timeout: 1))
        task.resume()
        try await log.wait(forBytes: 4)
        try await passTime(1.5, by: server)
        #expect(task.state == .suspended)
        gate.open()
        task.resume()
        try await log.ends.wait()
        #expect(log.outcome.error == nil)
        #expect(log.data.count == 8)
    }

    @Test("The timeouts do not run while the delegate has unconsumed content", .timeLimit(.minutes(5)))
    func slowConsumer() async throws {
        let gate = LoopbackServer.Gate()
        server.route("/large", .data(Data(count: 8 << 20)))
        let log = DelegateLog(.with { $0.data = { _, _ in gate.wait() } })
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        session.dataTask(with: URLRequest(server.url("/large"), "GET", timeout: 1)).resume()
        try await log.wait(forBytes: 1)
        try await passTime(1.5, by: server)
        gate.open()
        try await log.ends.wait()
        #expect(log.outcome.error == nil)
        #expect(log.data.count == 8 << 20)
    }

    @Test(
        "Infinite, negative and invalid timeouts are accepted",
        arguments: [
            TimeInterval.infinity, .greatestFiniteMagnitude, 1e16, 0, -1, .nan, -.infinity,
        ]
    )
    func oddTimes(timeout: TimeInterval) async throws {
        let request = URLRequest(server.url("/get"), "GET", timeout: timeout)
        #expect(try await Style.handler.send(request).status == 200)
        let configuration = URLSessionConfiguration.testing {
            $0.timeoutIntervalForRequest = timeout
            if timeout > 0 { $0.timeoutIntervalForResource = timeout }
        }
        let plain = URLRequest(url: server.url("/get"))
        #expect(try await Style.handler.send(plain, configuration: configuration).status == 200)
    }

    @Test("A connection that is not accepted times out")
    func connecting() async throws {
        let listener = try SilentServer(isFull: true)
        let request = URLRequest(try listener.url(), "GET", timeout: 0.2)
        #expect(try await Style.handler.send(request).code == .timedOut)
    }
}
#endif
