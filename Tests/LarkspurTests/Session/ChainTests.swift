import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Calls without closures, and their handlers", .timeLimit(.minutes(5)))
struct ChainTests {
    struct User: Codable, Equatable, Sendable {
        let name: String
    }

    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.route("/user", .json(#"{"name": "Ada"}"#))
        server.route("/refused", .json(#"{"message": "No name."}"#, status: 422))
    }

    @Test("A handler starts the call and gets the value", arguments: TestTransport.allCases)
    func handler(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let strings = Recorder<DataResponse<String>>()

        let task = manager.get("user")
        #expect(task.state == .initialized)
        #expect(task.originalRequest?.url == server.url("/user"))
        task.responseString { strings.record($0) }

        #expect(try await strings.first().value == #"{"name": "Ada"}"#)
        #expect(try await strings.first().statusCode == 200)
    }

    @Test(
        "Several handlers get the same response, in order, before the notification",
        arguments: TestTransport.allCases
    )
    func several(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let gate = LoopbackServer.Gate()
        server.route("/held", .json(#"{"name": "Ada"}"#).held(until: gate))
        let events = Recorder<String>()
        let queue = DispatchQueue(label: "own")
        queue.setSpecific(key: Self.key, value: true)

        let task = manager.get("held")
        let observer = NotificationCenter.default.addObserver(
            forName: SessionTask.didCompleteNotification,
            object: task,
            queue: nil
        ) { notification in
            events.record("notified \(notification.taskCompletion?.serializedResponse as? String ?? "nothing")")
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        task.responseString { events.record("string \($0.value?.count ?? 0)") }
            .responseData(queue: queue) {
                let isOwn = DispatchQueue.getSpecific(key: Self.key) == true
                events.record("data \($0.value?.count ?? 0) \(isOwn)")
            }
            .responseDecodable(of: User.self) { events.record("user \($0.value?.name ?? "none")") }
            .responseJSON { events.record("json \(($0.value as? [String: Any])?["name"] ?? "none")") }
        gate.open()
        try await manager.finishAll()

        #expect(
            events.values == [
                "string 15", "data 15 true", "user Ada", "json Ada", #"notified {"name": "Ada"}"#,
            ]
        )
    }

    private static let key = DispatchSpecificKey<Bool>()

    @Test("A handler that is added after the end runs too", arguments: TestTransport.allCases)
    func late(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let values = Recorder<String?>()
        let task = manager.get("user").responseString { values.record($0.value) }
        try await manager.finishAll()

        task.responseDecodable(of: User.self) { values.record($0.value?.name) }

        #expect(try await values.wait(for: 2) == [#"{"name": "Ada"}"#, "Ada"])
        #expect(server.requests(to: "/user").count == 1)
    }

    @Test("resume() alone sends the request, and its notification has the value", arguments: TestTransport.allCases)
    func resumeAlone(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let task = manager.get("user")
        let notifications = NotificationRecorder(task)

        task.resume()
        try await manager.finishAll()

        let completion = notifications.events.values.last?.completion
        #expect((completion?.serializedResponse as? [String: Any])?["name"] as? String == "Ada")
        #expect(notifications.names == [SessionTask.didResumeNotification, SessionTask.didCompleteNotification])
    }

    @Test("The same failure reaches every handler, each with the parsed content", arguments: TestTransport.allCases)
    func failure(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let errors = Recorder<LarkspurError?>()

        manager.get("refused").responseDecodable(of: User.self) { errors.record($0.error) }
            .responseJSON { errors.record($0.error) }

        for error in try await errors.wait(for: 2) {
            #expect(error?.code == .unacceptableStatusCode)
            #expect(error?.message.contains("No name") == true)
        }
        #expect((errors.values[1]?.responseObject as? [String: String]) == ["message": "No name."])
    }

    @Test("validate replaces the rules of the serializers", arguments: TestTransport.allCases)
    func validation(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)

        let accepted = await manager.get("refused").validate(statusCode: 200..<500).response(as: [String: String].self)
        let status = await manager.get("user").validate(statusCode: [404]).response()
        let type = await manager.get("user").validate(contentType: ["text/*"]).response()

        #expect(accepted.value == ["message": "No name."])
        #expect(status.error?.code == .unacceptableStatusCode)
        #expect(type.error?.code == .unacceptableContentType)
    }

    @Test("A check of one's own rejects a response, and its error arrives", arguments: TestTransport.allCases)
    func check(_ transport: TestTransport) async throws {
        struct Refused: Error {}
        let manager = transport.makeManager(for: server)

        let response = await manager.get("user")
            .validate { request, response, data in
                #expect(request?.httpMethod == "GET" && response.statusCode == 200 && data.count == 15)
                throw Refused()
            }
            .response(as: User.self)

        #expect(response.error?.code == .unacceptableResponse)
        #expect(response.error?.underlyingError is Refused)
        #expect(response.error?.statusCode == 200)
    }

    @Test("A call is authenticated, redirected and looked at by its own settings", arguments: TestTransport.allCases)
    func settings(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        server.route("/moved", .redirect(to: "/user"))
        let statuses = Recorder<Int>()

        let authenticated = await manager.get("basic-auth/ada/secret").authenticate(username: "ada", password: "secret")
            .response()
        let refused = await manager.get("basic-auth/ada/secret").authenticate(username: "ada", password: "wrong")
            .response()
        let redirect = await manager.get("moved").validate(statusCode: 300..<400).redirect { _, _, _ in nil }.response()
        _ = await manager.get("user").onHTTPResponse { statuses.record($0.statusCode) }.response()

        #expect(authenticated.statusCode == 200)
        #expect(refused.error?.statusCode == 401)
        #expect(redirect.statusCode == 302)
        #expect(statuses.values == [200])
    }

    @Test("A setting after the start has no effect, and a line says so")
    func lateSetting() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        let lines = Recorder<String>()
        manager.reportsUnhandledFailures = true
        manager.failureWriter = { lines.record($0) }

        let task = manager.get("user").responseData { _ in }
        _ = task.validate(statusCode: [404])

        let data = await task.response().data
        #expect(data.count == 15)
        #expect(lines.values.count == 1)
        #expect(lines.values.first?.contains("validate(statusCode:) has no effect") == true)
    }

    @Test("A call that is released unstarted sends nothing, and a line says so")
    func unstarted() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        let lines = Recorder<String>()
        manager.reportsUnhandledFailures = true
        manager.failureWriter = { lines.record($0) }

        _ = manager.get("user", parameters: ["token": "secret"])

        #expect(lines.values.count == 1)
        #expect(lines.values.first?.hasPrefix("Larkspur: GET \(server.url("/user").absoluteString)?… was made") == true)
        _ = try await manager.get("user").data
        #expect(server.requests(to: "/user").count == 1)
        #expect(lines.values.count == 1)
    }

    @Test(
        "A request that cannot be built is the error of the call, and nothing is sent",
        arguments: TestTransport.allCases
    )
    func unbuildable(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        for task in [manager.get("http:/x"), manager.request("B D", "user"), manager.get("user", headers: ["A": "\n"])]
        {
            let response = await task.response()
            #expect([.invalidURL, .invalidMethod, .invalidHeaderField].contains(response.error?.code))
            #expect(task.state == .completed)
        }
        #expect(server.requests(to: "/user").isEmpty)
    }

    @Test("A call with closures takes no handlers, which get an error that says so")
    func mixed() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        let task = manager.get("user") { _, _ in }

        #expect(await task.response().error?.code == .unsupported)
    }

    @Test("A call whose failure is handled is not reported; one without a handler is")
    func unhandled() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        let lines = Recorder<String>()
        manager.reportsUnhandledFailures = true
        manager.failureWriter = { lines.record($0) }

        manager.get("refused").responseData { _ in }
        manager.get("status/404").resume()
        try await manager.finishAll()

        #expect(lines.values.count == 1 && lines.values[0].contains("status/404"))
    }

    @Test("The default manager makes calls by whole URLs")
    func defaultManager() async throws {
        let strings = Recorder<String?>()

        Larkspur.request(server.url("/user").absoluteString).responseString { strings.record($0.value) }
        let posted = try await Larkspur.request(
            server.url("/post").absoluteString,
            method: .post,
            parameters: ["a": "b"]
        ).string

        #expect(try await strings.first() == #"{"name": "Ada"}"#)
        #expect(posted.contains("\"a\""))
    }
}
