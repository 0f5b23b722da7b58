public import Foundation

/// An HTTP/1.1 server for tests, which runs in the process of the test on a free port of 127.0.0.1.
///
/// It responds to the routes of the test (``route(_:method:_:)``), to many paths of httpbin.org, such as `/anything`,
/// `/status/404` and `/drip`, and with faults at `/fault/…` (``Fault``). It records every request. A test can wait
/// for requests and hold back responses (``Gate``), so that it never needs to sleep.
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
    private let acceptor: Acceptor

    /// Creates and starts a server.
    ///
    /// - Throws: `POSIXError`, if the system refuses a socket or a thread.
    public init() throws {
        acceptor = try Acceptor(router: router, journal: journal, socketPath: nil)
    }

    /// Creates and starts a server that listens on a Unix-domain socket instead of a port. Its ``url(_:)`` and
    /// ``baseURL`` cannot be used.
    ///
    /// - Parameter path: The path of the socket, of at most 107 bytes. ``stop()`` removes the socket.
    /// - Throws: `POSIXError`, if the system refuses the socket or a thread, for example because the file exists.
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
        // Such components always form a URL, but the property is optional.
        return components.url ?? URL(filePath: "/")
    }

    /// Returns the URL of a path on the server.
    ///
    /// - Parameter path: A path that begins with a slash. It may have a query.
    public func url(_ path: String) -> URL {
        URL(string: baseURL.absoluteString + path) ?? baseURL.appending(path: path)
    }

    /// Closes all connections and the port, and returns when their descriptors are closed and their threads have ended.
    ///
    /// Waits in responses end; the method waits for handlers that are running. The routes are removed; the recorded
    /// requests stay. On a connection's own thread, which means in a handler, it does not wait. Further calls do
    /// nothing.
    public func stop() {
        acceptor.stop()
        router.removeAll()
    }
}
