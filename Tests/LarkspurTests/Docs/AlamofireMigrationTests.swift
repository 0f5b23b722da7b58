import LarkspurTesting
import Testing

@testable import Larkspur
@testable import LarkspurReachability

extension MigrationTable {
    /// The numbers are those of the public symbols that Alamofire's sources declare. Overloads count as one.
    static let alamofire = MigrationTable(
        library: "Alamofire",
        counts: [
            "Alamofire": 14, "Session": 29, "SessionDelegate": 30, "URLConvertible": 10, "Request": 67,
            "DataRequest": 15, "DataStreamRequest": 33, "DataStreamSerializer": 17, "DownloadRequest": 30,
            "UploadRequest": 13, "WebSocketRequest": 51, "Notifications of requests": 16, "HTTPHeaders": 25,
            "HTTPHeader": 20, "HTTPMethod": 13, "ParameterEncoder": 22, "ParameterEncoding": 35,
            "URLEncodedFormEncoder": 55, "MultipartFormData": 12, "RequestCompression": 11, "DataResponse": 18,
            "DownloadResponse": 17, "Serializers": 69, "AFError": 92, "Reasons of server trust errors": 18,
            "RequestInterceptor": 32, "RetryPolicy": 20, "OfflineRetrier": 7, "AuthenticationInterceptor": 21,
            "RedirectHandler": 15, "CachedResponseHandler": 15, "EventMonitor and ClosureEventMonitor": 89,
            "ServerTrustManager": 39, "Extensions of Security": 17, "NetworkReachabilityManager": 20,
            "Asynchronous calls": 30, "Asynchronous streams": 30, "Publishers": 36,
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
        samples = AlamofireSamples(
            manager: TestTransport.allCases[0].makeManager(for: server),
            url: server.baseURL,
            file: try folder.file("ada.jpg", Data("a portrait".utf8))
        )
    }

    @Test("Each Larkspur example has at most as many lines as Alamofire's")
    func lines() throws {
        let page = try #require(Documentation.page(MigrationTable.alamofire.page))
        let blocks = page.blocks.map { (info: $0.info, count: Documentation.normalized($0.lines).count) }

        #expect(blocks.count == 16)
        for pair in stride(from: 0, to: blocks.count - 1, by: 2) {
            #expect(blocks[pair].info == "text")
            #expect(blocks[pair + 1].info == "swift")
            #expect(blocks[pair + 1].count <= blocks[pair].count)
        }
    }

    @Test func typedCalls() async throws {
        try await samples.typed()
        try await samples.bodies(.init(name: "Ada"))
        #expect(samples.output.values == ["Ada", "welcome Ada"])
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

    @Test func chunks() async throws {
        server.route("/archive", .data(Data(count: 100_000)))
        try await samples.chunks()
        #expect(samples.output.values == ["100000"])
    }

    @Test func download() async throws {
        server.route("/disk.iso", .text("abc"))
        samples.download()
        #expect(try await samples.output.first() == "saved")
        #expect(try String(contentsOf: samples.file, encoding: .utf8) == "abc")
    }
}
