import LarkspurTesting
import Testing

@testable import Larkspur

/// Runs the samples of `Docs/Async.md`.
@Suite("Samples about async calls", .timeLimit(.minutes(5)))
struct AsyncSamplesTests {
    let server: LoopbackServer
    let folder = TemporaryFolder()
    let samples: AsyncSamples

    init() throws {
        server = try LoopbackServer()
        server.route("/*", .text("text"))
        server.route("/users/*", .json(#"{"name": "Ada"}"#))
        server.route("/users/0", .json(#"{"message": "No such user."}"#, status: 404))
        server.route("/users", .json(#"{"name": "Ada"}"#))
        server.route("/logo", .data(Data(count: 3)))
        server.route("/settings", .data(try PropertyListEncoder().encode([1, 2]), contentType: "application/x-plist"))
        server.route("/report.pdf", .data(Data(count: 7), contentType: "application/pdf"))
        samples = AsyncSamples(
            manager: TestTransport.allCases[0].makeManager(for: server),
            url: server.baseURL,
            folder: folder.url
        )
    }

    @Test func values() async throws {
        try await samples.values()
        try await samples.content()
        #expect(samples.output.values == ["Ada Ada", "3 text [1, 2]"])
    }

    @Test func onSessionThread() async throws {
        try await samples.onSessionThread()
        #expect(samples.output.values == ["\(100 * #"{"name": "Ada"}"#.utf8.count)"])
    }

    @Test func withoutType() async throws {
        server.route("/users/1", .json(#"{"name": "Ada", "id": 9007199254740993, "tags": ["vip"]}"#))
        server.route("/orders") { .data($0.body, contentType: "application/json") }
        try await samples.untyped()
        try await samples.untypedBody()
        let order = #"{"count":2,"item":"tea","note":null,"tags":["new","vip"]}"#
        #expect(samples.output.values == ["Ada 9007199254740993 vip", order])
    }

    @Test func errors() async {
        await samples.typedErrors()
        await samples.response()
        #expect(samples.output.values.first == "404: Request failed: Not Found (404): No such user")
        #expect(samples.output.values.last == "Ada")
    }

    @Test("Values are sent encoded in paths and templates")
    func valuesInURLs() async throws {
        try await samples.valuesInURLs("a/b")
        #expect(server.requests.map(\.target) == ["/users/a%2Fb", "/users/a%2Fb/files?page=2"])
    }

    @Test func several() async throws {
        try await samples.few()
        #expect(samples.output.values == ["Ada text"])
    }

    @Test func canceling() async throws {
        server.route("/slow", .text("late").held(until: LoopbackServer.Gate()))
        await samples.canceling()
        #expect(samples.output.values == ["cancelled"])
    }

    @Test func files() async throws {
        try await samples.downloading()
        #expect(samples.output.values == ["report.pdf"])
    }

    @Test func chains() async throws {
        try await samples.settings()
        samples.handlers()
        try await samples.manager.finishAll()
        #expect(samples.output.values == ["text", "Ada", "15"])
    }

    @Test func scoped() async throws {
        try await samples.scoped()
        #expect(samples.output.values == ["Ada"])
    }
}
