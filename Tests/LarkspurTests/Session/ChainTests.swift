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

    @Test("validate() replaces the rules of the serializers", arguments: TestTransport.allCases)
    func validation(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)

        let accepted = await manager.get("refused").validate(statusCode: 200..<500).response(as: [String: String].self)
        let status = await manager.get("user").validate(statusCode: [404]).response()
        let type = await manager.get("user").validate(contentType: ["text/*"]).response()

        #expect(accepted.value == ["message": "No name."])
        #expect(status.error?.code == .unacceptableStatusCode)
        #expect(type.error?.code == .unacceptableContentType)
    }

    /// Rules of a call, and the code of the error that they make of JSON with the status 201; nil for none.
    typealias Rules = (codes: StatusCodes?, types: Set<MediaRange>?, error: LarkspurError.Code?)

    static let ruleCases: [Rules] = [
        (StatusCodes(200..<300), nil, nil), ([201], nil, nil), ([200], nil, .unacceptableStatusCode),
        ([], nil, .unacceptableStatusCode), (nil, ["application/json"], nil),
        (nil, ["application/json; q=0.8; charset=utf-8"], nil), (nil, ["*/*"], nil), (nil, ["application/*"], nil),
        (nil, ["*/json"], nil), (nil, ["application/octet-stream"], .unacceptableContentType),
        (nil, [], .unacceptableContentType), ([201], ["application/json"], nil),
        (StatusCodes(400..<600), ["application/octet-stream"], .unacceptableStatusCode),
    ]

    @Test("The rules of a call apply to data and to a download", arguments: TestTransport.allCases, ruleCases)
    func rules(_ transport: TestTransport, _ rules: Rules) async throws {
        server.route("/made", .json("[1]", status: 201))
        let manager = transport.makeManager(for: server)
        let folder = TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        var data = manager.get("made")
        var file = manager.download("made", to: .folder(folder.url))
        if let codes = rules.codes {
            data = data.validate(statusCode: codes)
            file = file.validate(statusCode: codes)
        }
        if let types = rules.types {
            data = data.validate(contentType: types)
            file = file.validate(contentType: types)
        }

        for error in [await data.response().error, await file.response().error] {
            #expect(error?.code == rules.error)
            #expect(error == nil || error?.statusCode == 201)
            if rules.codes != nil, rules.types != nil, rules.error != nil {
                #expect(error?.contains(.unacceptableContentType) == true)
            }
        }
    }

    @Test("A response without content is acceptable without a content type", arguments: TestTransport.allCases)
    func typeWithoutContent(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let folder = TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }

        let data = await manager.get("status/204").validate(contentType: []).response()
        let file = await manager.download("status/204", to: .folder(folder.url)).validate(contentType: []).response()

        #expect(data.error == nil && file.error == nil)
    }

    @Test("A custom check rejects a response with its own error", arguments: TestTransport.allCases)
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

    @Test("After a check throws, no later check is called")
    func checks() async throws {
        struct First: Error {}
        let asked = Recorder<String>()

        let response = await TestTransport.curl.makeManager(for: server).get("user")
            .validate { _, _, _ in asked.record("before") }
            .validate { _, _, _ in throw First() }
            .validate { _, _, _ in asked.record("after") }
            .response()

        #expect(response.error?.code == .unacceptableResponse && response.error?.underlyingError is First)
        #expect(asked.values == ["before"])
    }

    @Test(
        "A custom check sees the downloaded file before it is moved, and can reject the file",
        arguments: TestTransport.allCases
    )
    func fileCheck(_ transport: TestTransport) async throws {
        struct Refused: Error {}
        let manager = transport.makeManager(for: server)
        let folder = TemporaryFolder()
        let (kept, refused) = (folder.url.appendingPathComponent("kept"), folder.url.appendingPathComponent("refused"))
        let contents = Recorder<Data?>()

        let file = try await manager.download("user", to: .file(kept))
            .validate { request, response, file in
                #expect(request?.httpMethod == "GET" && response.statusCode == 200 && file.path != kept.path)
                #expect(!FileManager.default.fileExists(atPath: kept.path))
                contents.record(try Data(contentsOf: file))
            }
            .file
        let response = await manager.download("user", to: .file(refused))
            .validate { _, _, file in
                contents.record(try Data(contentsOf: file))
                throw Refused()
            }
            .response()

        let content = Data(#"{"name": "Ada"}"#.utf8)
        #expect(contents.values == [content, content])
        #expect(file.path == kept.path)
        #expect(try Data(contentsOf: file) == content)
        #expect(response.error?.code == .unacceptableResponse && response.error?.underlyingError is Refused)
        #expect(response.error?.statusCode == 200 && response.fileURL == nil)
        #expect(!FileManager.default.fileExists(atPath: refused.path))
        withExtendedLifetime(folder) {}
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
