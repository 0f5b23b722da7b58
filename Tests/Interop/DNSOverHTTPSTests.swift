#if canImport(FoundationNetworking)
import Foundation
import LarkspurTesting
import LarkspurTransport
import Testing
import TestSupport

/// Names that libcurl looks up with DNS over HTTPS, at Scripts/doh_server.py.
@Suite("DNS over HTTPS", .needsServers, .timeLimit(.minutes(5)))
struct DNSOverHTTPSTests {
    /// A server that runs as long as this object exists.
    private final class Resolver {
        private let process = Process()
        private let input = Pipe()
        let url: URL
        /// The queries, each as method, type and name.
        let queries = Recorder<String>()

        init(_ servers: Servers) throws {
            let script = URL(filePath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("Scripts/doh_server.py")
            let output = Pipe()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["python3", script.path, servers.file("good.pem").path, servers.file("key.pem").path]
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            let reader = LineReader(output.fileHandleForReading)
            let port = try #require(reader.next())
            url = try #require(URL(string: "https://localhost:\(port)/dns-query"))
            Thread.detachNewThread { [queries] in
                while let line = reader.next() { queries.record(line) }
            }
        }

        deinit {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
    }

    /// Reads lines. Only one thread at a time uses it.
    private final class LineReader: @unchecked Sendable {
        private let handle: FileHandle
        private var buffer = Data()

        init(_ handle: FileHandle) { self.handle = handle }

        func next() -> String? {
            while true {
                if let end = buffer.firstIndex(of: 0x0A) {
                    defer { buffer = Data(buffer[(end + 1)...]) }
                    return String(decoding: buffer[..<end], as: UTF8.self)
                }
                let data = handle.availableData
                guard !data.isEmpty else { return nil }
                buffer += data
            }
        }
    }

    private let servers: Servers
    private let resolver: Resolver
    private let server: LoopbackServer

    init() throws {
        servers = try Servers()
        resolver = try Resolver(servers)
        server = try LoopbackServer()
    }

    private func session(_ change: (inout CurlURLSession.Options) -> Void = { _ in }) -> CurlURLSession {
        var options = servers.options
        options.proxy = .direct
        // Up to 8.16, libcurl needs a file of authorities for these look-ups, which the wheels do not find.
        options.tls.trustedRoots = .systemAnd((try? servers.certificate("authority")).map { [$0] } ?? [])
        options.dnsOverHTTPS = resolver.url
        change(&options)
        return servers.makeSession(options: options)
    }

    private func url(_ host: String, port: Int? = nil) throws -> URL {
        try #require(URL(string: "http://\(host):\(port ?? Int(server.port))/get"))
    }

    private func error(of url: URL, in session: CurlURLSession) async throws -> URLError {
        try await #require(throws: URLError.self) { try await session.data(from: url) }
    }

    @Test("A name is looked up at the server once for several requests")
    func lookUp() async throws {
        let session = session()
        defer { session.invalidateAndCancel() }
        for _ in 0..<3 {
            let (_, response) = try await session.data(from: url("known.test"))
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
        }
        let queries = try await resolver.queries.wait { $0.contains("POST A known.test") }
        #expect(queries.filter { $0 == "POST A known.test" }.count == 1)
        #expect(queries.allSatisfy { $0.hasSuffix(" known.test") })
    }

    @Test(
        "A name is looked up again for another connection if the time of its addresses has passed",
        arguments: [(Duration.zero, 2), (.seconds(60), 1)]
    )
    func cacheTime(_ time: Duration, _ count: Int) async throws {
        let session = session { $0.nameCacheTime = time }
        defer { session.invalidateAndCancel() }
        for _ in 0..<2 {
            var request = URLRequest(url: try url("known.test"))
            request.setValue("close", forHTTPHeaderField: "Connection")
            let (_, response) = try await session.data(for: request)
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
        }
        let queries = try await resolver.queries.wait { queries in
            queries.count { $0 == "POST A known.test" } >= count
        }
        #expect(queries.count { $0 == "POST A known.test" } == count)
    }

    @Test("A name that the server does not know is not found, and the system is not asked")
    func unknown() async throws {
        let session = session()
        defer { session.invalidateAndCancel() }
        let error = try await error(of: url("unknown.test"), in: session)
        #expect(error.code == .cannotFindHost)
        try await resolver.queries.wait { $0.contains("POST A unknown.test") }
    }

    @Test(
        "A name without an address is not found, even if it is an alias",
        arguments: ["empty.test", "alias.test"]
    )
    func withoutAddress(name: String) async throws {
        let session = session()
        defer { session.invalidateAndCancel() }
        let error = try await error(of: url(name), in: session)
        #expect(error.code == .cannotFindHost, "\(error)")
        try await resolver.queries.wait { $0.contains("POST A \(name)") }
    }

    @Test("Errors name the addresses that were found and tried")
    func tried() async throws {
        let session = session()
        defer { session.invalidateAndCancel() }
        let error = try await error(of: url("two.test", port: 1), in: session)
        #expect(error.localizedDescription == "The server two.test:1 (127.0.0.3, 127.0.0.2) refused the connection.")
    }

    @Test("A server whose certificate is not trusted gets no query")
    func untrusted() async throws {
        let session = session { $0.tls.trustedRoots = .system }
        defer { session.invalidateAndCancel() }
        let error = try await error(of: url("known.test"), in: session)
        #expect(error.code == .cannotFindHost)
        #expect(resolver.queries.values.isEmpty)
    }

    @Test("DNS lookups do not wait for the connections of the requests")
    func total() async throws {
        let session = session { $0.maximumConnections = 1 }
        defer { session.invalidateAndCancel() }
        let url = try url("known.test")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<10 { group.addTask { _ = try await session.data(from: url) } }
            try await group.waitForAll()
        }
        #expect(server.requests.count == 10)
    }

    @Test("The name lookup closure of a session takes precedence")
    func closure() async throws {
        let session = session { $0.resolver = { _ in [ResolvedAddress("127.0.0.1", timeToLive: .seconds(60))] } }
        defer { session.invalidateAndCancel() }
        _ = try await session.data(from: url("unknown.test"))
        #expect(resolver.queries.values.isEmpty)
    }
}
#endif
