import Foundation
import LarkspurTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct URLSessionTests {
    private func data(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let session = URLSession(configuration: .ephemeral)
        defer { session.finishTasksAndInvalidate() }
        let (data, response) = try await session.data(for: request)
        return (data, try #require(response as? HTTPURLResponse))
    }

    @Test("URLSession decodes the content that the server encodes", arguments: ["/gzip", "/deflate"])
    func encodings(path: String) async throws {
        let server = try LoopbackServer()
        let (data, response) = try await data(URLRequest(url: server.url(path)))
        #expect(response.statusCode == 200)
        let document = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(document["method"] as? String == "GET")
        server.stop()
    }

    @Test("URLSession sends a body, follows redirects and reads a stream")
    func smoke() async throws {
        let server = try LoopbackServer()
        var upload = URLRequest(url: server.url("/post"))
        upload.httpMethod = "POST"
        upload.httpBody = Data("hello".utf8)
        #expect(try await data(upload).1.statusCode == 200)
        #expect(server.requests[0].body == Data("hello".utf8))
        let (_, redirected) = try await data(URLRequest(url: server.url("/absolute-redirect/2")))
        #expect(redirected.url?.path == "/get")
        #expect(try await data(URLRequest(url: server.url("/stream-bytes/100000"))).0.count == 100_000)
        server.stop()
    }
}
