import LarkspurTestSupport
import LarkspurTesting
import TestSupport
import Testing

@testable import Larkspur

@Suite("Interim responses", .timeLimit(.minutes(5)))
struct InterimResponseTests {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.route(
            "/hinted",
            .text("ok")
                .preceded(byInformational: 103, headers: ["Link": "</a.css>; rel=preload"])
                .preceded(byInformational: 102)
                .preceded(byInformational: 103, headers: ["Link": "</b.js>; rel=preload"])
        )
    }

    /// The status and the link of a response.
    private static func text(_ response: HTTPURLResponse?) -> String {
        "\(response?.statusCode ?? 0) \(response?.value(forHTTPHeaderField: "Link") ?? "-")"
    }

    private let hints = ["103 </a.css>; rel=preload", "102 -", "103 </b.js>; rel=preload"]

    @Test("The hook gets each interim response, before the response")
    func hook() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        let seen = Recorder<String>()
        manager.hooks.didReceiveInterimResponse = { seen.record("\($0.taskIdentifier) " + Self.text($1)) }
        manager.hooks.responseDisposition = { task, response in
            seen.record("\(task.taskIdentifier) " + Self.text(response as? HTTPURLResponse))
            return .allow
        }
        let task = manager.get("hinted")
        #expect(try await task.string == "ok")
        #expect(seen.values == (hints + ["200 -"]).map { "\(task.taskIdentifier) \($0)" })
        #expect(task.statusCode == 200)
    }

    @Test("The hook of a task replaces the manager's")
    func hookOfTask() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        let (shared, own) = (Recorder<String>(), Recorder<String>())
        manager.hooks.didReceiveInterimResponse = { shared.record(Self.text($1)) }
        var hooks = SessionHooks()
        hooks.didReceiveInterimResponse = { own.record(Self.text($1)) }
        #expect(try await manager.get("hinted", options: CallOptions(hooks: hooks)).string == "ok")
        #expect(try await own.wait(for: hints.count) == hints)
        #expect(shared.values.isEmpty)
        #expect(try await manager.get("hinted").string == "ok")
        #expect(try await shared.wait(for: hints.count) == hints)
    }

    @Test("Observers get each interim response, before the response", arguments: TestTransport.allCases)
    func events(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let seen = Recorder<String>()
        let hooked = Recorder<String>()
        manager.hooks.didReceiveInterimResponse = { hooked.record(Self.text($1)) }
        let kinds: Set<CallEvent.Kind> = [.attemptStarted, .interimResponse, .responseReceived, .attemptEnded]
        let task = manager.get("hinted").observe(kinds) {
            seen.record("\($0.kind) " + Self.text($0.httpResponse))
        }
        #expect(try await task.string == "ok")
        // FoundationNetworking reports them like final responses.
        let kind = transport == .foundation ? "responseReceived " : "interimResponse "
        #expect(
            seen.values
                == ["attemptStarted 0 -"] + hints.map { kind + $0 } + ["responseReceived 200 -", "attemptEnded 200 -"]
        )
        let expected = transport == .foundation ? [] : hints
        #expect(try await hooked.wait(for: expected.count) == expected)
    }

    @Test("A 100 to a request with Expect is an interim response, and not the final one")
    func expectation() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        server.route("/upload") { .text("\($0.body.count)") }
        let seen = Recorder<String>()
        manager.hooks.didReceiveInterimResponse = { seen.record(Self.text($1)) }
        let content = Data(count: 1 << 21)
        let text = try await manager.upload("upload", from: .data(content), headers: ["Expect": "100-continue"]).string
        #expect(text == "\(content.count)")
        #expect(try await seen.wait(for: 1) == ["100 -"])
    }

    @Test("Downloads and each request of a redirect have interim responses")
    func redirect() async throws {
        server.route(
            "/moved",
            .redirect(to: "/hinted").preceded(byInformational: 103, headers: ["Link": "</c.css>; rel=preload"])
        )
        let manager = TestTransport.curl.makeManager(for: server)
        let seen = Recorder<String>()
        manager.hooks.didReceiveInterimResponse = { seen.record(Self.text($1)) }
        let file = try await manager.download("moved").file
        try FileManager.default.removeItem(at: file)
        #expect(try await seen.wait(for: 1 + hints.count) == ["103 </c.css>; rel=preload"] + hints)
    }

    @Test("More than 100 interim responses to a request are an error")
    func limit() async throws {
        var response = LoopbackServer.Response.text("ok")
        for _ in 0..<101 { response = response.preceded(byInformational: 103) }
        server.route("/many", response)
        let manager = TestTransport.curl.makeManager(for: server)
        let error = await #expect(throws: LarkspurError.self) { _ = try await manager.get("many").string }
        #expect(error?.code == .malformedResponse)
        #expect(error?.message.contains("more than 100 interim responses") == true)
    }

    @Test("A 101 that was not requested is not an interim response")
    func switchingProtocols() async throws {
        server.route("/switch", .raw([.text("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n")]))
        let manager = TestTransport.curl.makeManager(for: server)
        let seen = Recorder<String>()
        manager.hooks.didReceiveInterimResponse = { seen.record(Self.text($1)) }
        let error = await #expect(throws: LarkspurError.self) { _ = try await manager.get("switch").string }
        #expect(error?.code == .malformedResponse)
        #expect(seen.values.isEmpty)
    }
}
