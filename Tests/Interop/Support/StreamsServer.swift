#if canImport(FoundationNetworking)
import Foundation
import Larkspur
import Testing
import TestSupport

/// The server of Scripts/streams_server.py, which reads requests and sends responses at the same time.
struct StreamsServer: Sendable {
    /// The server's record of the requests with an id. All of it but their number is of the last one.
    struct State: Decodable, Sendable {
        /// The end of the request's content.
        enum End: String, Decodable {
            case complete
            /// The connection ended before the content did.
            case broken
            /// The connection or the stream was reset.
            case reset
        }

        let requests: Int
        let `protocol`: String?
        let fields: [[String]]
        let trailers: [[String]]
        /// The number of bytes of the request's content that were read.
        let bytes: Int
        /// The number of bytes of the response's content that were sent.
        let sent: Int
        /// Nil while the content goes on, or is not read.
        let end: End?
        /// The code of RST_STREAM.
        let code: Int?

        func values(of name: String) -> [String] {
            fields.filter { $0.first?.lowercased() == name }.compactMap(\.last)
        }
    }

    /// A request as the server has received it.
    struct Received: Decodable, Sendable {
        let `protocol`: String
        let method: String
        let parameters: [String: [String]]
        /// The values of the fields, by their names in lower case.
        let fields: [String: [String]]
        let content: String
        let trailers: [String: [String]]
    }

    /// The count of a request's content.
    struct Sunk: Decodable, Sendable {
        let bytes: Int
    }

    /// HTTP/1.1, without and with TLS, and HTTP/2 if libcurl is trusted with it, in both directions at once.
    static let ports = olderPorts + (Servers.isHTTP2Trusted && !couplesDirections ? [.streamsHTTP2] : [])
    static let olderPorts: [Servers.Port] = [.streams, .streamsTLS]

    /// Whether the loaded libcurl stops sending over HTTP/2 while a reader pauses: 8.17 and later.
    static let couplesDirections: Bool = {
        let numbers = (CurlURLSession.libcurlVersion ?? "").split(separator: ".").prefix(2).compactMap { Int($0) }
        return numbers.count == 2 && (numbers[0], numbers[1]) >= (8, 17)
    }()

    private let servers: Servers
    /// For questions about other requests, which wait for no connection of theirs.
    private let observer: SessionManager

    init() throws {
        servers = try Servers()
        observer = SessionManager(
            baseURL: try servers.url(.streams, "/", host: "127.0.0.1"),
            configuration: .testing,
            transport: .curl(servers.options)
        )
    }

    /// A manager with a session of its own, which has as many connections as it needs.
    func makeManager(_ port: Servers.Port, http2: HTTP2Use = .always) throws -> SessionManager {
        var options = servers.options
        options.http2 = http2
        let configuration = URLSessionConfiguration.testing
        configuration.httpMaximumConnectionsPerHost = 200
        return SessionManager(
            baseURL: try servers.url(port, "/"),
            configuration: configuration,
            transport: .curl(options)
        )
    }

    /// Returns the server's record of a request, once a condition is met: `end`, `answer`, `requests:2` or
    /// `bytes:1000`.
    func state(of id: String, once condition: String) async throws -> State {
        try await observer.get("state", parameters: ["id": id, "wait": condition]).value()
    }

    /// Opens a gate for which a handler waits.
    func open(gate: String) async throws { _ = try await observer.get("open", parameters: ["gate": gate]).data }
}

/// The content of a request that a test sends chunk by chunk.
struct SentByHand: Sendable {
    let body: RequestBody
    private let chunks: AsyncStream<Data>.Continuation

    init() {
        let (stream, chunks) = AsyncStream.makeStream(of: Data.self)
        self.chunks = chunks
        body = .writer { writer in
            for await chunk in stream { try await writer.write(chunk) }
        }
    }

    func send(_ text: String) { chunks.yield(Data(text.utf8)) }

    func finish() { chunks.finish() }
}

/// A writer that writes without an end, and records the error that stops it.
struct EndlessBody: Sendable {
    let errors = Recorder<LarkspurError>()
    private let counts = Recorder<Int>()

    /// The number of bytes that were taken from it.
    var count: Int { counts.values.reduce(0, +) }

    /// - Parameter limit: The number of bytes after which the content ends nevertheless.
    func body(limit: Int = .max, length: Int64? = nil) -> RequestBody {
        .writer(length: length) { [errors, counts] writer in
            let chunk = Data(count: 1 << 16)
            var left = limit
            do throws(LarkspurError) {
                while left > 0 {
                    let size = min(left, chunk.count)
                    try await writer.write(chunk.prefix(size))
                    counts.record(size)
                    left -= size
                }
            } catch {
                errors.record(error)
                throw error
            }
        }
    }
}
#endif
