public import Foundation

/// An HTTP/1.1 server for tests, in the process of the test, on a free port of 127.0.0.1.
///
/// It answers what the test scripts (``route(_:method:_:)``), many paths under the names that httpbin.org gave them,
/// such as `/anything`, `/status/404` and `/drip`, and faults that no honest server has, at `/fault/…` (``Fault``). It
/// records every request, and lets a test wait for requests and hold responses back (``Gate``), so that no test need
/// sleep.
///
///     let server = try LoopbackServer()
///     defer { server.stop() }
///     server.route("/users", .status(503), .json(#"[{"name": "Ada"}]"#))
///     // The first request for server.url("/users") gets a 503, every later one the document.
///
/// The server runs from its initialization to ``stop()``, or until nothing refers to it: a test that goes on with no
/// more than a URL of the server must keep the server, for which the `defer` above is enough. Each connection has a
/// thread, on which also the handlers of routes are called; every method may be called on any thread.
public final class LoopbackServer: Sendable {
    let router = Router()
    let journal = Journal()
    private let acceptor: Acceptor

    /// A server that runs.
    ///
    /// - Throws: `POSIXError` where the system refuses a socket or a thread.
    public init() throws {
        acceptor = try Acceptor(router: router, journal: journal, socketPath: nil)
    }

    /// A server that runs, and listens on a Unix-domain socket instead of a port; ``url(_:)`` and ``baseURL`` are of no
    /// use then.
    ///
    /// - Parameter path: Where the socket is made, of at most 107 bytes; ``stop()`` removes it.
    /// - Throws: `POSIXError` where the system refuses the socket or a thread, also because the file exists.
    public init(unixSocket path: String) throws {
        acceptor = try Acceptor(router: router, journal: journal, socketPath: path)
    }

    deinit {
        stop()
    }

    /// The port on 127.0.0.1; 0 for a Unix-domain socket.
    public var port: UInt16 { acceptor.port }

    /// The URL of the server without a path, such as `http://127.0.0.1:49152`.
    public var baseURL: URL {
        var components = URLComponents()
        components.scheme = "http"
        components.host = "127.0.0.1"
        components.port = Int(port)
        // Such components always make a URL, which their type cannot say.
        return components.url ?? URL(filePath: "/")
    }

    /// The URL of a path on the server.
    ///
    /// - Parameter path: A path that begins with a slash, and may have a query.
    public func url(_ path: String) -> URL {
        URL(string: baseURL.absoluteString + path) ?? baseURL.appending(path: path)
    }

    /// Closes all connections and the port, and returns when nothing is left of them: no descriptor and no thread.
    ///
    /// All that waits in a response ends; a handler that is running is waited for. The routes are removed; the recorded
    /// requests stay. Only on a connection's own thread, that is from a handler, it does not wait. Calling it again
    /// does nothing.
    public func stop() {
        acceptor.stop()
        router.removeAll()
    }
}
