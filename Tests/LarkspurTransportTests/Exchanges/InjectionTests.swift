#if canImport(FoundationNetworking)
import LarkspurTesting
import LarkspurTransport
import Testing

@Suite("Requests that would break their header", .timeLimit(.minutes(5)))
struct InjectionTests {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    @Test(
        "A method with line ends or blanks is refused",
        arguments: [
            "GET /x HTTP/1.1\r\nX-Smuggled: 1\r\nX-Rest:", "GET\n", "G T", "", "P\u{0}ST", "GÉT",
        ]
    )
    func method(method: String) async throws {
        var request = URLRequest(url: server.url("/get"))
        request.httpMethod = method
        let outcome = try await Style.handler.send(request)
        if request.httpMethod == "GET" { return }
        #expect(outcome.error is URLError)
        #expect(server.requests.isEmpty)
    }

    @Test(
        "A field of the configuration with a line break or an invalid name is refused",
        arguments: [
            ["X-Cfg": "a\r\nX-Injected: 1"], ["X-Cfg": "a\nb"], ["X\r\nY": "a"], ["X Y": "a"], ["": "a"],
            ["X": "a\u{0}b"],
        ]
    )
    func configuration(fields: [String: String]) async throws {
        let configuration = URLSessionConfiguration.testing { $0.httpAdditionalHeaders = fields }
        let outcome = try await Style.handler.send(URLRequest(url: server.url("/get")), configuration: configuration)
        #expect(outcome.error is URLError)
        #expect(server.requests.isEmpty)
    }

    @Test("A field of the configuration may be empty or a number")
    func numbers() async throws {
        let configuration = URLSessionConfiguration.testing {
            $0.httpAdditionalHeaders = ["X-N": 5, 6: "x", "X-E": ""]
        }
        let outcome = try await Style.handler.send(URLRequest(url: server.url("/get")), configuration: configuration)
        #expect(outcome.status == 200)
        #expect(server.requests.first?.headers["X-N"] == "5")
        #expect(server.requests.first?.headers["6"] == "x")
        #expect(server.requests.first?.headers["X-E"] == "")
    }

    @Test("A line break in a field of the request never adds a line")
    func field() async throws {
        var request = URLRequest(url: server.url("/get"))
        request.setValue("a\r\nX-Injected: 1", forHTTPHeaderField: "X-Own")
        request.setValue("1", forHTTPHeaderField: "X-Odd\r\nX-Injected")
        _ = try await Style.handler.send(request)
        #expect(server.requests.allSatisfy { $0.headers["X-Injected"] == nil })
    }

    @Test(
        "A line break in a URL never adds a line",
        arguments: ["/a\r\nX-Injected: 1", "/a%0d%0aX-Injected:%201", "/a?b\nc"]
    )
    func url(path: String) async throws {
        guard let url = URL(string: server.baseURL.absoluteString + path) else { return }
        _ = try await Style.handler.send(URLRequest(url: url))
        #expect(server.requests.allSatisfy { $0.headers["X-Injected"] == nil })
    }

    @Test("A request that a delegate returns for a redirect is checked too")
    func redirect() async throws {
        server.route("/from", .redirect(to: "/to"))
        let log = DelegateLog(
            .with {
                $0.redirect = { _, request, answer in
                    var request = request
                    request.httpMethod = "GET /x HTTP/1.1\r\nX:"
                    answer(request)
                }
            }
        )
        let session = CurlURLSession(configuration: .testing, delegate: log, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        #expect(try await log.outcome(of: session.dataTask(with: server.url("/from"))).error is URLError)
        #expect(server.requests.count == 1)
    }
}
#endif
