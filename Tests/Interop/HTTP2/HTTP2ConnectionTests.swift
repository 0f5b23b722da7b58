#if canImport(FoundationNetworking)
import Foundation
import Larkspur
import LarkspurTransport
import Testing
import TestSupport

/// The next requests after one over HTTP/2 has failed.
@Suite("HTTP/2: connections", .needsTrustedHTTP2, .timeLimit(.minutes(5)))
struct HTTP2ConnectionTests {
    private let server: MisbehavingServer

    init() throws { server = try MisbehavingServer() }

    private static let faults =
        HTTP2TruncationTests.endings.map { "head:200 data:10 " + $0 }
        + [
            "frame:1:5:this:80", "headend:200:X-Upper=1", "headend:99", "headend:abc", "head:200:\(tooLong)", "rst:2",
            "frame:1:5:this:",
        ]
    /// 600 KB of fields, as an indexed field that is repeated: more than is taken of a head.
    private static let tooLong = (0..<40).map { "x-\($0)=" + String(repeating: "z", count: 1000) }.joined(
        separator: ":"
    )

    @Test("After a fault, the next requests succeed, and each is sent once", arguments: faults, ["GET", "POST"])
    func next(_ fault: String, _ method: String) async throws {
        let session = server.makeSession()
        let key = UUID().uuidString
        _ = try await server.echo(in: session)
        _ = try? await session.reply(to: server.url(fault))
        for _ in 0..<3 {
            let echo = try await server.echo(in: session, method: method, key: key)
            #expect(echo.method == method)
            #expect(echo.length == (method == "POST" ? 7 : 0))
        }
        if method == "POST" { #expect(try await server.count(of: key).count == 3) }
    }

    @Test("An idempotent request that is lost with its connection is sent again", arguments: ["GET", "PUT", "HEAD"])
    func repetition(_ method: String) async throws {
        for fault in ["close", "abort", "frame:8:0:0:7fffffff", "frame:0:0:99:00", "goaway:0:2 close"] {
            let session = server.makeSession()
            let key = UUID().uuidString
            _ = try await server.echo(in: session)
            var request = URLRequest(url: try server.url("first:\(key) " + fault, key: key))
            request.httpMethod = method
            if method == "PUT" { request.httpBody = Data("content".utf8) }
            #expect(try await session.reply(to: request).status == 200)
            #expect(try await server.count(of: key).count == 2)
        }
    }

    @Test(
        "A request that the server did not process is sent again, with any method",
        arguments: ["rst:7", "body goaway:below:0 close", "body goaway:below:2 close"]
    )
    func refusal(_ fault: String) async throws {
        let session = server.makeSession()
        let first = try await server.echo(in: session).connection
        for method in ["GET", "POST"] {
            let key = UUID().uuidString
            var request = URLRequest(url: try server.url("first:\(key) " + fault, key: key))
            request.httpMethod = method
            if method == "POST" { request.httpBody = Data("content".utf8) }
            let reply = try await session.reply(to: request)
            let echo = try JSONDecoder().decode(MisbehavingServer.Echo.self, from: reply.content)
            #expect(echo.method == method)
            #expect(echo.connection != first)
            #expect(try await server.count(of: key).count == 2)
        }
    }

    // The server reads until the client closes the connection: content that arrives at a closed one resets it, and the
    // reset may overtake the GOAWAY.
    @Test(
        "The content of an unprocessed request is sent again from the beginning, however much was sent",
        arguments: ["rst:7", "goaway:below:0 forever", "goaway:below:2 forever", "rst:13"],
        UploadedContent.allCases
    )
    func refusedContent(_ fault: String, _ kind: UploadedContent) async throws {
        for (method, size, begun) in [(HTTPMethod.post, 300_000, 100_000), (.put, 100_000, 1), (.post, 100, 0)] {
            // The connection of HTTP/1.1 after rst:13 would be used again, where there are no faults.
            let manager = server.makeManager()
            _ = try await manager.get(server.echoURL()).data
            let key = UUID().uuidString
            let url = try server.url("first:\(key) body:\(min(begun, size)) " + fault, key: key)
            let content = UploadedContent.bytes(size, seed: 7)
            let response = await kind.send(content, method, to: url, with: manager)
            guard kind.isRepeatable else {
                #expect(response.error?.code == .bodyUnreadable)
                continue
            }
            #expect(response.error == nil)
            let echo = try JSONDecoder().decode(MisbehavingServer.Echo.self, from: response.data)
            #expect(echo.length == size && echo.checksum == UploadedContent.checksum(of: content))
            #expect((echo.connection == 0) == (fault == "rst:13"))
            let count = try await server.count(of: key).count
            #expect(count == 2)
        }
    }

    @Test("A request that the server refuses each time ends in an error", arguments: UploadedContent.allCases)
    func refusedAlways(_ kind: UploadedContent) async throws {
        let manager = server.makeManager()
        let response = await kind.send(Data(count: 100_000), .post, to: try server.url("body:1 rst:7"), with: manager)
        #expect(response.error?.code == (kind.isRepeatable ? .connectionLost : .bodyUnreadable))
    }

    @Test("After HTTP_1_1_REQUIRED a request is sent over HTTP/1.1, but two responses are never joined")
    func olderVersion() async throws {
        let session = server.makeSession()
        let reply = try await session.reply(to: server.url("rst:13"))
        #expect(try reply.last.protocolName == "http/1.1")
        for style in LoadingStyle.allCases {
            let url = try server.url("head:200 data:10 rst:13")
            await #expect(throws: (any Error).self) { _ = try await style.load(url, from: server) }
            let later = try server.url("head:200 data:10 send streams:1 rst:13")
            await #expect(throws: (any Error).self) { _ = try await style.load(later, from: server) }
        }
    }

    @Test("A connection on which a request timed out gets no more requests")
    func timeout() async throws {
        let session = server.makeSession()
        let first = try await server.echo(in: session).connection
        var request = URLRequest(url: try server.url("deaf forever"))
        request.timeoutInterval = 1
        let failing = request
        await #expect(throws: URLError.self) { _ = try await session.reply(to: failing) }
        for _ in 0..<3 { #expect(try await server.echo(in: session).connection != first) }
    }

    @Test(
        "Requests that wait for their responses on the server do not delay other requests",
        .enabled(if: Servers.areFramesSeen, "libcurl before 8.3 reports no frames.")
    )
    func heldRequests() async throws {
        let session = server.makeSession()
        let name = UUID().uuidString
        let limit = session.configuration.httpMaximumConnectionsPerHost
        let held = try server.url("wait:\(name) headend:204", key: name)
        let tasks = (0..<2 * limit).map { _ in Task { try await session.reply(to: held).status } }
        while try await server.count(of: name).count < limit { await Task.yield() }
        for _ in 0..<3 { _ = try await server.echo(in: session) }
        _ = try await server.makeSession().reply(to: server.url("signal:\(name) headend:204"))
        for task in tasks { #expect(try await task.value == 204) }
    }

    @Test(
        "A busy connection beyond its maximum age is left to its streams, and the next requests share a new connection",
        .enabled(if: Servers.limitsAge, "libcurl before 7.80 limits no age."),
        arguments: ["GET", "POST"]
    )
    func age(_ method: String) async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        var options = server.options
        options.maximumConnectionAge = .seconds(3)
        let session = CurlURLSession(configuration: configuration, options: options)
        defer { session.invalidateAndCancel() }
        let name = UUID().uuidString
        let first = try await server.echo(in: session).connection
        async let stream = session.reply(to: server.url("head:200 data:10 signal:\(name) wait:\(name)2 last:5"))
        _ = try await server.makeSession().reply(to: server.url("wait:\(name) headend:204"))
        #expect(try await server.echo(in: session).connection == first)
        // The time passes.
        var request = URLRequest(url: try server.url("forever"))
        request.timeoutInterval = 4
        let silent = request
        await #expect(throws: URLError.self) { _ = try await server.makeSession().reply(to: silent) }
        let second = try await server.echo(in: session, method: method).connection
        #expect(second != first)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<5 { group.addTask { try await server.echo(in: session, method: method).connection } }
            for try await connection in group { #expect(connection == second) }
        }
        #expect(await session.connections.first?.open == 2)
        _ = try await server.makeSession().reply(to: server.url("signal:\(name)2 headend:204"))
        #expect(try await stream.content.count == 15)
        // From 8.21 on, libcurl closes the old connection when it looks for a connection for the next request.
        try await eventually(true) {
            let next = try await server.echo(in: session).connection
            #expect(next == second)
            return await session.connections.first?.open == 1
        }
    }

    @Test("One connection is opened in advance, whatever their number is, and only if there is none")
    func connect() async throws {
        let servers = try Servers()
        let url = try servers.url(.h2, "/")
        var options = servers.options
        options.http2 = .always
        let session = servers.makeSession(options: options)
        defer { session.invalidateAndCancel() }
        for count in [3, 1, 5] {
            try await session.connect(to: url, count: count)
            let origin = try #require(await session.connections.first)
            #expect(origin.open == 1 && origin.idle == 1 && origin.protocolName == "h2")
        }
        #expect(try await session.reply(to: url).last.isReusedConnection)
    }

    @Test("After a timeout of one stream, new requests avoid its connection, whose other streams continue")
    func timeoutOfOne() async throws {
        let session = server.makeSession()
        let name = UUID().uuidString
        let first = try await server.echo(in: session).connection
        async let other = session.reply(to: server.url("head:200 data:10 signal:\(name) wait:\(name)2 last:5"))
        var request = URLRequest(url: try server.url("wait:\(name) forever"))
        request.timeoutInterval = 1
        let failing = request
        await #expect(throws: URLError.self) { _ = try await session.reply(to: failing) }
        for method in ["GET", "POST"] {
            #expect(try await server.echo(in: session, method: method).connection != first)
        }
        _ = try await server.makeSession().reply(to: server.url("signal:\(name)2 headend:204"))
        let count = try await other.content.count
        #expect(count == 15)
    }
}
#endif
