#if canImport(FoundationNetworking)
internal import HTTPSyntax
public import Larkspur
import Synchronization

/// A replacement for the network: sessions that get the replies to their requests from routes.
///
///     let stub = StubTransport()
///     stub.route("/users", method: .get, .status(503), .json(#"[{"name": "Ada"}]"#))
///     stub.route("/users/{id}", method: .get) { request in .json(#"{"id": \#(request.parameters["id"] ?? "0")}"#) }
///     let manager = SessionManager(baseURL: "https://api.example.com", transport: stub.transport)
///
/// No socket is opened. The sessions make the same delegate calls as a real session, follow redirects, and read the
/// content of uploads. They have no cookies and no cache, request no credentials, and ignore `SecurityPolicy` and
/// `UntrustedURLLimits`. If a request matches no route, the task ends with an error with the code `unsupported`. The
/// error names the most similar routes.
///
/// Every method may be called on any thread. Like ``StubURLSession``, it is available on Linux.
public final class StubTransport: Sendable {
    /// The reply of a route.
    public typealias Reply = StubURLSession.Reply
    /// A closure that returns the reply to a request, or throws the error of its task. Called on the thread that
    /// resumes the task. After a redirect, or if the content is a stream, it is called on another thread.
    public typealias Handler = @Sendable (Request) throws -> Reply

    private let clock: any Clock<Duration>
    private let routes = Mutex<[StubRoute]>([])
    private let record = StubRecord()

    /// Creates a transport without routes.
    /// - Parameter clock: The clock for the delays in replies, such as a ``TestClock``. Default: the continuous clock.
    public init(clock: any Clock<Duration> = ContinuousClock()) {
        self.clock = clock
    }

    /// The transport for a session manager. All of its sessions have the same routes.
    public var transport: Transport {
        var transport = Transport.custom(enforcingSecurityPolicy: { [self] _, configuration, delegate, queue in
            session(configuration: configuration, delegate: delegate, delegateQueue: queue)
        })
        transport.limited = { [self] _ in self.transport }
        return transport
    }

    /// Returns a session with the routes, for code that uses a `URLSession`.
    /// - Parameters:
    ///   - configuration: The configuration. It is stored but has no effect. Default: `.default`.
    ///   - delegate: The delegate. It is retained until the session has become invalid. Default: nil, for none.
    ///   - delegateQueue: The queue on which the delegate and completion handlers are called. It must be serial.
    ///     Default: a queue that the session creates.
    public func session(
        configuration: URLSessionConfiguration = .default,
        delegate: (any URLSessionDelegate)? = nil,
        delegateQueue: OperationQueue? = nil
    ) -> URLSession {
        let source = StubReplies(clock: clock) { [self] in try reply(to: $0) }
        return StubURLSession(
            configuration: configuration,
            delegate: delegate,
            delegateQueue: delegateQueue,
            source: source
        )
    }

    // MARK: Routes

    /// Adds a route with replies, which are sent in order. The last reply is repeated. If there are no replies, the
    /// route sends an empty 200.
    ///
    /// Later routes take precedence over earlier ones. A route replaces an earlier one with the same method and
    /// pattern. A route for GET also applies to HEAD.
    /// - Parameters:
    ///   - pattern: The path, or a URL with scheme and host. `{name}` stands for any one segment, and `*` as the last
    ///     segment for all that follows. If the pattern has query items, a request needs them; others are allowed.
    ///   - method: The method; nil for all. Default: nil.
    ///   - replies: The replies in order.
    public func route(_ pattern: String, method: HTTPMethod? = nil, _ replies: Reply...) {
        add(StubRoute(method, pattern, .queue(replies)))
    }

    /// Adds a route with a handler that returns the replies.
    /// - Parameters:
    ///   - pattern: The path, or a URL with scheme and host. `{name}` stands for any one segment, and `*` as the last
    ///     segment for all that follows. If the pattern has query items, a request needs them; others are allowed.
    ///   - method: The method; nil for all. Default: nil.
    ///   - handler: Returns the reply. If it throws, its error is the task's error.
    public func route(_ pattern: String, method: HTTPMethod? = nil, handler: @escaping Handler) {
        add(StubRoute(method, pattern, .handler(handler)))
    }

    /// Removes all routes.
    public func removeRoutes() {
        // The closures are released outside the lock.
        _ = routes.withLock { routes in
            defer { routes = [] }
            return routes
        }
    }

    private func add(_ route: StubRoute) {
        let replaced = routes.withLock { routes in
            let replaced = routes.filter { $0.replaces(route) }
            routes.removeAll { $0.replaces(route) }
            routes.insert(route, at: 0)
            return replaced
        }
        _ = replaced
    }

    private func reply(to request: URLRequest) throws -> Reply {
        var request = Request(request)
        let routes = routes.withLock { $0 }
        for headAsGet in [false, true] {
            for route in routes {
                guard let parameters = route.match(request, headAsGet: headAsGet) else { continue }
                request.parameters = parameters
                record.add(request)
                return try route.reply(to: request)
            }
        }
        record.add(request)
        throw LarkspurError(.unsupported, Self.sentence(for: request, among: routes))
    }

    private static func sentence(for request: Request, among routes: [StubRoute]) -> String {
        let target = "\(request.method) \(Redaction.standard.text(of: request.url))".onOneLine
        guard !routes.isEmpty else { return "There is no stub for \(target): the transport has no routes." }
        let nearest = Nearness.nearest(3, of: routes.reversed()) { $0.distance(to: request) }
        let names = nearest.map(\.description).joined(separator: ", ")
        return "There is no stub for \(target). The nearest \(nearest.count == 1 ? "route is" : "routes are") \(names)."
    }

    // MARK: Recorded requests

    /// The requests so far, in the order of their replies, including requests that matched no route.
    public var requests: [Request] { record.requests(to: nil) }

    /// Returns the requests so far for a path. The path has no query and no percent escapes.
    public func requests(to path: String) -> [Request] { record.requests(to: path) }

    /// Removes the recorded requests.
    public func clearRequests() { record.clear() }

    /// Suspends the task until at least a number of requests have arrived.
    /// - Parameters:
    ///   - count: The minimum number of requests, including those before the call.
    ///   - path: The path of the requests that count; nil for all. Default: nil.
    ///   - timeout: The limit. Default: 30 seconds.
    /// - Returns: All requests that count, which may be more than `count`.
    /// - Throws: ``LoopbackServer/WaitTimeout`` if the limit is reached, or `CancellationError`.
    @discardableResult
    public func waitForRequests(
        _ count: Int,
        to path: String? = nil,
        timeout: Duration = .seconds(30)
    ) async throws -> [Request] {
        try await record.wait(for: count, to: path, timeout: timeout)
    }
}

/// The source of a session's replies.
private struct StubReplies: ReplySource {
    let clock: any Clock<Duration>
    let reply: @Sendable (URLRequest) throws -> StubURLSession.Reply

    var readsContent: Bool { true }
    var followsRedirects: Bool { true }

    func reply(to request: URLRequest, _ exchange: StubExchange) {
        do {
            exchange.add(try reply(request).steps)
        } catch {
            exchange.add([.end(error)])
        }
    }
}

/// The record of requests, and the gates that wait for further requests.
private final class StubRecord: Sendable {
    private struct Waiter {
        let count: Int
        let path: String?
        let gate: LoopbackServer.Gate
    }

    private struct State {
        var requests: [StubTransport.Request] = []
        var waiters: [Waiter] = []

        func requests(to path: String?) -> [StubTransport.Request] {
            guard let path else { return requests }
            return requests.filter { $0.path == path }
        }
    }

    private let state = Mutex(State())

    func requests(to path: String?) -> [StubTransport.Request] { state.withLock { $0.requests(to: path) } }

    func clear() { state.withLock { $0.requests = [] } }

    func add(_ request: StubTransport.Request) {
        let gates = state.withLock { state in
            state.requests.append(request)
            return state.waiters.filter { state.requests(to: $0.path).count >= $0.count }.map(\.gate)
        }
        for gate in gates { gate.open() }
    }

    func wait(for count: Int, to path: String?, timeout: Duration) async throws -> [StubTransport.Request] {
        let gate = LoopbackServer.Gate()
        let hasCome = state.withLock { state in
            state.waiters.append(Waiter(count: count, path: path, gate: gate))
            return state.requests(to: path).count >= count
        }
        if !hasCome { await gate.wait(atMost: timeout) }
        let requests = state.withLock { state in
            state.waiters.removeAll { $0.gate === gate }
            return state.requests(to: path)
        }
        try Task.checkCancellation()
        guard requests.count >= count else {
            let target = path.map { " to \($0)" } ?? ""
            throw LoopbackServer.WaitTimeout(
                description: "Waited \(timeout) for \(count) requests\(target), but \(requests.count) came."
            )
        }
        return requests
    }
}
#endif
