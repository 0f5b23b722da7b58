#if canImport(FoundationNetworking)
import Foundation
import Larkspur
import Testing

@testable import LarkspurTransport

/// The server of Scripts/http2_server.py, which does on a stream what the URL says.
struct MisbehavingServer {
    /// An answer that the server gives of its own accord; over HTTP/1.1 the number of the connection is 0.
    struct Echo: Decodable {
        let connection: Int
        let method: String
        let length: Int
        /// The CRC-32 of the content.
        let checksum: UInt32
    }

    /// The requests with a key, and the bytes of a flood.
    struct Count: Decodable {
        let count: Int
        let flooded: Int
    }

    private let servers: Servers

    init() throws { servers = try Servers() }

    /// - Parameters:
    ///   - steps: The methods of the script's class `Play`, with their arguments.
    ///   - key: A name by which requests are counted.
    func url(_ steps: [String], key: String = "") throws -> URL {
        var components = URLComponents()
        components.queryItems = [URLQueryItem(name: "play", value: steps.joined(separator: ","))]
        components.queryItems?.append(URLQueryItem(name: "key", value: key))
        return try servers.url(.misbehaving, "/play?\(components.percentEncodedQuery ?? "")")
    }

    func url(_ steps: String, key: String = "") throws -> URL {
        try url(steps.split(separator: " ").map(String.init), key: key)
    }

    func echoURL(key: String = "") throws -> URL { try servers.url(.misbehaving, "/echo?key=\(key)") }

    /// A session that offers HTTP/2 whatever libcurl it has.
    func makeSession(
        requestTimeout: TimeInterval = 20,
        resourceTimeout: TimeInterval = 100,
        delegate: (any URLSessionDelegate)? = nil
    ) -> CurlURLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.timeoutIntervalForRequest = requestTimeout
        configuration.timeoutIntervalForResource = resourceTimeout
        return CurlURLSession(configuration: configuration, delegate: delegate, options: options)
    }

    /// A session manager with such a session.
    func makeManager() -> SessionManager {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.timeoutIntervalForRequest = 20
        return SessionManager(configuration: configuration, transport: .curl(options))
    }

    var options: CurlURLSession.Options {
        var options = servers.options
        options.http2 = .always
        return options
    }

    func echo(in session: URLSession, method: String = "GET", key: String = "") async throws -> Echo {
        var request = URLRequest(url: try echoURL(key: key))
        request.httpMethod = method
        if method == "POST" { request.httpBody = Data("content".utf8) }
        return try JSONDecoder().decode(Echo.self, from: try await session.reply(to: request).content)
    }

    /// Asked over a connection of its own.
    func count(of key: String) async throws -> Count {
        let session = makeSession()
        defer { session.finishTasksAndInvalidate() }
        let reply = try await session.reply(to: servers.url(.misbehaving, "/count?key=\(key)"))
        return try JSONDecoder().decode(Count.self, from: reply.content)
    }
}

extension Servers {
    /// Whether libcurl is trusted with HTTP/2, or the suite of HTTP/2 is to run without that.
    static var isHTTP2Trusted: Bool {
        HTTP2Judgement.ofLoadedLibcurl == .sound
            || ProcessInfo.processInfo.environment["LARKSPUR_HTTP2_SUITE"] == "1"
    }
}

extension Servers {
    /// Whether libcurl can limit the age of connections.
    static var limitsAge: Bool { Libcurl.isAtLeast(7, 80) }

    /// Whether the engine sees the frames that libcurl reads.
    static var areFramesSeen: Bool { HTTP2Trust.tracesStreams }
}

extension Trait where Self == ConditionTrait {
    /// The suite of HTTP/2 runs with each libcurl that the engine trusts. With another one it runs, and fails, only
    /// where LARKSPUR_HTTP2_SUITE says so.
    static var needsTrustedHTTP2: Self {
        .enabled(
            if: Servers.areExpected && Servers.isHTTP2Trusted,
            "Run by Tests/Interop/servers.sh, with a libcurl that is trusted with HTTP/2, or LARKSPUR_HTTP2_SUITE=1 to try another."
        )
    }
}
#endif
