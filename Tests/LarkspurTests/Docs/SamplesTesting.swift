import Larkspur
import LarkspurTesting
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

    // sample: whole test
    struct User: Decodable, Sendable {
        let name: String
    }

    @Test func namesAreRead() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.route("/users", .json(#"[{"name": "Ada"}]"#))
        let manager = SessionManager(baseURL: server.baseURL)

        let users = try await withCheckedThrowingContinuation { continuation in
            manager.get("users", as: [User].self) { _, users in
                continuation.resume(returning: users)
            } failure: { _, error in
                continuation.resume(throwing: error)
            }
        }

        #expect(users.map(\.name) == ["Ada"])
    }
    // end

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

    @Test func responses() async throws {
        // sample: server responses
        server.route("/moved", .redirect(to: "/zipped", status: 307))
        server.route("/zipped", .text("hello").encoded(as: .gzip))
        server.route("/chunked", .chunked([Data("hel".utf8), Data("lo".utf8)], contentType: "text/plain"))

        var response = LoopbackServer.Response.text("hello")
        response.headers["ETag"] = "\"1\""
        response.acceptsRanges = true
        server.route("/ranges", response)
        // end

        for path in ["moved", "chunked", "ranges"] {
            #expect(try await manager.call(.get, path, serializer: .string).value as? String == "hello")
        }
        let part = try await manager.call(.get, "ranges", headers: ["Range": "bytes=1-2"], serializer: .string)
        #expect(part.value as? String == "el" && part.statusCode == 206)
    }

    @Test func queueOfResponses() async throws {
        // sample: queue of responses
        server.route("/users", .status(503), .json("[]"), .json(#"["Ada"]"#))
        // end

        #expect(try await manager.call(.get, "users").statusCode == 503)
        #expect(try await manager.call(.get, "users").value as? [String] == [])
        #expect(try await manager.call(.get, "users").value as? [String] == ["Ada"])
        #expect(try await manager.call(.get, "users").value as? [String] == ["Ada"])
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

    @Test func halves() async throws {
        // sample: halves
        let halfSent = LoopbackServer.Gate()
        let goOn = LoopbackServer.Gate()
        let half = Data(count: 1000)
        server.route("/halves", .stream([.bytes(half), .open(halfSent), .wait(goOn), .bytes(half)]))
        // end

        let task = manager.get("halves", serializer: .data) { _, _ in }
        await halfSent.wait()
        #expect(task.state == .running)
        goOn.open()
        try await manager.finishAll()
        #expect(task.downloadProgress.completedUnitCount == 2000)
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

    @Test func fault() async throws {
        // sample: fault
        server.route("/users", .fault(.closeBeforeHeader))

        let code: LarkspurError.Code? = await withCheckedContinuation { continuation in
            manager.get("users") { _, _ in
                continuation.resume(returning: nil)
            } failure: { _, error in
                continuation.resume(returning: error.code)
            }
        }

        #expect(code == .connectionLost)
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
        let manager = SessionManager(
            baseURL: URL(string: "https://api.example.com"),
            transport: .custom { configuration, delegate, queue in
                StubURLSession(configuration: configuration, delegate: delegate, delegateQueue: queue) { request in
                    switch request.url?.path {
                    case "/users":
                        .respond(headers: ["Content-Type": "application/json"], body: Data(#"["Ada"]"#.utf8))
                    case "/slow":
                        .hang
                    default:
                        .fail(URLError(.cannotConnectToHost))
                    }
                }
            }
        )

        let names = await withCheckedContinuation { continuation in
            manager.get("users", as: [String].self) { _, names in
                continuation.resume(returning: names)
            }
        }

        #expect(names == ["Ada"])
    }
    // end

    @Test func pieces() async throws {
        // sample: pieces
        var reply = StubURLSession.Reply.respond(headers: ["Content-Length": "2000"])
        reply.chunks = [Data(count: 1000), Data(count: 500)]
        reply.end = .failure(URLError(.networkConnectionLost))
        // end

        let manager = SessionManager.stubbed { [reply] _ in reply }
        let call = try await manager.call(.get, "/", serializer: .data)
        #expect(call.error?.code == .connectionLost)
        #expect(call.error?.responseData?.count == 1500)
    }
}
