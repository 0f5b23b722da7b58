public import Foundation
import HTTPSyntax

/// An HTTP/1.1 server for tests. It runs in the process of the test on a port of 127.0.0.1, with or without TLS.
///
/// It has the routes of the test (``route(_:method:_:)-(_,_,LoopbackServer.Response...)``), many paths of httpbin.org,
/// such as `/anything`, `/status/404` and `/drip`, and faults at `/fault/…` (``Fault``). It records every request. A
/// test can wait for requests and delay responses (``Gate``), so that it never needs to sleep.
///
///     let server = try LoopbackServer()
///     defer { server.stop() }
///     server.route("/users", .status(503), .json(#"[{"name": "Ada"}]"#))
///     // The first request for server.url("/users") gets a 503, every later one the document.
///
/// The server runs from its initialization until ``stop()``, or until its last reference is released. A test that uses
/// only a URL of the server must keep a reference to the server; the `defer` above is enough. Each connection has a
/// thread, which also calls the handlers of routes. Every method may be called on any thread.
public final class LoopbackServer: Sendable {
    let router = Router()
    let journal = Journal()
    let expectations = ExpectationList()
    let identity: ServerIdentity?
    private let acceptor: Acceptor

    /// Creates and starts a server.
    ///
    /// - Parameters:
    ///   - port: The port on 127.0.0.1; 0 for a free one, so that tests can run in parallel. Default: 0.
    ///   - tls: The certificate for TLS; nil for plain HTTP. Default: nil.
    /// - Throws: ``StartError`` if the port is in use or not permitted, or TLS cannot be used; `POSIXError` if the
    ///   system refuses a socket or a thread for another reason.
    public init(port: UInt16 = 0, tls: TLS? = nil) throws {
        identity = try tls.map(ServerIdentity.init)
        do {
            acceptor = try Acceptor(router: router, journal: journal, place: .port(port), identity: identity)
        } catch let error as POSIXError where port != 0 {
            switch error.code {
            case .EADDRINUSE:
                throw StartError("Port \(port) of 127.0.0.1 is in use: another server listens on it already.")
            case .EACCES: throw StartError("Port \(port) of 127.0.0.1 is not permitted to this process.")
            default: throw error
            }
        }
    }

    /// Creates and starts a server that listens on a Unix-domain socket instead of a port. Its ``url(_:)`` and
    /// ``baseURL`` cannot be used.
    ///
    /// - Parameter path: The path of the socket, at most 107 bytes long. ``stop()`` removes the socket.
    /// - Throws: `POSIXError` if the system refuses the socket or a thread, for example because the file exists.
    public init(unixSocket path: String) throws {
        identity = nil
        acceptor = try Acceptor(router: router, journal: journal, place: .path(path))
    }

    deinit {
        stop()
    }

    /// The port on 127.0.0.1; 0 for a Unix-domain socket.
    public var port: UInt16 { acceptor.port }

    /// The URL of the server without a path, such as `http://127.0.0.1:49152`. Its scheme is `https` if the server has
    /// TLS.
    public var baseURL: URL {
        var components = URLComponents()
        components.scheme = identity == nil ? "http" : "https"
        components.host = "127.0.0.1"
        components.port = Int(port)
        // These components always form a URL, but the property is optional.
        return components.url ?? URL(filePath: "/")
    }

    /// Returns the URL of a path on the server.
    ///
    /// - Parameter path: A path that begins with a slash. It may have a query. Characters that a URL cannot contain are
    ///   percent-encoded, and escapes stay as they are.
    public func url(_ path: String) -> URL {
        (try? URLReference(reading: baseURL.absoluteString + path).url) ?? baseURL.appending(path: path)
    }

    /// Closes the port and all connections. Returns when their descriptors are closed and their threads have ended.
    ///
    /// Responses that wait are ended, but the method waits for running handlers. The routes are removed; the recorded
    /// requests stay. A handler runs on a connection's thread, so the method does not wait if a handler calls it.
    /// Further calls have no effect.
    public func stop() {
        acceptor.stop()
        router.removeAll()
    }
}

extension LoopbackServer {
    /// Adds a route with responses, which are sent in order. The last response is repeated. If there are no responses,
    /// the route sends an empty 200.
    ///
    /// Routes of the test take precedence over built-in routes, and later routes over earlier routes. A route for GET
    /// also applies to HEAD. If the path has routes, but none for the method, the server responds with 405.
    ///
    /// - Parameters:
    ///   - path: The path. `{name}` stands for any one segment (``Request/parameters``), and `*` as the last segment
    ///     for all that follows; `*` alone stands for every target.
    ///   - method: The method, in upper case; nil for all. Default: nil.
    ///   - responses: The responses in order. Requests on several connections share them.
    public func route(_ path: String, method: String? = nil, _ responses: Response...) {
        route(path, method: method, responses)
    }

    /// Adds a route with responses, which are sent in order. The last response is repeated. If there are no responses,
    /// the route sends an empty 200.
    ///
    /// Routes of the test take precedence over built-in routes, and later routes over earlier routes. A route for GET
    /// also applies to HEAD. If the path has routes, but none for the method, the server responds with 405.
    ///
    /// - Parameters:
    ///   - path: The path. `{name}` stands for any one segment (``Request/parameters``), and `*` as the last segment
    ///     for all that follows; `*` alone stands for every target.
    ///   - method: The method, in upper case; nil for all. Default: nil.
    ///   - responses: The responses in order. Requests on several connections share them.
    public func route(_ path: String, method: String? = nil, _ responses: [Response]) {
        router.add(Route(path, methods: method.map { [$0] }, answer: .script(Route.Script(responses))))
    }

    /// Adds a route with a handler that returns the responses.
    ///
    /// - Parameters:
    ///   - path: The path. `{name}` stands for any one segment (``Request/parameters``), and `*` as the last segment
    ///     for all that follows; `*` alone stands for every target.
    ///   - method: The method, in upper case; nil for all. Default: nil.
    ///   - handler: Returns the response. Called on the thread of the request's connection, concurrently for several
    ///     connections. If it throws, the response is a 500.
    public func route(
        _ path: String,
        method: String? = nil,
        handler: @escaping @Sendable (Request) throws -> Response
    ) {
        router.add(Route(path, methods: method.map { [$0] }, answer: .handler(handler)))
    }
}

extension LoopbackServer {
    /// All requests so far, in the order in which they were completely received.
    ///
    /// A request is recorded before its response. A malformed request is not recorded.
    public var requests: [Request] {
        journal.entries.requests
    }

    /// Returns the requests so far for a path. The path has no query and no percent escapes.
    public func requests(to path: String) -> [Request] {
        journal.entries.requests(to: path)
    }

    /// Removes the recorded requests.
    public func clearRequests() {
        journal.clearRequests()
    }

    /// The number of open connections.
    public var openConnectionCount: Int {
        journal.entries.openConnections
    }

    /// The number of all connections so far. It shows whether a client has reused one.
    public var acceptedConnectionCount: Int {
        journal.entries.acceptedConnections
    }
}

extension LoopbackServer {
    /// The reason why a server cannot be started.
    public struct StartError: Error, Sendable, CustomStringConvertible, LocalizedError {
        /// The reason in one sentence.
        public let description: String
        /// The sentence of ``description``.
        public var errorDescription: String? { description }

        init(_ description: String) { self.description = description }
    }

    /// The error of a wait that has reached its limit.
    public struct WaitTimeout: Error, Sendable, CustomStringConvertible {
        /// The condition, the limit, and the actual state.
        public let description: String
    }

    /// Blocks the thread until the server has received at least a number of requests.
    ///
    /// - Parameters:
    ///   - count: The minimum number of requests, including those before the call.
    ///   - path: The path of the requests that count; nil for all. Default: nil.
    ///   - timeout: The limit. Default: 30 seconds.
    /// - Returns: All requests that count, which may be more than `count`.
    /// - Throws: ``WaitTimeout`` if the limit is reached.
    @discardableResult
    public func waitForRequests(_ count: Int, to path: String? = nil, timeout: Duration = .seconds(30)) throws
        -> [Request]
    {
        let gate = journal.gate { $0.requests(to: path).count >= count }
        defer { journal.forget(gate) }
        gate.wait(timeout: timeout)
        return try requests(atLeast: count, to: path, after: timeout)
    }

    /// Suspends the task until the server has received at least a number of requests.
    ///
    /// - Parameters:
    ///   - count: The minimum number of requests, including those before the call.
    ///   - path: The path of the requests that count; nil for all. Default: nil.
    ///   - timeout: The limit. Default: 30 seconds.
    /// - Returns: All requests that count, which may be more than `count`.
    /// - Throws: ``WaitTimeout`` if the limit is reached, or `CancellationError`.
    @discardableResult
    public func waitForRequests(
        _ count: Int,
        to path: String? = nil,
        timeout: Duration = .seconds(30)
    ) async throws -> [Request] {
        let gate = journal.gate { $0.requests(to: path).count >= count }
        defer { journal.forget(gate) }
        await gate.wait(atMost: timeout)
        try Task.checkCancellation()
        return try requests(atLeast: count, to: path, after: timeout)
    }

    /// Blocks the thread until there is a number of open connections.
    ///
    /// - Parameters:
    ///   - count: The exact number of open connections, such as 0 after a client has closed all of its connections.
    ///   - timeout: The limit. Default: 30 seconds.
    /// - Throws: ``WaitTimeout`` if the limit is reached.
    public func waitForOpenConnections(_ count: Int, timeout: Duration = .seconds(30)) throws {
        let gate = journal.gate { $0.openConnections == count }
        defer { journal.forget(gate) }
        if !gate.wait(timeout: timeout) { throw connectionTimeout(count, timeout) }
    }

    /// Suspends the task until there is a number of open connections.
    ///
    /// - Parameters:
    ///   - count: The exact number of open connections, such as 0 after a client has closed all of its connections.
    ///   - timeout: The limit. Default: 30 seconds.
    /// - Throws: ``WaitTimeout`` if the limit is reached, or `CancellationError`.
    public func waitForOpenConnections(_ count: Int, timeout: Duration = .seconds(30)) async throws {
        let gate = journal.gate { $0.openConnections == count }
        defer { journal.forget(gate) }
        await gate.wait(atMost: timeout)
        try Task.checkCancellation()
        if !gate.isOpen { throw connectionTimeout(count, timeout) }
    }

    private func requests(atLeast count: Int, to path: String?, after timeout: Duration) throws -> [Request] {
        let requests = journal.entries.requests(to: path)
        guard requests.count >= count else {
            let target = path.map { " to \($0)" } ?? ""
            throw WaitTimeout(
                description: "Waited \(timeout) for \(count) requests\(target), but \(requests.count) came."
            )
        }
        return requests
    }

    private func connectionTimeout(_ count: Int, _ timeout: Duration) -> WaitTimeout {
        WaitTimeout(
            description: "Waited \(timeout) for \(count) open connections, but there are \(openConnectionCount)."
        )
    }
}

extension LoopbackServer.Gate {
    /// Suspends the task until the gate is open, the time has passed, or the task is cancelled.
    func wait(atMost timeout: Duration) async {
        await withTaskGroup { group in
            group.addTask { await self.wait() }
            // The sleep throws only if it is cancelled. This happens if the gate has opened first.
            group.addTask { try? await Task.sleep(for: timeout.clampedToWaitingTime) }
            await group.next()
            group.cancelAll()
        }
    }
}
