import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Targets and untyped values of calls", .timeLimit(.minutes(5)))
struct RequestTargetTests {
    private enum Route: RequestTarget {
        case user(Int)

        func requestURL(relativeTo base: URL?) throws(LarkspurError) -> URL {
            switch self {
            case .user(let id): try PathTarget("users/\(id)").requestURL(relativeTo: base)
            }
        }
    }

    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.route("/users/{id}", .json(#"{"id": 9223372036854775807, "name": "Ada"}"#))
        server.route("/echo") { .data($0.body, contentType: "application/json") }
    }

    @Test(
        "Every kind of call accepts a string, a URL and a custom type as its target",
        arguments: TestTransport.allCases
    )
    func targets(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let url = server.url("/users/1")
        let relative = try #require(URL(string: "users/1"))
        let based = try #require(URL(string: "1", relativeTo: server.url("/users/0")))
        let names = Recorder<String>()

        #expect(try await manager.get("users/1").value()["name"] == "Ada")
        #expect(try await manager.get(url).value()["name"] == "Ada")
        #expect(try await manager.get(relative).value()["name"] == "Ada")
        #expect(try await manager.get(based).value()["name"] == "Ada")
        #expect(try await manager.get(Route.user(1)).value()["name"] == "Ada")
        #expect(try manager.makeRequest(.put, url).url == url)
        #expect(try await manager.download(url).file.isFileURL)
        #expect(try await SessionManager.default.get(url).value()["name"] == "Ada")
        manager.get(url, as: JSONValue.self) {
            names.record("\($0.statusCode ?? 0) \($1["name"].string ?? "")")
        }
        #expect(try await names.first() == "200 Ada")
        #expect(server.requests.allSatisfy { $0.path == "/users/1" })
    }

    @Test("Every kind of call sends the values of its path and of its template", arguments: TestTransport.allCases)
    func values(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        server.route("/v/*") { _ in .json(#"{"name": "Ada"}"#) }
        server.route("/e/*", .data(Data("data: Ada\n\n".utf8), contentType: "text/event-stream"))
        server.webSocket("/w/*") { socket in try socket.close() }
        let id = "../a?b#c%2F;d é\\"
        let escaped = "..%2Fa%3Fb%23c%252F%3Bd%20%C3%A9%5C"

        let path: PathTarget = "v/\(id)/x?q=\(id)"
        #expect(try await manager.get(.path("v/\(id)/x?q=\(id)")).value()["name"] == "Ada")
        #expect(try await manager.post(path, body: .json(["a"])).value()["name"] == "Ada")
        #expect(try await manager.put(path).value()["name"] == "Ada")
        #expect(try await manager.patch(path).value()["name"] == "Ada")
        #expect(try await manager.delete(path).value()["name"] == "Ada")
        #expect(await manager.head(path).response().statusCode == 200)
        #expect(try await manager.upload(path, from: .data(Data("a".utf8))).value()["name"] == "Ada")
        #expect(try await manager.download(path).file.isFileURL)
        let template: PathTarget = .template("v{/id,x}{?q}", ["id": id, "x": "x", "q": id, "none": nil])
        #expect(try await manager.get(template).value()["name"] == "Ada")
        #expect(try await manager.upload(template, from: .data(Data("a".utf8))).value()["name"] == "Ada")
        for try await page in manager.pages(template, as: JSONValue.self, by: .links) { #expect(page["name"] == "Ada") }
        #expect(server.requests.map(\.target) == Array(repeating: "/v/\(escaped)/x?q=\(escaped)", count: 11))

        for try await event in manager.events(.path("e/\(id)"), reconnection: .never) { #expect(event.data == "Ada") }
        #expect(server.requests.last?.target == "/e/\(escaped)")
        // FoundationNetworking has no handshake of this kind.
        guard transport != .foundation else { return }
        for try await _ in manager.webSocket(.template("w{/id}", ["id": id])).messages {}
        #expect(server.requests.last?.target == "/w/\(escaped)")
    }

    @Test(
        "A value that leads elsewhere is the error of the call, and nothing is sent",
        arguments: TestTransport.allCases
    )
    func refusedValues(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        for target: PathTarget in ["users/\("..")", .template("{+x}", ["x": server.url("/users/1").absoluteString])] {
            let errors: [LarkspurError?] = [
                await manager.get(target).response().error,
                await manager.post(target, body: .json(["a"])).response().error,
                await manager.upload(target, from: .data(Data("a".utf8))).response().error,
                await manager.download(target).response().error,
                await #expect(throws: LarkspurError.self) { for try await _ in manager.events(target) {} },
                await #expect(throws: LarkspurError.self) { try await manager.webSocket(target).open() },
                await #expect(throws: LarkspurError.self) {
                    for try await _ in manager.pages(target, as: JSONValue.self, by: .links) {}
                },
                #expect(throws: LarkspurError.self) { try manager.makeRequest(.get, target) },
            ]
            #expect(errors.allSatisfy { $0?.code == .invalidURL })
        }
        #expect(server.requests.isEmpty)
    }

    @Test("Integers in JSONValue are exact in both directions", arguments: TestTransport.allCases)
    func untyped(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        server.route("/empty", .status(204))

        let user = try await manager.get("users/1").value()
        let order: JSONValue = ["id": 18_446_744_073_709_551_615, "tags": ["a", 1, nil]]
        let answer: JSONValue = try await manager.post("echo", body: .json(order)).value()
        let typed: [String: JSONValue] = try await manager.get("users/2").value()

        #expect(user["id"].int == .max && user["name"].string == "Ada")
        #expect(answer == order)
        #expect(typed["name"] == "Ada")
        #expect(try await manager.get("empty").value() == nil)
    }

    @Test("A base URL may be a string", arguments: TestTransport.allCases)
    func base(_ transport: TestTransport) async throws {
        let base = server.url("/users").absoluteString
        let manager = SessionManager(baseURL: base, configuration: .ephemeral, transport: transport.transport)
        #expect(manager.baseURL?.absoluteString == base + "/")
        #expect(try await manager.get("1").value()["name"] == "Ada")
        #expect(try await manager.copy().get("1").value()["name"] == "Ada")
    }

    @Test(
        "An invalid base URL is an error of each call, which names the URL without its secrets",
        arguments: ["example.com", "localhost:8080", "http://", "/v1", "", " ", "http://[::1", "user:pass@host/?key=1"]
    )
    func invalidBase(_ base: String) async throws {
        let manager = SessionManager(baseURL: base)
        #expect(manager.baseURL == nil)
        for manager in [manager, manager.copy()] {
            for target in ["users", "https://example.com/"] {
                let error = await manager.get(target).response().error
                #expect(error?.code == .invalidURL)
                #expect(error?.message.hasPrefix("The base URL of the session manager, “") == true)
                #expect(error?.message.contains("pass") == false && error?.message.contains("key=1") == false)
            }
        }
        let form = await manager.post("x", body: .multipart { $0.append(text: "a", name: "b") }).response()
        #expect(form.error?.code == .invalidURL)
        #expect(throws: LarkspurError.self) { try SessionManager(baseURL: base, securityPolicy: .default) }
    }

    @Test(
        "A task has the status and the HTTP response after its response has arrived",
        arguments: TestTransport.allCases
    )
    func status(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        server.route("/teapot", .text("short", status: 418).adding("X-Pot", "tea"))
        let task = manager.get("teapot")
        #expect(task.statusCode == nil && task.httpResponse == nil)
        _ = await task.response()
        #expect(task.statusCode == 418)
        #expect(task.httpResponse?.value(forHTTPHeaderField: "x-pot") == "tea")
    }

    @Test(
        "Progress closures of a chain are called one after the other, and have no effect after the start",
        arguments: TestTransport.allCases
    )
    func progress(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let sent = Recorder<Int64>()
        let received = Recorder<String>()
        let content = Data(repeating: UInt8(ascii: "7"), count: 70_001)

        let task = manager.upload("echo", from: .data(content))
            .uploadProgress { sent.record($0.completedUnitCount) }
            .downloadProgress { received.record("a \($0.completedUnitCount)") }
            .downloadProgress { received.record("b \($0.completedUnitCount)") }
        #expect(try await task.data == content)
        _ = task.downloadProgress { _ in received.record("late") }
        try await manager.finishAll()

        #expect(sent.values.last == 70_001)
        #expect(received.values.suffix(2) == ["a 70001", "b 70001"])
        #expect(task.downloadProgress.completedUnitCount == 70_001)
    }
}
