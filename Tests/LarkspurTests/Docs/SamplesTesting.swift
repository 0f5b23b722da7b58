import Larkspur
import LarkspurTesting
import TestSupport
import Testing

/// The samples of `Docs/Testing.md`, each between two markers. They are tests, as those of a reader will be.
@Suite("Samples of the testing guide", .timeLimit(.minutes(5)))
struct TestingSamples {
    let server: LoopbackServer
    let manager: SessionManager

    init() throws {
        server = try LoopbackServer()
        manager = SessionManager(baseURL: server.baseURL, configuration: .ephemeral)
    }

    @Test func routes() async throws {
        // sample: routes
        server.route("/users", method: "GET", .json("[]"))
        server.route("/users/{id}", method: "DELETE", .status(204))
        server.route("/files/*", .status(404))
        server.route("/hello/{name}") { request in
            .text("hello \(request.parameters["name"] ?? "nobody")")
        }
        // end

        #expect(try await manager.call(.get, "users").value is [Any])
        #expect(try await manager.call(.delete, "users/1").statusCode == 204)
        #expect(try await manager.call(.get, "files/a/b").statusCode == 404)
        #expect(try await manager.call(.get, "hello/Ada", serializer: .string).value as? String == "hello Ada")
    }

    @Test func gates() async throws {
        // sample: gates
        let gate = LoopbackServer.Gate()
        server.route("/slow", .json("[]").held(until: gate))

        let task = manager.get("slow") { _, _ in }
        try await server.waitForRequests(1, to: "/slow")
        #expect(task.state == .running)

        gate.open()
        // end
        try await manager.finishAll()
        #expect(task.state == .completed)
    }

    @Test func recordedRequests() async throws {
        // sample: recorded requests
        manager.post("login", parameters: ["user": "ada", "remember": true]) { _, _ in }

        let request = try await server.waitForRequests(1, to: "/login")[0]
        #expect(request.method == "POST")
        #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(request.form.map(\.name) == ["remember", "user"])
        // end
    }

    @Test func webSocket() async throws {
        // sample: web socket
        server.webSocket("/chat", protocols: ["chat.v1"]) { socket in
            try socket.send("Welcome to \(socket.subprotocol ?? "the chat")")
            for message in socket {
                try socket.send(message)
            }
        }
        server.webSocket("/broken", fault: .maskedFrame)
        // end

        // A request that opens no connection.
        #expect(try await manager.call(.get, "chat").statusCode == 426)
        #expect(try await manager.call(.get, "broken").statusCode == 426)
    }

    // sample: stub
    @Test func statusesAreReported() async throws {
        let stub = StubTransport()
        stub.route("/users", method: .get, .status(503), .json(#"["Ada"]"#))
        stub.route("/users/{id}", method: .get) { request in
            .json(#"{"id": "\#(request.parameters["id"] ?? "")"}"#)
        }
        stub.route("/slow", .hang)
        stub.route("https://login.example.com/token", method: .post, .fail(.cannotConnectToHost))
        let manager = SessionManager(baseURL: "https://api.example.com", transport: stub.transport)

        let error = await #expect(throws: LarkspurError.self) { try await manager.get("users").data }
        #expect(error?.statusCode == 503)
        #expect(try await manager.get("users").value(as: [String].self) == ["Ada"])
        #expect(try await manager.get("users/7").value(as: [String: String].self) == ["id": "7"])
        #expect(stub.requests.map(\.path) == ["/users", "/users", "/users/7"])
    }
    // end

    // sample: clock
    @Test func attemptsHaveDelays() async throws {
        let clock = TestClock()
        let stub = StubTransport(clock: clock)
        stub.route("/users", method: .get, .fail(.networkConnectionLost), .json("[]").delayed(by: .seconds(3)))
        let manager = SessionManager(baseURL: "https://api.example.com", transport: stub.transport)
        manager.clock = clock
        manager.interceptors.call = [.retry()]

        let call = Task { try await manager.get("users").string }
        try await clock.waitForSleeps(1)
        clock.advance(by: .seconds(1))
        try await clock.waitForSleeps(2)
        clock.advance(by: .seconds(3))

        #expect(try await call.value == "[]")
    }
    // end

    @Test func cassettes() async throws {
        let temporary = TemporaryFolder()
        let (baseURL, folder) = (server.baseURL, temporary.url)
        server.route("/users", .json(#"["Ada"]"#))
        for _ in 0..<2 {
            // sample: cassette
            try await withCassette("users", in: folder) { cassette in
                let manager = SessionManager(baseURL: baseURL, transport: cassette.transport)
                let names = try await manager.get("users").value(as: [String].self)
                #expect(names == ["Ada"])
            }
            // end
        }
        withExtendedLifetime(temporary) {}
        #expect(server.requests.count == 1)
    }

    @Test func secureServer() async throws {
        // sample: secure server
        let server = try LoopbackServer(tls: .selfSigned())
        defer { server.stop() }

        var options = CurlURLSession.Options()
        options.tls.trustedRoots = .only([try TLSCertificate(server.certificate?.der ?? Data())])
        let manager = SessionManager(baseURL: server.baseURL, transport: .curl(options))
        // end
        #expect(try await manager.get("get").data.isEmpty == false)
    }

    @Test func expectations() async throws {
        // sample: expectations
        server.expect(.post("/users").field("Accept", "application/json").json(#"{"name": "Ada"}"#), times: 1)
        server.expect(.get("/users/{id}"), atLeast: 1)
        server.expect(.delete("/users/{id}"), .never)
        // end
        server.route("/users", .status(201))
        server.route("/users/{id}", .json("{}"))
        manager.post("users", body: .json(["name": "Ada"]), headers: ["Accept": "application/json"]) { _, _ in }
        manager.get("users/7") { _, _ in }
        try await server.verify(timeout: .seconds(30))
    }
}
