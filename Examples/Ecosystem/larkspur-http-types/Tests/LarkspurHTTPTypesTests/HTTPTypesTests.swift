import HTTPTypes
import Larkspur
import LarkspurHTTPTypes
import LarkspurTesting
import Testing

@Suite("Requests and responses of swift-http-types", .timeLimit(.minutes(5)))
struct HTTPTypesTests {
    let server: LoopbackServer
    let manager: SessionManager

    init() throws {
        server = try LoopbackServer()
        manager = SessionManager(baseURL: server.baseURL, configuration: .ephemeral)
    }

    @Test("A request is sent with its method, fields and content")
    func request() async throws {
        server.route("/users", .text("Ada", status: 201).adding("X-Count", "1"))
        var request = HTTPRequest(
            method: .post,
            scheme: "http",
            authority: "127.0.0.1:\(server.port)",
            path: "/users?page=2"
        )
        request.headerFields = [.contentType: "text/plain", .accept: "text/plain"]
        request.headerFields.append(HTTPField(name: .accept, value: "*/*"))

        let (response, content) = try await manager.execute(request, body: Data("Ada".utf8))

        #expect(response.status == .created)
        #expect(response.headerFields[try #require(HTTPField.Name("X-Count"))] == "1")
        #expect(String(decoding: content, as: UTF8.self) == "Ada")
        let sent = try #require(server.requests.first)
        #expect(sent.method == "POST" && sent.target == "/users?page=2" && sent.text == "Ada")
        #expect(sent.headers["Content-Type"] == "text/plain" && sent.headers["Accept"] == "text/plain, */*")
    }

    @Test("A request without a host is resolved against the base URL, and has the headers of the manager")
    func relativeRequest() async throws {
        manager.headers["X-Key"] = "k"
        server.route("/notes", .text("none"))
        let request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/notes")

        #expect(try await manager.execute(request).response.status == .ok)
        #expect(server.requests(to: "/notes").first?.headers["X-Key"] == "k")
    }

    @Test("A response of any status is returned, and a missing response is an error")
    func failures() async throws {
        let request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/status/404")
        #expect(try await manager.execute(request).response.status == .notFound)

        server.route("/lost", .fault(.closeBeforeHeader))
        let lost = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/lost")
        let error = await #expect(throws: LarkspurError.self) { try await manager.execute(lost) }
        #expect(error?.code == .connectionLost)
    }
}
