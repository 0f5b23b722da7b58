#if canImport(FoundationNetworking)
import Foundation
import LarkspurTesting
import LarkspurTransport
import Testing

/// Sessions whose names are looked up by a closure.
@Suite("Resolvers", .timeLimit(.minutes(5)))
struct ResolverTests {
    private struct Failure: Error, Equatable {
        let number: Int
    }

    private let server: LoopbackServer
    private let names = Recorder<String>()

    init() throws { server = try LoopbackServer() }

    private func session(
        _ change: (inout CurlURLSession.Options) -> Void = { _ in },
        resolver: @escaping HostResolver
    ) -> CurlURLSession {
        var options = CurlURLSession.Options()
        options.proxy = .direct
        options.resolver = { [names] host in
            names.record(host)
            return try await resolver(host)
        }
        change(&options)
        return CurlURLSession(configuration: .testing, options: options)
    }

    private func url(_ host: String, _ path: String = "/get", port: Int? = nil) throws -> URL {
        try #require(URL(string: "http://\(host):\(port ?? Int(server.port))\(path)"))
    }

    private static func local(_ seconds: Int) -> [ResolvedAddress] {
        [ResolvedAddress("127.0.0.1", timeToLive: .seconds(seconds))]
    }

    // MARK: Addresses

    @Test("A request is sent to an address of the resolver, with the host of its URL")
    func address() async throws {
        let session = session { _ in Self.local(600) }
        defer { session.invalidateAndCancel() }
        let outcome = try await session.outcome(of: url("Name.test", "/headers"))
        #expect(outcome.text?.contains("name.test:\(server.port)") == true)
        #expect(names.values == ["name.test"])
    }

    @Test("A name is looked up again when its addresses have expired", arguments: [(600, 1), (0, 3)])
    func timeToLive(_ seconds: Int, _ count: Int) async throws {
        let session = session { _ in Self.local(seconds) }
        defer { session.invalidateAndCancel() }
        for _ in 0..<3 { #expect(try await session.outcome(of: url("name.test")).status == 200) }
        #expect(names.values.count == count)
    }

    @Test("A changed address of a name is used from the next look-up")
    func change() async throws {
        let silent = try RawServer { _ in }
        silent.stop()
        let addresses = Recorder<Void>()
        let session = session { _ in
            addresses.record(())
            return [ResolvedAddress(addresses.values.count == 2 ? "127.0.0.2" : "127.0.0.1", timeToLive: .zero)]
        }
        defer { session.invalidateAndCancel() }
        // Nothing listens at the port at either address.
        for address in ["127.0.0.1", "127.0.0.2", "127.0.0.1"] {
            let error = try await session.outcome(of: url("name.test", port: silent.port)).error
            #expect(error?.localizedDescription.contains("(\(address))") == true, "\(address)")
        }
    }

    @Test(
        "The resolver gets each spelling of a name in one form, also after a redirect",
        arguments: [
            ("local%68ost", "localhost"), ("x%2elocalhost", "x.localhost"), ("x~.localhost", "x~.localhost"),
            ("X_y.LocalHost.", "x_y.localhost"), ("%58.localhost", "x.localhost"),
        ]
    )
    func spellings(host: String, name: String) async throws {
        server.route("/redirect", .redirect(to: "http://\(host):\(server.port)/get"))
        let session = session { host in
            host == "start.test" ? Self.local(600) : [ResolvedAddress("127.0.0.2", timeToLive: .zero)]
        }
        defer { session.invalidateAndCancel() }
        // The server listens only at 127.0.0.1, so a request that does not use the resolver's address arrives.
        for url in [try url(host), try url("start.test", "/redirect")] {
            #expect(try await session.outcome(of: url).code == .cannotConnectToHost)
        }
        #expect(names.values == [name, "start.test", name])
        #expect(server.requests.map(\.path) == ["/redirect"])
    }

    @Test(
        "Nothing is sent to a host without a canonical form, also after a redirect",
        arguments: ["x..localhost", "localhost%2e%2e", "1.2.3.4.5", "127.0.0.1.9", "local%00host", "a%40localhost"]
    )
    func unnamed(host: String) async throws {
        server.route("/redirect", .redirect(to: "http://\(host):\(server.port)/get"))
        let session = session { _ in Self.local(600) }
        defer { session.invalidateAndCancel() }
        let outcome = try await session.outcome(of: url(host))
        #expect(outcome.code == .badURL)
        #expect(outcome.error?.localizedDescription.contains("The URL's host") == true)
        #expect(try await session.outcome(of: url("start.test", "/redirect")).status == 302)
        #expect(names.values == ["start.test"])
        #expect(server.requests.map(\.path) == ["/redirect"])
    }

    @Test(
        "Fixed addresses apply to each spelling of their host",
        arguments: ["fixed.test", "FIXED.test."]
    )
    func fixedAddresses(host: String) async throws {
        let session = session({ [server] in
            $0.hostAddresses = [HostAddress(host: host, port: Int(server.port), addresses: ["127.0.0.1"])]
        }) { _ in throw Failure(number: 1) }
        defer { session.invalidateAndCancel() }
        for spelling in ["fixed.test", "Fi%78ed.test", "fixed.test."] {
            #expect(try await session.outcome(of: url(spelling)).status == 200, "\(spelling)")
        }
        #expect(names.values.isEmpty)
    }

    @Test("A name with the dot of the root, a redirect and a WebSocket are looked up too")
    func otherRequests() async throws {
        server.route("/redirect", .redirect(to: try url("other.test").absoluteString))
        server.webSocket("/socket") { _ in }
        let session = session { _ in Self.local(600) }
        defer { session.invalidateAndCancel() }
        #expect(try await session.outcome(of: url("name.test.", "/redirect")).status == 200)
        let socket = session.webSocket(with: try url("socket.test", "/socket"))
        try await socket.open()
        socket.cancel()
        #expect(names.values == ["name.test", "other.test", "socket.test"])
    }

    @Test("Addresses, sockets and hosts with fixed addresses are not looked up")
    func known() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("r-\(UUID().uuidString.prefix(8))")
            .path
        let local = try LoopbackServer(unixSocket: path)
        defer { local.stop() }
        let port = Int(server.port)
        let session = session {
            $0.hostAddresses = [HostAddress(host: "fixed.test", port: port, addresses: ["127.0.0.1"])]
        } resolver: { _ in
            throw Failure(number: 0)
        }
        defer { session.invalidateAndCancel() }
        for host in ["127.0.0.1", "fixed.test", "FIXED.test"] {
            #expect(try await session.outcome(of: url(host)).status == 200)
        }
        let socket = try #require(URL(unixSocket: path, resource: "/get"))
        #expect(try await session.outcome(of: socket).status == 200)
        #expect(names.values.isEmpty)
        #expect(
            try await session.outcome(of: url("fixed.test", port: port + 1)).error as? Failure == Failure(number: 0)
        )
    }

    @Test("The name of a proxy is looked up, and the name of the server is not")
    func proxy() async throws {
        let port = Int(server.port)
        let session = session {
            $0.proxy = .server(ProxyServer(host: "proxy.test", port: port))
        } resolver: { _ in
            Self.local(600)
        }
        defer { session.invalidateAndCancel() }
        let url = try #require(URL(string: "http://server.test/get"))
        #expect(try await session.outcome(of: url).status == 200)
        #expect(names.values == ["proxy.test"])
    }

    @Test("The resolver does not run on the session's thread")
    func thread() async throws {
        let threads = Recorder<String>()
        let session = session { _ in
            threads.record((try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? "larkspur.loop")
            return Self.local(0)
        }
        defer { session.invalidateAndCancel() }
        for _ in 0..<3 { #expect(try await session.outcome(of: url("name.test")).status == 200) }
        #expect(threads.values.count == 3)
        #expect(threads.values.allSatisfy { !$0.contains("larkspur.loop") })
    }

    // MARK: Failures

    @Test("An error of the resolver is the error of its requests")
    func errors() async throws {
        let session = session { host in
            if host == "url.test" { throw URLError(.dnsLookupFailed) }
            throw Failure(number: 7)
        }
        defer { session.invalidateAndCancel() }
        #expect(try await session.outcome(of: url("name.test")).error as? Failure == Failure(number: 7))
        #expect(try await session.outcome(of: url("url.test")).code == .dnsLookupFailed)
        #expect(server.requests.isEmpty)
    }

    @Test("A result without addresses, or with invalid ones, is an error with the reason")
    func defects() async throws {
        let session = session { host in
            host == "empty.test"
                ? []
                : [
                    ResolvedAddress("127.0.0.1", timeToLive: .seconds(9)),
                    ResolvedAddress("a.test", timeToLive: .seconds(9)),
                ]
        }
        defer { session.invalidateAndCancel() }
        for (host, sentence) in [
            ("empty.test", "The resolver of the session has found no address for the host empty.test."),
            (
                "wrong.test",
                "The resolver of the session has returned “a.test”, which is no address, for the host wrong.test."
            ),
        ] {
            let error = try #require(try await session.outcome(of: url(host)).error as? URLError)
            #expect(error.code == .cannotFindHost)
            #expect(error.localizedDescription == sentence)
        }
        // Such results are not stored.
        _ = try await session.outcome(of: url("wrong.test"))
        #expect(names.values.count == 3)
    }

    @Test("An error of the connection names the addresses that were tried")
    func tried() async throws {
        let session = session { _ in
            [
                ResolvedAddress("127.0.0.1", timeToLive: .seconds(9)),
                ResolvedAddress("127.0.0.2", timeToLive: .seconds(9)),
            ]
        }
        defer { session.invalidateAndCancel() }
        let error = try await session.outcome(of: url("name.test", port: 1)).error
        #expect(
            error?.localizedDescription == "The server name.test:1 (127.0.0.1, 127.0.0.2) refused the connection."
        )
    }

    // MARK: Waiting

    @Test("The time of a look-up counts towards the idle timeout")
    func timeout() async throws {
        let cancellations = Recorder<Void>()
        let session = session { _ in try await Self.wait(recording: cancellations) }
        defer { session.invalidateAndCancel() }
        let outcome = try await session.outcome(of: URLRequest(url("name.test"), "GET", timeout: 1))
        #expect(outcome.code == .timedOut)
        let sentence = "No connection to the server name.test:\(server.port) was made within 1.0 seconds."
        #expect(outcome.error?.localizedDescription == sentence)
        try await cancellations.wait()
    }

    @Test("Requests for the same host share a look-up, which is cancelled with the last of them")
    func cancellation() async throws {
        let cancellations = Recorder<Void>()
        let session = session { _ in try await Self.wait(recording: cancellations) }
        defer { session.invalidateAndCancel() }
        let ends = Recorder<URLError.Code?>()
        let tasks = try (0..<3).map { _ in
            session.dataTask(with: try url("name.test")) { ends.record(($2 as? URLError)?.code) }
        }
        for task in tasks { task.resume() }
        try await names.wait()
        for (index, task) in tasks.enumerated() {
            #expect(cancellations.values.isEmpty)
            task.cancel()
            try await ends.wait(for: index + 1)
        }
        try await cancellations.wait()
        #expect(ends.values == [.cancelled, .cancelled, .cancelled])
        #expect(names.values.count == 1)
    }

    @Test("A task that is suspended during the look-up continues when it is resumed")
    func suspension() async throws {
        let gate = LoopbackServer.Gate()
        let session = session { _ in
            await gate.wait()
            return Self.local(0)
        }
        defer { session.invalidateAndCancel() }
        let outcomes = Recorder<Int?>()
        let task = session.dataTask(with: try url("name.test")) { _, response, _ in
            outcomes.record((response as? HTTPURLResponse)?.statusCode)
        }
        task.resume()
        try await names.wait()
        task.suspend()
        gate.open()
        #expect(try await session.outcome(of: url("127.0.0.1")).status == 200)
        #expect(outcomes.values.isEmpty)
        task.resume()
        #expect(try await outcomes.first() == 200)
        #expect(names.values.count == 1)
    }

    /// Waits for the cancellation of the Swift task, and records it.
    private static func wait(recording cancellations: Recorder<Void>) async throws -> [ResolvedAddress] {
        do {
            try await Task.sleep(for: .seconds(86_400))
        } catch {
            cancellations.record(())
            throw error
        }
        return []
    }
}
#endif
