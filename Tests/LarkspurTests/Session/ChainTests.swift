import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Chains of calls and handlers", .timeLimit(.minutes(5)))
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
        task.response(as: .string) { strings.record($0) }

        #expect(try await strings.first().value == #"{"name": "Ada"}"#)
        #expect(try await strings.first().statusCode == 200)
    }

    @Test(
        "Several handlers get the same response in order, before the notification",
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
        task.response(as: .string) { events.record("string \($0.value?.count ?? 0)") }
            .response(as: .data, queue: queue) {
                let isOwn = DispatchQueue.getSpecific(key: Self.key) == true
                events.record("data \($0.value?.count ?? 0) \(isOwn)")
            }
            .response(as: User.self) { events.record("user \($0.value?.name ?? "none")") }
            .response(as: .json) { events.record("json \(($0.value as? [String: Any])?["name"] ?? "none")") }
        gate.open()
        try await manager.finishAll()

        #expect(
            events.values == [
                "string 15", "data 15 true", "user Ada", "json Ada", #"notified {"name": "Ada"}"#,
            ]
        )
    }

    private static let key = DispatchSpecificKey<Bool>()

    @Test("A handler that is added after the end is called too", arguments: TestTransport.allCases)
    func late(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let values = Recorder<String?>()
        let task = manager.get("user").response(as: .string) { values.record($0.value) }
        try await manager.finishAll()

        task.response(as: User.self) { values.record($0.value?.name) }

        #expect(try await values.wait(for: 2) == [#"{"name": "Ada"}"#, "Ada"])
        #expect(server.requests(to: "/user").count == 1)
    }

    @Test("A call of resume() sends the request, and the notification has the value", arguments: TestTransport.allCases)
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

    @Test(
        "An error of the transport reaches every handler, without a serialization",
        arguments: TestTransport.allCases
    )
    func transportError(_ transport: TestTransport) async throws {
        struct Witness: ResponseSerializer {
            let calls: Recorder<Void>
            var validation = ResponseValidation.anything

            func serialize(_ data: Data, response: URLResponse?) -> sending Int {
                calls.record(())
                return data.count
            }
        }
        server.route("/cut", .fault(.shortBody))
        let manager = transport.makeManager(for: server)
        let calls = Recorder<Void>()
        let codes = Recorder<LarkspurError.Code?>()

        manager.get("cut").response(as: .data) { codes.record($0.error?.code) }
            .response(as: .string) { codes.record($0.error?.code) }
            .response(as: .json) { codes.record($0.error?.code) }
            .response(as: User.self) { codes.record($0.error?.code) }
            .response(as: Witness(calls: calls)) { codes.record($0.error?.code) }

        #expect(try await codes.wait(for: 5) == [LarkspurError.Code?](repeating: .connectionLost, count: 5))
        #expect(calls.values.isEmpty)
    }

    @Test("Every handler gets the same failure, with the parsed content", arguments: TestTransport.allCases)
    func failure(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let errors = Recorder<LarkspurError?>()

        manager.get("refused").response(as: User.self) { errors.record($0.error) }
            .response(as: .json) { errors.record($0.error) }

        for error in try await errors.wait(for: 2) {
            #expect(error?.code == .unacceptableStatusCode)
            #expect(error?.message.contains("No name") == true)
        }
        #expect((errors.values[1]?.responseObject as? [String: String]) == ["message": "No name."])
        #expect(server.requests(to: "/refused").count == 1)
    }

    @Test("A call has its own settings for credentials, redirects and responses", arguments: TestTransport.allCases)
    func settings(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        server.route("/moved", .redirect(to: "/user"))
        let statuses = Recorder<Int>()

        let authenticated = await manager.get("basic-auth/ada/secret").authenticate(username: "ada", password: "secret")
            .response()
        let refused = await manager.get("basic-auth/ada/secret").authenticate(username: "ada", password: "wrong")
            .response()
        let redirect = await manager.get("moved").validate(statusCode: 300..<400).redirect { _, _, _ in nil }.response()
        let seen = manager.get("user").onHTTPResponse { response in
            statuses.record(response.statusCode)
            return .allow
        }
        _ = await seen.response()

        #expect(authenticated.statusCode == 200)
        #expect(refused.error?.statusCode == 401)
        #expect(redirect.statusCode == 302)
        #expect(statuses.values == [200])
    }

    enum Redirection: CaseIterable, Sendable {
        case follow, refuse, change
    }

    @Test(
        "A call's redirect hook replaces the manager's hook",
        arguments: TestTransport.allCases,
        Redirection.allCases
    )
    func redirects(_ transport: TestTransport, _ redirection: Redirection) async throws {
        let server = server
        server.route("/moved", .redirect(to: "/user"))
        let manager = transport.makeManager(for: server)
        manager.hooks.willPerformHTTPRedirection = { _, _, request in redirection == .refuse ? request : nil }

        let response = await manager.get("moved").validate(statusCode: 200..<400)
            .redirect { _, _, request in
                switch redirection {
                case .follow: return request
                case .refuse: return nil
                case .change: return URLRequest(url: server.url("/get"))
                }
            }
            .response()

        let paths: [Redirection: [String]] = [
            .follow: ["/moved", "/user"], .refuse: ["/moved"], .change: ["/moved", "/get"],
        ]
        #expect(server.requests.map(\.path) == paths[redirection])
        #expect(response.statusCode == (redirection == .refuse ? 302 : 200) && response.error == nil)
    }

    @Test("A setting after the start has no effect, and is reported in one line")
    func lateSetting() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        let lines = Recorder<String>()
        manager.reportsUnhandledFailures = true
        manager.failureWriter = { lines.record($0) }

        let task = manager.get("user").response(as: .data) { _ in }
        _ = task.validate(statusCode: [404])

        let data = await task.response().data
        #expect(data.count == 15)
        #expect(lines.values.count == 1)
        #expect(lines.values.first?.contains("validate(statusCode:) has no effect") == true)
    }

    @Test("A call that is released before its start sends nothing, and is reported in one line")
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
        "If a request cannot be built, its error ends the call, and nothing is sent",
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

    @Test("Handlers that are added to a call with closures get an error")
    func mixed() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        let task = manager.get("user") { _, _ in }

        #expect(await task.response().error?.code == .unsupported)
    }

    @Test("The failure of a call is reported only if the call has no handler")
    func unhandled() async throws {
        let manager = TestTransport.curl.makeManager(for: server)
        let lines = Recorder<String>()
        manager.reportsUnhandledFailures = true
        manager.failureWriter = { lines.record($0) }

        manager.get("refused").response(as: .data) { _ in }
        manager.get("status/404").resume()
        try await manager.finishAll()

        #expect(lines.values.count == 1 && lines.values[0].contains("status/404"))
    }

    @Test("The default manager sends calls with absolute URLs")
    func defaultManager() async throws {
        let strings = Recorder<String?>()

        SessionManager.default.get(server.url("/user").absoluteString).response(as: .string) {
            strings.record($0.value)
        }
        let posted = try await SessionManager.default.post(
            server.url("/post").absoluteString,
            parameters: ["a": "b"]
        ).string

        #expect(try await strings.first() == #"{"name": "Ada"}"#)
        #expect(posted.contains("\"a\""))
    }
}
