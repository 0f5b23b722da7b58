import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Calls of each method", .timeLimit(.minutes(5)))
struct VerbTests {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    private func makeManager(_ transport: TestTransport) -> SessionManager {
        transport.makeManager(for: server)
    }

    @Test("GET passes the parsed response to the success closure", arguments: TestTransport.allCases)
    func get(_ transport: TestTransport) async throws {
        let call = try await makeManager(transport).call(.get, "get", parameters: ["q": "a b", "n": 2])

        #expect(call.error == nil)
        #expect(call.string("args", "q") == "a b")
        #expect(call.string("args", "n") == "2")
        #expect(call.task?.state == .completed)
        #expect(call.task?.error == nil)
    }

    @Test("HEAD succeeds with its task and no content", arguments: TestTransport.allCases)
    func head(_ transport: TestTransport) async throws {
        let manager = makeManager(transport)
        let tasks = Recorder<DataTask?>()

        manager.head("get", parameters: ["a": 1]) {
            tasks.record($0)
        } failure: { task, _ in
            tasks.record(nil)
        }
        let task = try await tasks.first()

        #expect((task?.response as? HTTPURLResponse)?.statusCode == 200)
        let request = try #require(server.requests.first)
        #expect(request.method == "HEAD")
        #expect(request.query("a") == "1")
    }

    @Test(
        "POST, PUT and PATCH send their parameters as a form",
        arguments: TestTransport.allCases,
        [HTTPMethod.post, .put, .patch]
    )
    func formBody(_ transport: TestTransport, _ method: HTTPMethod) async throws {
        let call = try await makeManager(transport).call(
            method,
            method.rawValue.lowercased(),
            parameters: ["key": "value"],
            headers: ["field": "value of the call"]
        )

        #expect(call.error == nil)
        #expect(call.string("form", "key") == "value")
        let request = try #require(server.requests.first)
        #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(request.headers["field"] == "value of the call")
    }

    @Test("DELETE sends its parameters in the query", arguments: TestTransport.allCases)
    func delete(_ transport: TestTransport) async throws {
        let call = try await makeManager(transport).call(.delete, "delete", parameters: ["key": "value"])

        #expect(call.error == nil)
        #expect(call.string("args", "key") == "value")
        #expect(server.requests.first?.body.isEmpty == true)
    }

    @Test("Each function sends the method of its name", arguments: TestTransport.allCases)
    func methods(_ transport: TestTransport) async throws {
        struct Item: Codable, Sendable {
            var name = "x"
        }
        struct Echo: Decodable, Sendable {
            let method: String
        }
        let manager = makeManager(transport)
        let item = Parameters.encodable(Item())
        let methods = Recorder<String>()
        @Sendable func note(_ object: Any?) {
            methods.record((object as? [String: Any])?["method"] as? String ?? "none")
        }

        manager.get("anything") { note($1) }
        manager.post("anything", parameters: ["a": 1, "b": "x"]) { note($1) }
        manager.put("anything", parameters: ["a": [1, 2]]) { note($1) }
        manager.patch("anything", body: .json(Item())) { note($1) }
        manager.delete("anything", body: .json(Item())) { note($1) }
        manager.get("anything", parameters: ["a": 1], as: Echo.self) { methods.record($1.method) }
        manager.post("anything", body: .json(Item()), as: Echo.self) { methods.record($1.method) }
        manager.put("anything", body: .json(Item()), as: Echo.self) { methods.record($1.method) }
        manager.patch("anything", body: .json(Item()), as: Echo.self) { methods.record($1.method) }
        manager.delete("anything", body: .json(Item()), as: Echo.self) { methods.record($1.method) }
        manager.get("anything", as: Echo.self) { methods.record($1.method) }
        manager.post("anything", as: Echo.self) { methods.record($1.method) }
        manager.put("anything", as: Echo.self) { methods.record($1.method) }
        manager.patch("anything", as: Echo.self) { methods.record($1.method) }
        manager.delete("anything", as: Echo.self) { methods.record($1.method) }
        manager.get("anything", parameters: item) { note($1) }
        manager.post("anything", body: .json(Item())) { note($1) }
        manager.put("anything", body: .json(Item())) { note($1) }
        manager.request("REPORT", "anything", as: Echo.self) { methods.record($1.method) }
        manager.request("REPORT", "anything", body: .json(Item()), as: Echo.self) {
            methods.record($1.method)
        }
        manager.request("REPORT", "anything", body: .json(Item())) { note($1) }
        manager.head("anything", parameters: item) { _ in methods.record("HEAD") }
        try await manager.finishAll()

        let counts = Dictionary(methods.values.map { ($0, 1) }, uniquingKeysWith: +)
        #expect(counts == ["GET": 4, "POST": 4, "PUT": 4, "PATCH": 3, "DELETE": 3, "REPORT": 3, "HEAD": 1])
    }

    @Test("A body that encodes itself and a typed response make a round trip", arguments: TestTransport.allCases)
    func typed(_ transport: TestTransport) async throws {
        struct User: Codable, Sendable, Equatable {
            var name: String
            var tags: [String]
        }
        struct Echo: Decodable, Sendable {
            let json: User
        }
        let manager = makeManager(transport)
        let users = Recorder<User?>()

        manager.post("anything", body: .json(User(name: "Ada", tags: ["x"])), as: Echo.self) { _, echo in
            users.record(echo.json)
        } failure: { _, _ in
            users.record(nil)
        }

        #expect(try await users.first() == User(name: "Ada", tags: ["x"]))
    }

    @Test("The serializer of a call determines the type of the success value", arguments: TestTransport.allCases)
    func serializerOfCall(_ transport: TestTransport) async throws {
        let manager = makeManager(transport)
        let texts = Recorder<String>()

        manager.get("encoding/utf8", as: StringResponseSerializer()) { _, text in texts.record(text) }

        #expect(try await texts.first().contains("∮"))
    }

    @Test("A task uses the serializer that was set at its creation", arguments: TestTransport.allCases)
    func serializerIsCaptured(_ transport: TestTransport) async throws {
        let gate = LoopbackServer.Gate()
        server.route("/held", .json("[1]").held(until: gate))
        let manager = makeManager(transport)
        let objects = Recorder<Bool>()

        manager.get("held") { _, object in objects.record(object is [Any]) }
        manager.responseSerializer = DataResponseSerializer()
        gate.open()

        #expect(try await objects.first())
    }

    @Test("A 404 is a failure with its body and its parsed content", arguments: TestTransport.allCases)
    func notFound(_ transport: TestTransport) async throws {
        server.route("/missing", .json(#"{"reason": "no such user"}"#, status: 404))

        let call = try await makeManager(transport).call(.get, "missing")

        let error = try #require(call.error)
        #expect(error.code == .unacceptableStatusCode)
        #expect(error.statusCode == 404)
        #expect(error.responseData == Data(#"{"reason": "no such user"}"#.utf8))
        #expect(error.responseObject as? [String: String] == ["reason": "no such user"])
        #expect(error.request?.url == server.url("/missing"))
        #expect(call.task?.state == .completed)
        #expect(call.task?.error?.code == .unacceptableStatusCode)
    }

    @Test(
        "Every acceptable status succeeds, and every other status fails",
        arguments: TestTransport.allCases,
        [(200, true), (204, true), (404, false), (500, false)]
    )
    func statuses(_ transport: TestTransport, _ row: (status: Int, succeeds: Bool)) async throws {
        let call = try await makeManager(transport).call(.get, "status/\(row.status)")

        #expect(call.isSuccess == row.succeeds)
        #expect(call.value == nil)
        #expect(call.statusCode == row.status)
    }

    @Test(
        "A field of the call overrides the serializer's default, and other defaults stay",
        arguments: TestTransport.allCases
    )
    func headersOfCall(_ transport: TestTransport) async throws {
        let manager = makeManager(transport)
        manager.headers["field"] = "default"
        manager.headers["other"] = "kept"

        _ = try await manager.call(.get, "headers", headers: ["field": "of the call"])

        let request = try #require(server.requests.first)
        #expect(request.headers["field"] == "of the call")
        #expect(request.headers["other"] == "kept")
    }

    @Test("A request that cannot be serialized fails with a nil task, and the returned task has ended")
    func serializationFailure() async throws {
        struct Refusal: Error {}
        let queue = TestQueue.make("completion")
        let manager = SessionManager.stubbed(completionQueue: queue)
        manager.requestSettings.customQuery = { _, _ in throw Refusal() }
        let calls = Recorder<Call>()

        queue.suspend()
        let task = manager.get("get", parameters: ["key": "value"]) { task, object in
            calls.record(Call(task: task, object: object, error: nil))
        } failure: { task, error in
            calls.record(Call(task: task, object: nil, error: error))
        }
        #expect(calls.values.isEmpty)
        queue.resume()
        let call = try await calls.first()
        try await manager.finishAll()

        #expect(call.task == nil)
        #expect(call.error?.code == .parameterEncodingFailed)
        #expect(call.error?.underlyingError is Refusal)
        #expect(task.state == .completed)
        #expect(task.error?.code == .parameterEncodingFailed)
        #expect(task.urlSessionTask == nil && task.taskIdentifier == 0)
    }

    @Test(
        "Invalid input fails with a nil task on the completion queue, and leaves the group",
        arguments: [
            ("http://", "GET", LarkspurError.Code.invalidURL), ("http://[::1", "GET", .invalidURL),
            ("ok", "GE T", .invalidMethod), ("ok", "GET\r\nX: y", .invalidMethod), ("ok", "", .invalidMethod),
        ]
    )
    func badInput(_ row: (url: String, method: String, code: LarkspurError.Code)) async throws {
        let manager = SessionManager.stubbed(completionQueue: TestQueue.make("completion"))
        let ends = Recorder<(DataTask?, LarkspurError.Code, String?)>()

        let task = manager.request(HTTPMethod(rawValue: row.method), row.url) { _, _ in
        } failure: { task, error in
            ends.record((task, error.code, TestQueue.current))
        }
        let notifications = NotificationRecorder(task)
        let end = try await ends.first()
        try await manager.finishAll()

        #expect(end.0 == nil && end.1 == row.code && end.2 == "completion")
        #expect(ends.values.count == 1)
        #expect(notifications.names.filter { $0 == SessionTask.didResumeNotification }.isEmpty)
        #expect(manager.tasks.isEmpty)
    }

    @Test("A field with a line break is refused", arguments: ["a\r\nb", "a\nb", "a\0b"])
    func malformedField(_ value: String) async throws {
        let call = try await SessionManager.stubbed().call(.get, "/", headers: ["X-Field": value])

        #expect(call.task == nil)
        #expect(call.error?.code == .invalidHeaderField)
    }

    @Test("GET reports the progress of the download until its end", arguments: TestTransport.allCases)
    func downloadProgress(_ transport: TestTransport) async throws {
        let manager = makeManager(transport)
        let fractions = Recorder<Double>()

        manager.get(
            "bytes/200000",
            options: CallOptions(downloadProgress: {
                fractions.record($0.fractionCompleted)
            }),
            as: DataResponseSerializer()
        ) { _, _ in
        }
        try await manager.finishAll()

        #expect(fractions.values.last == 1)
        #expect(fractions.values == fractions.values.sorted())
    }

    @Test("POST reports the progress of the upload until its end", arguments: TestTransport.allCases)
    func uploadProgress(_ transport: TestTransport) async throws {
        let manager = makeManager(transport)
        let fractions = Recorder<Double>()

        manager.post(
            "post",
            body: .json(String(repeating: "x", count: 300_000)),
            options: CallOptions(uploadProgress: {
                fractions.record($0.fractionCompleted)
            })
        ) { _, _ in
        }
        try await manager.finishAll()

        #expect(fractions.values.last == 1)
        #expect(server.requests.first?.body.count == 300_002)
    }

    @Test("The server accepts the credentials that are set on the serializer", arguments: TestTransport.allCases)
    func hiddenBasicAuthentication(_ transport: TestTransport) async throws {
        let manager = makeManager(transport)
        manager.requestSettings.setAuthorization(username: "user", password: "password")

        let call = try await manager.call(.get, "hidden-basic-auth/user/password")

        #expect(call.error == nil)
        #expect(call.json?["authenticated"] as? Bool == true)
    }

    @Test(
        "An absolute URL replaces the base URL, and a relative URL is appended to it",
        arguments: TestTransport.allCases
    )
    func urls(_ transport: TestTransport) async throws {
        let server = server
        let manager = SessionManager(
            baseURL: server.url("/anything/v1"),
            configuration: .testing,
            transport: transport.transport
        )

        _ = try await manager.call(.get, "users")
        _ = try await manager.call(.get, "/anything/root")
        _ = try await manager.call(.get, server.url("/anything/whole").absoluteString)

        #expect(server.requests.map(\.path) == ["/anything/v1/users", "/anything/root", "/anything/whole"])
    }
}
