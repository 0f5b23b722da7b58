import Synchronization
import Testing

@testable import Larkspur

/// The rules of building requests, which all kinds of serializer have in common.
@Suite struct RequestSerializerTests {
    private let url: URL
    private var serializer = RequestBuilder()

    init() throws {
        url = try #require(URL(string: "http://example.com/path"))
    }

    private func urlOfGET(_ string: String, _ parameters: [String: Any], custom: String? = nil) throws -> String? {
        var serializer = serializer
        if let custom { serializer.customQuery = { _, _ in custom } }
        let url = try #require(URL(string: string))
        return try serializer.makeRequest(.get, url: url, parameters: .dictionary(parameters)).url?.absoluteString
    }

    @Test func getPutsParametersIntoTheQuery() throws {
        let request = try serializer.makeRequest(.get, url: url, parameters: .dictionary(["key": "value"]))
        #expect(request.url?.query == "key=value")
        #expect(request.httpBody == nil)
        #expect(request.value(forHTTPHeaderField: "Content-Type") == nil)
    }

    @Test func emptyParametersAddNoQuestionMark() throws {
        #expect(try urlOfGET("http://example.com", [:]) == "http://example.com")
        #expect(try urlOfGET("http://example.com", ["a": [Int]()]) == "http://example.com")
    }

    @Test func whatAQueryMayNotHoldIsEscaped() throws {
        #expect(
            try urlOfGET("http://example.com", ["key": " :#[]@!$&'()*+,;=/?"])
                == "http://example.com?key=%20%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D/?"
        )
    }

    @Test func whatIsEscapedAlreadyIsEscapedAgain() throws {
        #expect(
            try urlOfGET("http://example.com", ["key": "%20%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D/?"])
                == "http://example.com?key=%2520%253A%2523%255B%255D%2540%2521%2524%2526%2527%2528%2529%252A%252B%252C%253B%253D/?"
        )
    }

    @Test func theCustomQueryIsTakenVerbatim() throws {
        #expect(
            try urlOfGET("http://example.com", ["key": "value"], custom: "key**value")
                == "http://example.com?key**value"
        )
        #expect(try urlOfGET("http://example.com", [:], custom: "a=%20b+c[]") == "http://example.com?a=%20b+c%5B%5D")
    }

    @Test func theCustomQueryCannotLeaveTheQuery() throws {
        #expect(
            try urlOfGET("http://example.com/#f", [:], custom: "a#b \r\n%zz%4\"é%20%")
                == "http://example.com/?a%23b%20%0D%0A%25zz%254%22%C3%A9%20%25#f"
        )
    }

    @Test func theErrorOfTheCustomQueryIsReported() throws {
        struct Refusal: Error, Equatable { var number = 7 }
        var serializer = serializer
        serializer.customQuery = { _, _ in throw Refusal() }
        for method in [HTTPMethod.get, .post] {
            let error = #expect(throws: LarkspurError.self) {
                try serializer.makeRequest(method, url: url, parameters: .dictionary([:]))
            }
            #expect(error?.code == .parameterEncodingFailed)
            #expect(error?.underlyingError as? Refusal == Refusal())
            #expect(error?.failingURL == url)
        }
        serializer.customQuery = { _, _ in throw LarkspurError(.unsupported, "Not this.") }
        let error = #expect(throws: LarkspurError.self) {
            try serializer.makeRequest(.get, url: url, parameters: .dictionary([:]))
        }
        #expect(error?.code == .unsupported)
    }

    @Test func theCustomQueryIsNotCalledWithoutParametersAndSeesTheRequest() throws {
        var serializer = serializer
        serializer.customQuery = { request, parameters in
            guard case .dictionary(let dictionary) = parameters else { return "" }
            return "\(request.httpMethod ?? "")-\(request.value(forHTTPHeaderField: "X-A") ?? "")-\(dictionary.count)"
        }
        serializer.headers["X-A"] = "1"
        #expect(try serializer.makeRequest(.get, url: url).url == url)
        let request = try serializer.makeRequest(.get, url: url, parameters: .dictionary(["k": 1]))
        #expect(request.url?.query == "GET-1-1")
    }

    @Test(arguments: [
        ("http://h/p", "http://h/p?a=1"),
        ("http://h/p?", "http://h/p?a=1"),
        ("http://h/p?x=2", "http://h/p?x=2&a=1"),
        ("http://h/p?x=2&", "http://h/p?x=2&a=1"),
        ("http://h/p#f", "http://h/p?a=1#f"),
        ("http://h/p?#f", "http://h/p?a=1#f"),
        ("http://h/p?x=2#f?g", "http://h/p?x=2&a=1#f?g"),
        ("http://h", "http://h?a=1"),
        ("http://h/a%2Fb;c=%5B%5D?x=%5B+%2B%7c:@'", "http://h/a%2Fb;c=%5B%5D?x=%5B+%2B%7c:@'&a=1"),
        ("http://u:p%40@h:8080/?é", "http://u:p%40@h:8080/?%C3%A9&a=1"),
    ])
    func theQueryIsAppendedAndTheRestOfTheURLStays(string: String, expected: String) throws {
        #expect(try urlOfGET(string, ["a": 1]) == expected)
    }

    @Test(arguments: ["GET", "HEAD", "DELETE", "get", "Delete"])
    func theMethodsOfTheSetEncodeIntoTheURI(method: String) throws {
        let request = try serializer.makeRequest(
            HTTPMethod(rawValue: method),
            url: url,
            parameters: .dictionary(["a": 1])
        )
        #expect(request.url?.query == "a=1")
        #expect(request.httpBody == nil)
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "QUERY", "PURGE", "OPTIONS"])
    func otherMethodsEncodeIntoTheBody(method: String) throws {
        let request = try serializer.makeRequest(
            HTTPMethod(rawValue: method),
            url: url,
            parameters: .dictionary(["a": 1])
        )
        #expect(request.url == url)
        #expect(request.httpBody == Data("a=1".utf8))
        #expect(request.httpMethod == method)
    }

    @Test func theSetOfMethodsCanBeChanged() throws {
        var serializer = serializer
        serializer.methodsEncodingParametersInURI = ["post"]
        let get = try serializer.makeRequest(.get, url: url, parameters: .dictionary(["a": 1]))
        let post = try serializer.makeRequest(.post, url: url, parameters: .dictionary(["a": 1]))
        #expect(get.httpBody == Data("a=1".utf8))
        #expect(post.url?.query == "a=1")
    }

    @Test func headersAreAddedOnlyWhereTheRequestLacksThem() throws {
        var serializer = serializer
        serializer.headers = ["X-Mine": "default", "X-Other": "default"]
        var request = URLRequest(url: url)
        request.setValue("own", forHTTPHeaderField: "x-mine")
        let result = try serializer.serialize(request, parameters: nil)
        #expect(result.headers == ["x-mine": "own", "X-Other": "default"])
        let made = try serializer.makeRequest(.get, url: url, headers: ["x-other": "call"])
        #expect(made.headers == ["X-Mine": "default", "x-other": "call"])
    }

    @Test func everyRequestCarriesTheDefaultHeaders() throws {
        let request = try serializer.makeRequest(.get, url: url)
        #expect(request.headers == HTTPHeaders.default)
        #expect(request.value(forHTTPHeaderField: "User-Agent")?.isEmpty == false)
    }

    @Test func authorizationIsSetAndCleared() throws {
        var serializer = serializer
        serializer.settings.setAuthorization(username: "Aladdin", password: "open sesame")
        #expect(serializer.headers["Authorization"] == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        serializer.settings.setAuthorization(bearerToken: "abc")
        #expect(try serializer.makeRequest(.get, url: url).value(forHTTPHeaderField: "Authorization") == "Bearer abc")
        serializer.settings.clearAuthorization()
        #expect(try serializer.makeRequest(.get, url: url).value(forHTTPHeaderField: "Authorization") == nil)
    }

    @Test func settingsStayWhenTheSerializerIsReplaced() throws {
        var builder = RequestBuilder(.json)
        builder.headers["X-A"] = "1"
        builder.timeoutInterval = 5
        builder.serializer = .propertyList
        #expect(builder.settings.headers["X-A"] == "1")
        let request = try builder.makeRequest(.post, url: url, parameters: .dictionary(["a": 1]))
        #expect(request.timeoutInterval == 5 && request.headers["X-A"] == "1")
        #expect(request.headers["Content-Type"] == "application/x-plist")
    }

    @Test func onlyPropertiesThatWereSetAreApplied() throws {
        var serializer = serializer
        let plain = try serializer.makeRequest(.get, url: url)
        let bare = URLRequest(url: url)
        #expect(plain.timeoutInterval == bare.timeoutInterval)
        #expect(plain.cachePolicy == bare.cachePolicy)
        #expect(plain.allowsCellularAccess == bare.allowsCellularAccess)
        #expect(plain.httpShouldHandleCookies == bare.httpShouldHandleCookies)

        serializer.timeoutInterval = 5
        serializer.cachePolicy = .reloadIgnoringLocalCacheData
        serializer.networkServiceType = .background
        serializer.allowsCellularAccess = false
        serializer.httpShouldHandleCookies = false
        serializer.httpShouldUsePipelining = true
        let set = try serializer.makeRequest(.post, url: url)
        #expect(set.timeoutInterval == 5)
        #expect(set.cachePolicy == .reloadIgnoringLocalCacheData)
        #expect(set.networkServiceType == .background)
        #expect(!set.allowsCellularAccess)
        #expect(!set.httpShouldHandleCookies)
        #expect(isPipelined(set))
    }

    @Test func aPropertyThatIsSetToTheDefaultIsApplied() throws {
        // What a caller of `applyProperties` had before is what shows the difference.
        var settings = RequestSettings()
        var request = URLRequest(url: url, cachePolicy: .returnCacheDataDontLoad, timeoutInterval: 7)
        settings.applyProperties(to: &request)
        #expect(request.timeoutInterval == 7)
        #expect(request.cachePolicy == .returnCacheDataDontLoad)
        settings.timeoutInterval = 60
        settings.cachePolicy = .useProtocolCachePolicy
        settings.applyProperties(to: &request)
        #expect(request.timeoutInterval == 60)
        #expect(request.cachePolicy == .useProtocolCachePolicy)
    }

    @Test func serializingLeavesThePropertiesOfTheRequestAlone() throws {
        var serializer = serializer
        serializer.timeoutInterval = 5
        let request = URLRequest(url: url, cachePolicy: .returnCacheDataDontLoad, timeoutInterval: 7)
        #expect(try serializer.serialize(request, parameters: nil).timeoutInterval == 7)
    }

    @Test(arguments: ["", "GET ", "GET / HTTP/1.1\r\nX: y", "GÉT"])
    func aMethodThatIsNoTokenIsRefused(method: String) {
        let error = #expect(throws: LarkspurError.self) {
            try serializer.makeRequest(HTTPMethod(rawValue: method), url: url)
        }
        #expect(error?.code == .invalidMethod)
    }

    @Test func headersThatWouldBreakOutAreRefusedWhereverTheyComeFrom() throws {
        struct Injecting: RequestSerializer {
            func encodeBody(_ parameters: Parameters?, into request: inout URLRequest, with settings: RequestSettings) {
                // Folded over two lines, which `URLRequest` lets pass.
                request.setValue("a\r\n b", forHTTPHeaderField: "X-Body")
            }
        }
        var defaults = serializer
        defaults.headers["X-A"] = "hunter2\r\nX-B: 1"
        var own = URLRequest(url: url)
        own.allHTTPHeaderFields = ["X-Own": "a\nb"]
        let errors = [
            #expect(throws: LarkspurError.self) { try defaults.makeRequest(.get, url: url) },
            #expect(throws: LarkspurError.self) { try serializer.makeRequest(.get, url: url, headers: ["a b": "1"]) },
            #expect(throws: LarkspurError.self) { try serializer.serialize(own, parameters: nil) },
            #expect(throws: LarkspurError.self) { try RequestBuilder(Injecting()).makeRequest(.post, url: url) },
        ]
        #expect(errors.allSatisfy { $0?.code == .invalidHeaderField })
        #expect(errors.allSatisfy { $0.map { "\($0)".contains("hunter2") } == false })
    }

    @Test func aURLThatCannotBeRequestedIsRefused() throws {
        for string in ["path", "http:///path"] {
            let url = try #require(URL(string: string))
            let error = #expect(throws: LarkspurError.self) { try serializer.makeRequest(.get, url: url) }
            #expect(error?.code == .invalidURL)
        }
        var request = URLRequest(url: url)
        request.url = nil
        let error = #expect(throws: LarkspurError.self) { try serializer.serialize(request, parameters: nil) }
        #expect(error?.code == .invalidURL)
    }

    @Test func serializersAreSafeToChangeFromManyThreads() {
        let serializer = Mutex(RequestBuilder())
        DispatchQueue.concurrentPerform(iterations: 1000) { index in
            serializer.withLock { $0.headers["X-\(index)"] = "\(index)" }
        }
        let headers = serializer.withLock { $0.headers }
        #expect((0..<1000).allSatisfy { headers["x-\($0)"] == "\($0)" })
    }

    @Test func copiesHaveSettingsOfTheirOwnAndKeepAllOfThem() async throws {
        var original = serializer
        original.timeoutInterval = 5
        original.stringEncoding = .isoLatin1
        original.methodsEncodingParametersInURI = [.get]
        let shared = original
        let url = url
        let agents = try await withThrowingTaskGroup(of: String?.self) { group in
            for index in 0..<1000 {
                group.addTask {
                    var copy = shared
                    copy.headers["User-Agent"] = "agent-\(index)"
                    return try copy.makeRequest(.get, url: url).value(forHTTPHeaderField: "User-Agent")
                }
            }
            return try await group.reduce(into: Set<String>()) { if let agent = $1 { $0.insert(agent) } }
        }
        #expect(agents.count == 1000)
        #expect(shared.headers == HTTPHeaders.default)
        #expect(shared.settings.timeoutInterval == 5)
        #expect(shared.settings.stringEncoding == .isoLatin1)
        #expect(shared.settings.methodsEncodingParametersInURI == [.get])
    }

    private func isPipelined(_ request: some Pipelining) -> Bool { request.httpShouldUsePipelining }
}

private protocol Pipelining { var httpShouldUsePipelining: Bool { get } }

extension URLRequest: Pipelining {}
