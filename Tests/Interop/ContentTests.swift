#if canImport(FoundationNetworking)
import Foundation
import LarkspurTransport
import Testing

/// Content that goes over HTTP/2 and HTTP/1.1, either way.
@Suite("Content", .needsServers, .timeLimit(.minutes(5)))
struct ContentTests {
    let servers: Servers

    init() throws { servers = try Servers() }

    @Test(
        "Content arrives unchanged from the server",
        arguments: [Servers.Port.http, .http1, .h2],
        ["small", "medium", "large"]
    )
    func download(_ port: Servers.Port, _ name: String) async throws {
        let session = servers.makeSession()
        let original = try servers.contents(of: "content/\(name)")
        let reply = try await session.reply(to: servers.url(port, "/\(name)"))
        #expect(reply.content == original)
        #expect(reply.response.expectedContentLength == Int64(original.count))
        #expect(try reply.last.responseBodyBytes == Int64(original.count))
        let (file, _) = try await session.download(from: servers.url(port, "/\(name)"))
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try Data(contentsOf: file) == original)
    }

    @Test("Posted content arrives unchanged", arguments: [Servers.Port.http1, .h2])
    func post(_ port: Servers.Port) async throws {
        var request = URLRequest(url: try servers.url(port, "/post"))
        request.httpMethod = "POST"
        request.httpBody = Data("a=1&b=two".utf8)
        request.setValue("text/x-test", forHTTPHeaderField: "Content-Type")
        let reply = try await servers.makeSession().reply(to: request)
        #expect(reply.text == "POST 9 text/x-test")
        #expect(reply.field("X-Content") == "a=1&b=two")
        #expect(try reply.last.requestBodyBytes == 9)
    }

    @Test(
        "A file of 10 MiB is uploaded completely, from memory and from the disk",
        arguments: [Servers.Port.http1, .h2],
        [true, false]
    )
    func upload(_ port: Servers.Port, isFile: Bool) async throws {
        let session = servers.makeSession()
        let original = try servers.contents(of: "content/large")
        let name = "uploads/\(port.rawValue)-\(isFile)"
        var request = URLRequest(url: try servers.url(port, "/\(name)"))
        request.httpMethod = "PUT"
        let response =
            if isFile {
                try await session.upload(for: request, fromFile: servers.file("content/large")).1
            } else {
                try await session.upload(for: request, from: original).1
            }
        #expect((response as? HTTPURLResponse)?.statusCode == 201)
        #expect(try servers.contents(of: name) == original)
    }

    @Test(
        "Compressed content is decoded, and the metrics have both sizes",
        arguments: [Servers.Port.http1, .h2],
        ["gzip", "br"]
    )
    func compressed(_ port: Servers.Port, _ coding: String) async throws {
        let original = try servers.contents(of: "content/text.txt")
        let target = coding == "br" ? "/text.txt" : "/gzip/text.txt"
        let reply = try await servers.makeSession().reply(to: servers.url(port, target))
        #expect(reply.field("Content-Encoding") == coding)
        #expect(reply.content == original)
        let metrics = try reply.last
        #expect(metrics.responseBodyBytes < 10_000)
        #expect(metrics.responseBodyBytesDecoded == Int64(original.count))
    }

    @Test("A response has the requested range of a file", arguments: [Servers.Port.http1, .h2])
    func range(_ port: Servers.Port) async throws {
        let original = try servers.contents(of: "content/medium")
        var request = URLRequest(url: try servers.url(port, "/medium"))
        request.setValue("bytes=1000-1999", forHTTPHeaderField: "Range")
        let reply = try await servers.makeSession().reply(to: request)
        #expect(reply.status == 206)
        #expect(reply.content == original[1000..<2000])
    }

    @Test("A file is delivered for the right credentials", arguments: [Servers.Port.http, .h2])
    func credentials(_ port: Servers.Port) async throws {
        let session = servers.makeSession()
        let url = try servers.url(port, "/private/small")
        #expect(try await session.reply(to: url).status == 401)
        let secret = try #require(URL(string: url.absoluteString.replacing("://", with: "://ada:correct%20horse@")))
        let reply = try await session.reply(to: secret)
        #expect(reply.status == 200)
        #expect(reply.content == (try servers.contents(of: "content/small")))
    }
}
#endif
