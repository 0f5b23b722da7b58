import LarkspurTesting
import Testing

@testable import Larkspur
@testable import LarkspurReachability

/// Runs the samples of `Docs/Cookbook.md`.
@Suite("Samples of the cookbook", .timeLimit(.minutes(5)))
struct CookbookSamplesTests {
    let server: LoopbackServer
    let folder = TemporaryFolder()
    let samples: CookbookSamples
    let gate = LoopbackServer.Gate()

    private var output: [String] { samples.output.values }

    init() throws {
        server = try LoopbackServer()
        samples = CookbookSamples(
            manager: TestTransport.allCases[0].makeManager(for: server),
            baseURL: server.baseURL,
            file: try folder.file("ada.jpg", Data("a portrait".utf8)),
            folder: folder.url.appendingPathComponent("downloads")
        )
        server.route("/users/{id}", .json(#"{"name": "Ada"}"#).adding("ETag", "\"1\""))
        server.route("/users/0", .json(#"{"reason": "No such user"}"#, status: 404))
        server.route("/users", .json(#"[{"name": "Ada"}, {"name": "Grace"}]"#))
        server.route("/notes", .text("notes"))
        server.route("/slow", .text("late").held(until: gate))
        server.route("/orders") { .text($0.text) }
        server.route("/account") { request in
            request.headers["Authorization"] == "Bearer secret" ? .text("Ada") : .status(401)
        }
        var file = LoopbackServer.Response.data(Data(count: 100_000))
        file.headers["ETag"] = "\"1\""
        file.acceptsRanges = true
        server.route("/disk.iso", file)
    }

    @Test("The page has forty questions with code, and a list of the questions")
    func questions() throws {
        let page = try #require(Documentation.page("Cookbook.md"))
        let questions = page.lines.filter { $0.hasPrefix("### ") }.map { String($0.dropFirst(4)) }
        #expect(questions.count == 40)
        #expect(questions.allSatisfy { $0.hasSuffix("?") })
        for section in page.text.components(separatedBy: "\n### ").dropFirst() {
            #expect(section.contains("\n```swift\n"), "\(section.prefix(60))")
        }
        let list = page.lines.filter { $0.hasPrefix("- **") }.joined(separator: " ")
        for question in questions {
            let anchor = question.lowercased().replacing(/[^\w\- ]/, with: "").replacing(" ", with: "-")
            #expect(list.contains("](#\(anchor))"), "\(question)")
        }
    }

    @Test func responses() async throws {
        let samples = samples
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                samples.waiting()
                continuation.resume()
            }
        }
        #expect(samples.queues().map(\.completionQueue.label) == ["com.apple.main-thread", "responses"])
        try await samples.many([1, 2, 3])
        #expect(output == ["Ada", "3"])
    }

    @Test func decoding() async throws {
        server.route("/pages/1", .json(#"{"total": 1, "users": [{"name": "Ada"}]}"#))
        server.route("/posts/1", .json(#"{"created_at": "1970-01-02T00:00:00Z"}"#))
        server.route("/broken", .json(#"{"nom": "Ada"}"#))
        server.route("/mislabelled", .data(Data(#"{"name": "Ada"}"#.utf8), contentType: "text/html"))
        try await samples.decoding()
        try await samples.decodingErrors()
        try await samples.contentTypes()
        try await samples.dates()
        #expect(output == ["1 [\"Ada\", \"Grace\"]", #"no name in {"nom": "Ada"}"#, "Ada", "86400.0"])
    }

    @Test func outcomes() async throws {
        server.route("/users/1", method: "DELETE", .status(204))
        server.route("/maybe", .status(204))
        await samples.errorBody()
        await samples.fields()
        try await samples.empty()
        #expect(output == ["404 No such user", "200", "\"1\"", "nobody"])
    }

    @Test func requests() async throws {
        server.route("/users", method: "POST", .json(#"{"name": "Ada"}"#))
        server.route("/users", method: "PUT") { .text($0.text) }
        server.route("/login") { .text($0.text) }
        server.route("/search") { .text($0.target) }
        try await samples.json()
        try await samples.form()
        try await samples.jsonArray()
        try await samples.query()
        #expect(server.requests(to: "/users")[0].text == #"{"name":"Ada"}"#)
        #expect(server.requests(to: "/users")[0].headers["Content-Type"] == "application/json")
        #expect(output[0...1] == ["Ada", "remember=1&user=ada"])
        #expect(output[2].hasPrefix(#"[{"name":"Ada"},{"name":"Grace"}] {"#))
        #expect(output[2].contains(#""count":1"#) && output[2].contains(#""name":"login""#))
        #expect(output[3] == "/search?active=true&tag=new&tag=vip")
    }

    @Test func headers() async throws {
        try await samples.headers()
        #expect(server.requests.last?.headers["X-Client"] == "my-tool")
        #expect(server.requests.last?.headers["X-Request-ID"] == "42")
    }

    @Test func failures() async throws {
        server.route("/unsteady", .status(503), .status(503), .text("done"))
        await samples.timeout()
        try await samples.retry()
        try await samples.once()
        #expect(output == ["too slow", "done", "item=tea"])
        #expect(server.requests(to: "/unsteady").count == 3)
        #expect(server.requests(to: "/orders").last?.headers["Idempotency-Key"]?.count == 36)
        gate.open()
    }

    @Test("A POST is sent again for a challenge, and not after a lost connection")
    func twice() async throws {
        server.route("/lost", .fault(.closeBeforeHeader))
        samples.manager.interceptors.call = [.retry(baseDelay: .zero)]
        #expect(await samples.manager.post("lost").response().error?.code == .connectionLost)
        #expect(server.requests(to: "/lost").count == 1)

        let task = samples.manager.post("basic-auth/ada/secret").authenticate(username: "ada", password: "secret")
        #expect(await task.response().error == nil)
        #expect(server.requests(to: "/basic-auth/ada/secret").count == 2)
    }

    @Test func canceling() async throws {
        let other = samples.manager.get("slow")
        other.resume()
        await samples.canceling()
        #expect(await other.response().error?.code == .cancelled)
        try await samples.manager.finishAll()
        #expect(output == ["cancelled"])
        gate.open()
    }

    @Test func limits() async throws {
        samples.rate()
        #expect(samples.manager.interceptors.attempt.count == 2)
        try await samples.many([1, 2, 3])
        #expect(output == ["3"])
        #expect(URLSessionConfiguration.default.httpMaximumConnectionsPerHost == 6)
        #expect(samples.connections().session.configuration.httpMaximumConnectionsPerHost == 20)
    }

    @Test func network() async throws {
        let source = StubReachabilitySource()
        let reachability = NetworkReachabilityManager(.anyNetwork, source: source)
        reachability.startMonitoring()
        source.report(.notReachable)
        server.route("/notes", .fault(.closeBeforeHeader), .text("notes"))
        async let work: Void = samples.offline(reachability)
        try await server.waitForRequests(1, to: "/notes")
        source.report(.reachable(.wired))
        await work
        #expect(output == ["loaded"])
        #expect(server.requests(to: "/notes").count == 2)
    }

    @Test func credentials() async throws {
        server.route("/token", .text("secret"))
        try await samples.token()
        samples.manager.requestSettings.clearAuthorization()
        try await samples.refreshing()
        #expect(output == ["Ada", "Ada"])
        #expect(server.requests(to: "/token").map(\.text) == ["old=expired"])
    }

    @Test func passwords() async throws {
        try await samples.password()
        #expect(server.requests(to: "/basic-auth/ada/secret").count == 2)
        #expect(server.requests(to: "/hidden-basic-auth/ada/secret").count == 1)
    }

    @Test func cookies() async throws {
        let users = samples.cookies()
        #expect(try await users[0].get("cookies/set/sid/1").string.contains("sid"))
        #expect(try await users[0].get("cookies").string.contains("sid"))
        #expect(try await !users[1].get("cookies").string.contains("sid"))
    }

    @Test func redirects() async throws {
        server.route("/moved", .redirect(to: "/notes"))
        try await samples.redirects()
        #expect(output == ["302 /notes"])
        #expect(server.requests(to: "/notes").isEmpty)
    }

    @Test func uploads() async throws {
        server.route("/files/1", .text("stored"))
        server.route("/portraits") { .text($0.parts.compactMap(\.name).joined(separator: ", ")) }
        try await samples.upload()
        #expect(output.suffix(2) == ["10 of 10", "stored"])
        try await samples.multipart()
        #expect(output.last == "author, portrait")
    }

    @Test func downloads() async throws {
        try await samples.download()
        #expect(output.suffix(2) == ["100000 of 100000", "disk.iso"])
        try await samples.resuming()
        #expect(output.last == "saved disk.iso")
        try await samples.chunks()
        #expect(output.last == "100000")
    }

    @Test func events() async throws {
        let updates = Data("retry: 1\nevent: added\ndata: Ada\n\n".utf8)
        server.route("/updates", .data(updates, contentType: "text/event-stream"), .status(204))
        try await samples.events()
        #expect(output == ["added Ada"])
    }

    @Test func debugging() async throws {
        server.route("/users", method: "POST", .json(#"{"name": "Ada"}"#))
        await samples.command()
        try await samples.log()
        #expect(output[0].hasPrefix("curl ") && output[0].contains(#"{"name":"Ada"}"#))
        #expect(output[1] == #"200 {"name": "Ada"}"#)
        #expect(output.count == 3 && output[2].hasPrefix("GET ") && output[2].contains("/notes → 200"))
        #expect(samples.cache().session.configuration.urlCache == nil)
    }

    #if canImport(FoundationNetworking)
    @Test func security() throws {
        let certificate = try folder.file("server.pem", Data(SecurityPolicyTests.certificate.utf8))
        #expect(try samples.selfSigned(certificate: certificate).session is CurlURLSession)
        #expect(try samples.pin().session is CurlURLSession)
        #expect(throws: TLSConfigurationError.self) {
            try samples.selfSigned(certificate: folder.url.appendingPathComponent("none.pem"))
        }
    }

    @Test func proxy() async throws {
        let manager = samples.proxy(host: "127.0.0.1", port: Int(server.port))
        #expect(try await manager.get("http://api.example.com/notes").string == "notes")
        #expect(server.requests.map(\.target) == ["http://api.example.com/notes"])
    }
    #endif
}
