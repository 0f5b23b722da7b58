import LarkspurTesting
import Testing

@testable import Larkspur

/// Runs the samples of `Docs/GettingStarted.md` and of the guides to requests, responses and tasks against a server,
/// and checks their output and the requests that arrive there.
@Suite("Samples of the first guides", .timeLimit(.minutes(5)))
struct GettingStartedTests {
    let server: LoopbackServer
    let folder = TemporaryFolder()
    let samples: GettingStartedSamples

    init() throws {
        server = try LoopbackServer()
        server.route("/v1/users", .json("[1]"))
        samples = GettingStartedSamples(
            manager: SessionManager(baseURL: server.url("/v1"), configuration: .ephemeral)
        )
    }

    private var manager: SessionManager { samples.manager }

    private func output() async throws -> [String] {
        try await manager.finishAll()
        return samples.output.values
    }

    @Test func firstRequest() async throws {
        samples.firstRequest()
        #expect(try await output() == ["[1]"])
    }

    @Test func severalManagers() {
        samples.queues()
        #expect(samples.output.values.first?.contains("https://images.example.com") == true)
    }

    // MARK: Awaited calls

    @Test func awaitedContents() async throws {
        server.route("/v1/users", .json(#"[{"name": "Ada"}]"#))
        server.route("/v1/settings", .json(#"{"theme": "dark"}"#))
        server.route("/v1/notes", .text("all is well"))
        server.route("/v1/logo", .data(Data(count: 7), contentType: "image/png"))

        try await samples.awaitedQuery()
        try await samples.awaitedContents()

        #expect(samples.output.values == ["1", "dark all is well 7"])
        let target = server.requests(to: "/v1/users").first?.target
        #expect(target == "/v1/users?active=1&page=2&tags%5B%5D=new&tags%5B%5D=vip")
    }

    @Test func awaitedBodies() async throws {
        server.route("/v1/login", .json(#"{"token": "secret"}"#))
        server.route("/v1/users", method: "POST", .json(#"{"name": "Ada"}"#, status: 201))

        try await samples.awaitedForm()
        try await samples.awaitedJSON()

        #expect(samples.output.values == ["secret", "Ada"])
        #expect(server.requests.map { $0.headers["Content-Type"] }.last == "application/json")
        #expect(server.requests.first?.text == "remember=1&user=ada")
    }

    @Test func awaitedErrors() async throws {
        let missing = LoopbackServer.Response.json(#"{"message": "No such user"}"#, status: 404)
        server.route("/v1/users/99", missing, .json("[1"), .fault(.noResponse))
        try await samples.awaitedErrors()
        try await samples.awaitedErrors()
        manager.timeouts.total = .milliseconds(100)
        try await samples.awaitedErrors()
        manager.timeouts.total = nil
        server.stop()
        try await samples.awaitedErrors()

        let lines = samples.output.values
        #expect(lines.first == "no such user: Request failed: Not Found (404): No such user")
        let beginnings = lines.map { $0.prefix { $0 != ":" } }
        #expect(beginnings == ["no such user", "not the expected JSON", "too slow", "not reachable"])
    }

    @Test func maximumSize() async {
        server.route("/v1/report", .text("all is well"), .text(String(repeating: "a", count: 10_000_001)))
        await samples.maximumSize()
        await samples.maximumSize()
        #expect(samples.output.values == ["11", "more than 10 MB"])
    }

    @Test func awaitedLimits() async throws {
        server.route("/v1/users/1", .json(#"{"name": "Ada"}"#))
        try await samples.awaitedLimits()
        #expect(samples.output.values == ["Ada"])
    }

    @Test func awaitedProgress() async throws {
        server.route("/v1/archive", .data(Data(count: 300_000)))
        try await samples.awaitedProgress()
        #expect(samples.output.values.last == "done: 300000 bytes")
        #expect(samples.output.values.contains("300000 of 300000"))
    }

    // MARK: Requests

    @Test func parameters() async throws {
        server.route("/v1/users", .json(#"[{"name": "Ada"}]"#))
        server.route("/v1/search", .json("[2]"))

        try await samples.awaitedQuery()
        samples.encodableParameters()
        #expect(try await output() == ["1", "[2]"])
        samples.queryStyles()
        try await samples.awaitedQuery()

        #expect(
            server.requests.map(\.target) == [
                "/v1/users?active=1&page=2&tags%5B%5D=new&tags%5B%5D=vip", "/v1/search?page=1&text=ada%20lovelace",
                "/v1/users?active=true&page=2&tags=new&tags=vip",
            ]
        )
    }

    @Test func parameterEncoding() async throws {
        server.route("/v1/search", .json("[2]"))
        samples.parameterEncoding()
        #expect(try await output() == ["[2]"])
        #expect(server.requests.map(\.target) == ["/v1/search?q=ada"])
        #expect(server.requests.first?.method == "POST")
    }

    @Test func serializers() async throws {
        server.route("/v1/users/1", .json(#"{"id": 1, "name": "Ada"}"#))
        server.route("/v1/report", .text("all is well"))
        server.route("/v1/logo", .data(Data(count: 7), contentType: "image/png"))
        server.route("/v1/news", .data(Data("<news/>".utf8), contentType: "application/xml"))

        samples.typedResponse()
        samples.serializers()
        samples.document()

        #expect(Set(try await output()) == ["Ada", "all is well", "7 bytes", "news"])
    }

    @Test func acceptableResponses() async throws {
        server.route("/v1/users", .data(Data("[404]".utf8), contentType: "text/html", status: 404))

        samples.acceptableResponses()
        samples.firstRequest()

        #expect(try await output() == ["[404]"])
    }

    @Test func bodies() async throws {
        let user = #"{"name": "Ada"}"#
        server.route("/v1/users", method: "POST", .json(user, status: 201), .json(#"{"id": 7}"#, status: 201))
        server.route("/v1/users/1", method: "DELETE", .status(204))

        try await samples.awaitedJSON()
        samples.jsonDictionary()
        _ = try await output()
        samples.noContent()
        _ = try await output()
        server.route("/v1/rules/1", method: "PUT", .json("[5]"))
        samples.ownEncoder()

        #expect(try await output() == ["Ada", "[\"id\": 7]", "deleted", "[5]"])
        let rule = try #require(server.requests(to: "/v1/rules/1").first)
        #expect(rule.query("dry") == "1" && rule.headers["Content-Type"] == "application/x-plist")
        #expect(server.requests.first?.headers["Content-Type"] == "application/json")
        struct NewUser: Decodable, Equatable { var name: String, tags: [String] }
        #expect(try server.requests(to: "/v1/users").first?.json() == NewUser(name: "Ada", tags: ["vip"]))
    }

    @Test func headers() async throws {
        samples.headers()
        _ = try await output()
        samples.authorization()
        samples.requestSettings()
        samples.firstRequest()
        _ = try await output()

        let requests = server.requests
        #expect(requests.map { $0.headers["X-Request-ID"] } == ["42", nil])
        #expect(requests.map { $0.headers["Accept"] } == ["application/json", "application/json"])
        #expect(requests.map { $0.headers["Authorization"] } == ["Bearer secret", nil])
        #expect(manager.tasks.isEmpty && manager.requestSettings.timeoutInterval == 10)
    }

    @Test func ownRequest() async throws {
        try samples.ownRequest()
        #expect(try await output() == ["200, 3 bytes"])
        #expect(server.requests.last?.query("page") == "2")
    }

    // MARK: Tasks

    @Test func waiting() {
        samples.waiting()
        #expect(samples.output.values == ["[1]", "[1]", "[1]", "all done"])
    }

    @Test func notifications() async throws {
        // An observer knows its object by the address: the task has to outlive it.
        let (observer, task) = samples.notifications(URLRequest(url: server.url("/v1/users")))
        defer { withExtendedLifetime(task) { NotificationCenter.default.removeObserver(observer) } }
        task.resume()
        let lines = try await output()
        #expect(lines == ["/v1/users: success, 3 bytes"])
    }

    @Test func allTasks() async throws {
        let gate = LoopbackServer.Gate()
        server.route("/v1/slow", .fault(.noResponse))
        server.route("/v1/users", .json("[1]").held(until: gate))
        let slow = manager.get("slow") { _, _ in }
        let users = manager.get("users") { _, _ in }
        try await server.waitForRequests(2)

        samples.allTasks()
        gate.open()
        try await manager.finishAll()

        #expect(slow.error?.code == .cancelled)
        #expect(users.error == nil)
    }

    @Test func timeline() async throws {
        samples.timeline()
        let lines = try await output()
        #expect(lines.count == 3 && !lines.contains("\(Duration.zero)"))
    }

    // MARK: Uploads and downloads

    @Test func upload() async throws {
        let file = try folder.file("content", Data("content of the file".utf8))
        server.route("/v1/backups/1", method: "PUT", .json("[6]"))
        try await samples.upload(file)
        #expect(try await output().suffix(2) == ["19 of 19", "[6]"])
        #expect(server.requests.map(\.text) == ["content of the file"])
    }

    @Test func download() async throws {
        server.route("/v1/archive.zip", .data(Data(count: 5000), contentType: "application/zip"))
        samples.download(folder.url)

        let lines = try await output()
        #expect(lines.suffix(2) == ["5000 of 5000", "archive.zip"])
        #expect(try Data(contentsOf: folder.url.appendingPathComponent("archive.zip")).count == 5000)
    }

    // MARK: Hooks

    @Test func hooks() async throws {
        server.route("/away", .redirect(to: "http://localhost:\(server.port)/get"))
        samples.redirects()
        samples.challenges()

        #expect(try await manager.call(.get, "/redirect/1").isSuccess)
        #expect(try await manager.call(.get, "/away").statusCode == 302)
        #expect(try await manager.call(.get, "/basic-auth/ada/secret").isSuccess)
    }

    @Test func refusedResponses() async throws {
        // The body is held back, as `.foundation` may deliver all of it before the cancellation reaches it.
        let body = LoopbackServer.Response.Step.bytes(Data(count: 2_000_000))
        server.route("/large", .stream([.wait(LoopbackServer.Gate()), body]))

        samples.responses()

        #expect(try await manager.call(.get, "/large", serializer: .data).error?.code == .cancelled)
        #expect(try await manager.call(.get, "/bytes/20", serializer: .data).isSuccess)
    }

    // MARK: Serializers

    @Test func ownSerializer() async throws {
        server.route("/v1/table", .text("a\nb\nc\n"))
        samples.ownSerializer()
        #expect(try await output() == ["3"])
    }
}
