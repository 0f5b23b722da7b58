#if canImport(FoundationNetworking)
import LarkspurTransport
import Testing

@Suite("HTTPCache as a URLCache")
struct HTTPCacheTests {
    let cache = HTTPCache(memoryCapacity: 1 << 20, directory: nil)

    private func request(_ text: String, _ headers: [String: String] = [:]) throws -> URLRequest {
        URLRequest(try #require(URL(string: text)), "GET", headers: headers)
    }

    private func response(
        _ text: String,
        _ content: String,
        _ fields: [String: String] = ["Cache-Control": "max-age=60"],
        _ policy: URLCache.StoragePolicy = .allowed
    ) throws -> CachedURLResponse {
        let url = try #require(URL(string: text))
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields)
        )
        return CachedURLResponse(response: response, data: Data(content.utf8), storagePolicy: policy)
    }

    private func content(_ text: String, _ headers: [String: String] = [:]) throws -> String? {
        cache.cachedResponse(for: try request(text, headers)).map { String(decoding: $0.data, as: UTF8.self) }
    }

    @Test("Scheme, host, port, path and query tell entries apart; fragment and user do not")
    func keys() throws {
        let texts = [
            "http://a.test/x", "https://a.test/x", "http://a.test/x?user=bob", "http://a.test/x?user=alice",
            "http://a.test:81/x", "http://b.test/x", "http://a.test/X",
        ]
        for text in texts { cache.storeCachedResponse(try response(text, text), for: try request(text)) }
        for text in texts { #expect(try content(text) == text) }
        #expect(try content("http://a.test/x?user=eve") == nil)
        #expect(try content("http://a.test/x#part") == "http://a.test/x")
        #expect(try content("http://user@a.test/x") == "http://a.test/x")
        cache.removeCachedResponse(for: try request("http://a.test/x?user=bob"))
        #expect(try content("http://a.test/x?user=bob") == nil)
        #expect(try content("http://a.test/x?user=alice") != nil)
        cache.removeAllCachedResponses()
        for text in texts { #expect(try content(text) == nil) }
    }

    @Test("Different values of the fields in Vary and different credentials have separate entries")
    func variants() throws {
        let url = "http://a.test/x"
        for language in ["en", "de"] {
            cache.storeCachedResponse(
                try response(url, language, ["Vary": "Accept-Language"]),
                for: try request(url, ["Accept-Language": language])
            )
        }
        cache.storeCachedResponse(try response(url, "secret"), for: try request(url, ["Authorization": "Basic a"]))
        #expect(try content(url, ["Accept-Language": "en"]) == "en")
        #expect(try content(url, ["Accept-Language": "de"]) == "de")
        #expect(try content(url, ["Accept-Language": "fr"]) == nil)
        #expect(try content(url, ["Authorization": "Basic a"]) == "secret")
        #expect(try content(url, ["Authorization": "Basic b"]) == nil)
    }

    @Test("A cached response has the status, fields and content that were stored")
    func whole() throws {
        let url = "http://a.test/x"
        cache.storeCachedResponse(try response(url, "content", ["ETag": "\"a\"", "X-a": "b"]), for: try request(url))
        let cached = try #require(cache.cachedResponse(for: try request(url)))
        let http = try #require(cached.response as? HTTPURLResponse)
        #expect(http.url?.absoluteString == url)
        #expect(http.statusCode == 200)
        #expect(http.value(forHTTPHeaderField: "etag") == "\"a\"")
        #expect(http.value(forHTTPHeaderField: "X-a") == "b")
        #expect(cached.storagePolicy == .allowed)
    }

    @Test("Responses that must not or cannot be stored are not stored")
    func refusals() throws {
        let url = "http://a.test/x"
        cache.storeCachedResponse(try response(url, "a", [:], .notAllowed), for: try request(url))
        cache.storeCachedResponse(try response(url, "a", ["Vary": "*"]), for: try request(url))
        cache.storeCachedResponse(try response(url, String(repeating: "x", count: 60_000)), for: try request(url))
        var post = try request(url)
        post.httpMethod = "POST"
        cache.storeCachedResponse(try response(url, "a"), for: post)
        let plain = URLResponse(
            url: post.url ?? URL(fileURLWithPath: "/"),
            mimeType: nil,
            expectedContentLength: 1,
            textEncodingName: nil
        )
        cache.storeCachedResponse(CachedURLResponse(response: plain, data: Data("a".utf8)), for: try request(url))
        #expect(try content(url) == nil)
        #expect(cache.currentMemoryUsage == 0)
    }

    @Test("HTTPCache counts its own sizes, and its superclass makes no folder")
    func sizes() throws {
        #expect(cache.memoryCapacity == 1 << 20)
        #expect(cache.diskCapacity == 20 << 20)
        #expect(cache.currentDiskUsage == 0)
        cache.storeCachedResponse(try response("http://a.test/x", "content"), for: try request("http://a.test/x"))
        #expect((1...2000).contains(cache.currentMemoryUsage))
        cache.memoryCapacity = -1
        #expect(cache.memoryCapacity == 0)
        #expect(cache.currentMemoryUsage == 0)
        cache.diskCapacity = 7
        #expect(cache.diskCapacity == 7)
    }

    @Test("The initialiser of the superclass takes the path of a folder")
    func path() throws {
        let directory = CacheDirectory()
        let url = "http://a.test/x"
        let first = HTTPCache(memoryCapacity: 0, diskCapacity: 1 << 20, diskPath: directory.url.path)
        first.storeCachedResponse(try response(url, "content"), for: try request(url))
        #expect(first.currentDiskUsage > 0)
        let second = HTTPCache(memoryCapacity: 0, diskCapacity: 1 << 20, diskPath: directory.url.path)
        #expect(second.cachedResponse(for: try request(url))?.data == Data("content".utf8))
        second.removeCachedResponses(since: Date.distantPast)
        #expect(second.currentDiskUsage == 0)
        #expect(directory.names == [])
    }

    @Test("The methods for tasks use the task's request")
    func tasks() async throws {
        let session = CurlURLSession(configuration: .testing)
        defer { session.invalidateAndCancel() }
        let task = session.dataTask(with: try request("http://a.test/x"))
        cache.storeCachedResponse(try response("http://a.test/x", "content"), for: task)
        let found = Recorder<Data?>()
        cache.getCachedResponse(for: task) { found.record($0?.data) }
        #expect(try await found.first() == Data("content".utf8))
        cache.removeCachedResponse(for: task)
        #expect(try content("http://a.test/x") == nil)
    }
}
#endif
