import LarkspurTesting
import Testing

@testable import Larkspur
@testable import LarkspurReachability

extension MigrationGuide {
    /// The number of public symbols that Alamofire's sources declare, by the heading of the table that has them.
    /// Overloads share a row.
    static let alamofire = MigrationGuide(
        page: "MigratingFromAlamofire.md",
        counts: [
            "Alamofire": 14, "Session": 29, "SessionDelegate": 30, "URLConvertible": 10, "Request": 67,
            "DataRequest": 15,
            "DataStreamRequest": 33, "DataStreamSerializer": 17, "DownloadRequest": 30, "UploadRequest": 13,
            "WebSocketRequest": 51, "Notifications of requests": 16, "HTTPHeaders": 25, "HTTPHeader": 20,
            "HTTPMethod": 13, "ParameterEncoder": 22, "ParameterEncoding": 35, "URLEncodedFormEncoder": 55,
            "MultipartFormData": 12, "RequestCompression": 11, "DataResponse": 18, "DownloadResponse": 17,
            "Serializers": 69, "AFError": 54, "Reasons of encoding errors": 24, "Reasons of response errors": 14,
            "Reasons of server trust errors": 18, "RequestInterceptor": 32, "RetryPolicy": 20, "OfflineRetrier": 7,
            "AuthenticationInterceptor": 21, "RedirectHandler": 15, "CachedResponseHandler": 15, "EventMonitor": 45,
            "ClosureEventMonitor": 44, "ServerTrustManager": 39, "Extensions of Security": 17,
            "NetworkReachabilityManager": 20, "Asynchronous calls": 30, "Asynchronous streams": 30, "Publishers": 36,
        ]
    )
}

@Suite("The guide for users of Alamofire", .timeLimit(.minutes(5)))
struct AlamofireMigrationTests {
    let server: LoopbackServer
    let folder = TemporaryFolder()
    let samples: AlamofireSamples

    init() throws {
        server = try LoopbackServer()
        server.route("/users/*", .json(#"{"name": "Ada"}"#))
        server.route("/users", .json(#"{"name": "Ada"}"#))
        server.route("/login", .text("welcome"))
        server.route("/notes", .text("notes"))
        samples = AlamofireSamples(
            manager: TestTransport.allCases[0].makeManager(for: server),
            url: server.baseURL,
            file: try folder.file("ada.jpg", Data("a portrait".utf8))
        )
    }

    @Test("Each Larkspur example has at most as many lines as Alamofire's, and the guide's table has both counts")
    func lines() throws {
        let page = try #require(Documentation.page(MigrationGuide.alamofire.page))
        let table = page.rows(below: "### Lines of code")
        let blocks = page.blocks.map { (info: $0.info, count: Documentation.normalized($0.lines).count) }
        let numbers = table.map { $0.dropFirst().compactMap { Int($0) } }

        #expect(table.count == 14)
        #expect(blocks.map(\.info) == table.flatMap { _ in ["text", "swift"] })
        #expect(numbers.flatMap { $0 } == blocks.map(\.count))
        for row in numbers { #expect(row[1] <= row[0]) }
    }

    @Test func typedCalls() async throws {
        try await samples.typed()
        try await samples.bodies(.init(name: "Ada"))
        try await samples.several()
        #expect(samples.output.values == ["Ada", "welcome Ada", "Ada notes"])
        #expect(server.requests(to: "/login").first?.text == "name=Ada")
        #expect(server.requests(to: "/users").first?.text == #"{"name":"Ada"}"#)
    }

    @Test func validation() async throws {
        server.route("/report", .text("abc").adding("X-Complete", "yes"))
        try await samples.validation()
        #expect(samples.output.values == ["3"])
        server.route("/report", .text("abc"))
        let error = await #expect(throws: LarkspurError.self) { try await samples.validation() }
        #expect(error?.code == .unacceptableResponse)
    }

    @Test func form() async throws {
        try await samples.form()
        #expect(samples.output.values.last == "Ada")
        #expect(server.requests(to: "/users").first?.parts.map(\.name) == ["portrait", "name"])
    }

    @Test func login() async throws {
        try await samples.login()
        #expect(samples.output.values.count == 1)
    }

    @Test func token() async throws {
        server.route("/me") { request in
            request.headers["Authorization"] == "Bearer new" ? .text("Ada") : .status(401)
        }
        server.route("/refresh", .text("new"))
        try await samples.token("old", TestTransport.allCases[0].makeManager(for: server))
        #expect(samples.output.values == ["Ada"])
        #expect(server.requests(to: "/me").count == 2)
    }

    @Test func retry() async throws {
        let clock = TestClock()
        samples.manager.clock = clock
        server.route("/users/2", .status(503), .json(#"{"name": "Ada"}"#))
        async let result: Void = samples.retry()
        try await clock.waitForSleeps(1)
        clock.advance(by: .milliseconds(500))
        try await result
        #expect(samples.output.values == ["Ada"])
    }

    @Test func logging() async throws {
        samples.logging()
        _ = try await samples.manager.get("notes").string
        #expect(try await samples.output.first() == "/notes 200 no error")
    }

    @Test func streams() async throws {
        server.route("/archive", .data(Data(count: 100_000)))
        server.route("/people", .text("{\"name\": \"Ada\"}\n{\"name\": \"Grace\"}\n"))
        try await samples.chunks()
        try await samples.values()
        #expect(samples.output.values == ["100000", "Ada", "Grace"])
    }

    @Test func rules() async throws {
        server.route("/moved", .redirect(to: "/notes"))
        try await samples.rules()
        #expect(samples.output.values.count == 1)
        #expect(server.requests(to: "/notes").isEmpty)
    }
}

#if canImport(FoundationNetworking)
extension AlamofireMigrationTests {
    @Test func download() async throws {
        let gate = LoopbackServer.Gate()
        defer { gate.open() }
        let file = BrokenFile(10_000, cuts: [])
        let head = "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: 10000\r\n\r\n"
        server.route("/disk.iso", .raw([.text(head), .bytes(file.content.prefix(1_000)), .wait(gate)]))
        let (task, destination) = samples.download()
        try await eventually { task.resumeData != nil }
        server.route("/disk.iso") { file.answer($0) }
        samples.goOn(task, destination)
        try await samples.output.wait(for: 2)
        #expect(samples.output.values == ["cancelled", "saved"])
        #expect(try Data(contentsOf: samples.file) == file.content)
    }
}
#endif
