import LarkspurTestSupport
import LarkspurTesting
import TestSupport
import Testing

@testable import Larkspur

/// Orders that an observer gives from within an event.
@Suite("Changes by observers at the creation of a call", .timeLimit(.minutes(5)))
struct ObserverOrderTests {
    enum Order: CaseIterable, Sendable {
        case cancel, suspend, resume

        func give(to task: SessionTask?) {
            switch self {
            case .cancel: task?.cancel()
            case .suspend: task?.suspend()
            case .resume: task?.resume()
            }
        }

        /// The outcome of a call that gets the order before it starts. A suspension has no effect then.
        var code: LarkspurError.Code? { self == .cancel ? .cancelled : nil }
    }

    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.route("/user", .json("{}"))
    }

    /// A transport that creates its session when the order has been given. The call has no transfer before.
    private func transport(_ transport: TestTransport, after order: DispatchSemaphore) -> Transport {
        .custom { configuration, delegate, queue in
            order.wait()
            return switch transport {
            case .foundation: URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
            case .curl, .delegate:
                CurlURLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
            }
        }
    }

    @Test(
        "An observer's command before the transfer is created reaches the transfer",
        arguments: TestTransport.allCases,
        Order.allCases
    )
    func beforeTransfer(_ transport: TestTransport, _ order: Order) async throws {
        let isGiven = DispatchSemaphore(value: 0)
        let manager = SessionManager(
            baseURL: server.baseURL,
            configuration: .testing,
            transport: self.transport(transport, after: isGiven)
        )
        let events = Recorder<CallEvent.Kind>()
        manager.observe([.created, .resumed, .suspended, .cancelled, .completed]) { event in
            events.record(event.kind)
            guard event.kind == .created else { return }
            order.give(to: event.task)
            isGiven.signal()
        }
        let ends = Recorder<LarkspurError.Code?>()

        let request = URLRequest(url: server.url("/user"))
        let task = manager.dataTask(with: request, as: DataResponseSerializer()) { ends.record($0.error?.code) }
        task.resume()

        #expect(try await ends.first() == order.code)
        try await manager.finishAll()
        #expect(events.values == [.created, order == .cancel ? .cancelled : .resumed, .completed])
        #expect(server.requests.count == (order == .cancel ? 0 : 1))
    }

    // Without an order to suspend, because the event may come when the call runs already, which it would then suspend.
    @Test(
        "Each call ends if an observer cancels or resumes it at its creation",
        arguments: TestTransport.allCases,
        [Order.cancel, .resume]
    )
    func ends(_ transport: TestTransport, _ order: Order) async throws {
        let queue = DispatchQueue(label: "larkspur.test.completion", attributes: .concurrent)
        let manager = transport.makeManager(for: server, completionQueue: queue)
        manager.observe([.created]) { order.give(to: $0.task) }
        let limited = transport.makeManager(for: server, completionQueue: queue)
        limited.timeouts = Timeouts(total: .seconds(200))
        limited.observe([.created]) { order.give(to: $0.task) }
        let ends = Recorder<LarkspurError.Code?>()

        for _ in 0..<100 {
            for manager in [manager, limited] {
                manager.get("user", as: DataResponseSerializer()) { _, _ in
                    ends.record(nil)
                } failure: { _, error in
                    ends.record(error.code)
                }
            }
            async let first = manager.get("user").response()
            async let second = limited.get("user").response()
            let awaited = await [first, second]
            for response in awaited { ends.record(response.error?.code) }
        }

        // The event comes later than the call starts, if the queue is slow.
        #expect(Set(try await ends.wait(for: 400)).isSubset(of: [order.code, nil]))
        try await manager.finishAll()
        try await limited.finishAll()
    }

    @Test("An observer may change the settings of a call at its creation", arguments: TestTransport.allCases)
    func settings(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let requests = Recorder<URLRequest>()
        let changes = Recorder<Void>()
        manager.observe([.created]) { event in
            _ = event.task?.intercept(
                with: ClosureInterceptor { request, _, next in
                    requests.record(request)
                    return try await next(request)
                }
            )
            changes.record(())
        }

        for count in 1...50 {
            let task = manager.get("user")
            try await changes.wait(for: count)
            _ = try await task.data
        }

        #expect(requests.values.count == 50)
    }
}
