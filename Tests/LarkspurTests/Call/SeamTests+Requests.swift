import LarkspurTestSupport
import LarkspurTesting
import Synchronization
import Testing

@testable import Larkspur

/// Requests that are remembered.
extension SeamTests {
    @Test("A stored request is not used after the settings have changed")
    func remembered() throws {
        let manager = SessionManager(baseURL: "http://a.test")
        func request(
            _ method: HTTPMethod = .get,
            _ url: String = "x?y=1",
            parameters: Parameters? = nil,
            headers: HTTPHeaders? = nil
        ) throws -> URLRequest {
            try #require(manager.plan(RequestDraft(method, url, parameters, nil, headers)).request).get()
        }
        let first = try request()
        #expect(try request() == first)
        manager.headers["X-A"] = "1"
        #expect(try request().value(forHTTPHeaderField: "X-A") == "1")
        #expect(try request(headers: ["X-A": "2"]).value(forHTTPHeaderField: "X-A") == "2")
        #expect(try request().value(forHTTPHeaderField: "X-A") == "1")
        manager.requestSettings.timeoutInterval = 7
        #expect(try request().timeoutInterval == 7)
        #expect(try request(.head).httpMethod == "HEAD")
        #expect(try request(parameters: ["z": 2]).url?.query == "y=1&z=2")
        #expect(try request(.get, "x?y=2").url?.query == "y=2")
        #expect(try request().url?.absoluteString == "http://a.test/x?y=1")
        // Two ways to write one letter, which a string takes for the same.
        #expect(try request(.get, "caf\u{E9}").url?.absoluteString == "http://a.test/caf%C3%A9")
        #expect(try request(.get, "cafe\u{301}").url?.absoluteString == "http://a.test/cafe%CC%81")
        #expect(try request(.get, "K").url?.absoluteString == "http://a.test/K")
        #expect(try request(.get, "\u{212A}").url?.absoluteString == "http://a.test/%E2%84%AA")
        manager.requestSettings = RequestSettings()
        #expect(try request() == first && request().allHTTPHeaderFields == first.allHTTPHeaderFields)
        manager.headers["bad name"] = "1"
        #expect(throws: LarkspurError.self) { try request() }
    }

    @Test("A custom serializer is called for each request, and its requests are validated")
    func serializerOfTheCaller() async throws {
        let manager = SessionManager(baseURL: server.baseURL)
        manager.requestSettings.methodsEncodingParametersInURI = []
        let serializer = MethodSerializer()
        manager.requestSerializer = serializer
        for method in ["POST", "A B", "GET", "A B"] {
            serializer.method.withLock { $0 = method }
            let response = await manager.get("anything").response()
            #expect(response.error?.code == (method == "A B" ? .invalidMethod : nil))
            if response.error == nil { #expect(response.request?.httpMethod == method) }
        }
    }

    /// A serializer that changes the method.
    private final class MethodSerializer: RequestSerializer {
        let method = Mutex("GET")

        func encodeBody(
            _ parameters: Parameters?,
            into request: inout URLRequest,
            with settings: RequestSettings
        ) throws(LarkspurError) {
            request.httpMethod = method.withLock { $0 }
        }
    }

    @Test("A target that changes the settings while it creates its URL has the changes in its own request")
    func changingTarget() throws {
        struct Target: RequestTarget {
            let manager: SessionManager

            func requestURL(relativeTo base: URL?) throws(LarkspurError) -> URL {
                manager.headers["X-A"] = "new"
                return try "x".requestURL(relativeTo: base)
            }
        }
        let manager = SessionManager(baseURL: "http://a.test")
        let request = try manager.makeRequest(.get, Target(manager: manager))
        #expect(request.value(forHTTPHeaderField: "X-A") == "new")
    }

    @Test("Requests never have settings that are older than the last change by another thread")
    func rememberedUnderRaces() async throws {
        let manager = SessionManager(baseURL: "http://a.test")
        await withTaskGroup { group in
            group.addTask { for n in 1...2000 { manager.headers["X-N"] = "\(n)" } }
            group.addTask {
                var last = 0
                for _ in 0..<20000 {
                    let request = try? manager.plan(RequestDraft(.get, "x")).request?.get()
                    let text = request?.value(forHTTPHeaderField: "X-N")
                    let number = text.flatMap { Int($0) } ?? 0
                    #expect(number >= last)
                    last = number
                }
            }
        }
        #expect(try manager.makeRequest(.get, "x").value(forHTTPHeaderField: "X-N") == "2000")
    }
}
