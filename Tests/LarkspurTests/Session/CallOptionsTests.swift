import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Options of calls", .timeLimit(.minutes(5)))
struct CallOptionsTests {
    /// The ways to a response: by a closure, and by the chain.
    enum Way: CaseIterable {
        case closure
        case chain
    }

    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    private func get(
        _ path: String,
        _ options: CallOptions,
        _ way: Way,
        _ manager: SessionManager
    ) async -> (task: DataTask, error: LarkspurError?) {
        switch way {
        case .closure:
            return await withCheckedContinuation { continuation in
                manager.get(path, options: options, as: .data) { task, _ in
                    continuation.resume(returning: (task, nil))
                } failure: { task, error in
                    continuation.resume(returning: (task ?? manager.get("none"), error))
                }
            }
        case .chain:
            let task = manager.get(path, options: options)
            return (task, await task.response().error)
        }
    }

    @Test(
        "The acceptable responses of a call replace those of the serializer",
        arguments: TestTransport.allCases,
        Way.allCases
    )
    func validation(_ transport: TestTransport, _ way: Way) async throws {
        let manager = transport.makeManager(for: server)
        #expect(await get("status/404", CallOptions(validation: .anything), way, manager).error == nil)
        let strict = ResponseValidation(acceptableContentTypes: ["application/json"])
        let error = await get("bytes/10", CallOptions(validation: strict), way, manager).error
        #expect(error?.code == .unacceptableContentType)
    }

    @Test("A credential is used once for each challenge", arguments: TestTransport.allCases, Way.allCases)
    func credential(_ transport: TestTransport, _ way: Way) async throws {
        let manager = transport.makeManager(for: server)
        let right = URLCredential(user: "ada", password: "secret", persistence: .none)
        let wrong = URLCredential(user: "ada", password: "guess", persistence: .none)
        #expect(await get("basic-auth/ada/secret", CallOptions(credential: right), way, manager).error == nil)
        #expect(await get("basic-auth/ada/secret", CallOptions(credential: wrong), way, manager).error != nil)
        #expect(server.requests.count == 4)
    }

    @Test(
        "A credential is not used for a challenge of another origin after a redirect",
        arguments: TestTransport.allCases,
        Way.allCases
    )
    func credentialOfOrigin(_ transport: TestTransport, _ way: Way) async throws {
        let other = try LoopbackServer()
        server.route("/away", .redirect(to: other.url("/basic-auth/ada/secret").absoluteString))
        let manager = transport.makeManager(for: server)
        let credential = URLCredential(user: "ada", password: "secret", persistence: .none)
        #expect(await get("away", CallOptions(credential: credential), way, manager).error != nil)
        #expect(await manager.get("away").authenticate(username: "ada", password: "secret").response().error != nil)
        #expect(other.requests.count == 2)
        #expect(other.requests.allSatisfy { $0.headers["Authorization"] == nil })
    }

    @Test("Interceptors and timeouts apply to their call only", arguments: TestTransport.allCases, Way.allCases)
    func interceptors(_ transport: TestTransport, _ way: Way) async throws {
        let manager = transport.makeManager(for: server)
        let attempts = Recorder<Int>()
        let interceptor = ClosureInterceptor { request, _, next in
            attempts.record(1)
            return try await next(request)
        }
        var options = CallOptions(interceptors: RequestInterceptors(attempt: [interceptor]))
        #expect(await get("get", options, way, manager).error == nil)
        #expect(await get("get", CallOptions(), way, manager).error == nil)
        #expect(attempts.values == [1])
        options.timeouts.total = .milliseconds(50)
        #expect(await get("delay/60", options, way, manager).error?.code == .timedOut)
        #expect(attempts.values == [1, 1])
    }

    @Test(
        "A call has the priority, the cache policy, the hooks and the progress of its options",
        arguments: Way.allCases
    )
    func properties(_ way: Way) async throws {
        let manager = makeManager(.curl)
        let (fractions, ends) = (Recorder<Double>(), Recorder<LarkspurError?>())
        var hooks = SessionHooks()
        hooks.didComplete = { _, error in ends.record(error) }
        let options = CallOptions(
            hooks: hooks,
            cachePolicy: .reloadIgnoringLocalCacheData,
            priority: 0.75,
            downloadProgress: { fractions.record($0.fractionCompleted) }
        )

        let (task, error) = await get("bytes/100000", options, way, manager)

        #expect(error == nil)
        #expect(task.priority == 0.75)
        #expect(task.originalRequest?.cachePolicy == .reloadIgnoringLocalCacheData)
        try await manager.finishAll()
        #expect(fractions.values.last == 1)
        #expect(try await ends.first() == nil)
    }

    @Test("A call with a handler starts, one without a handler waits, and one that never starts is reported")
    func starting() async throws {
        let lines = Recorder<String>()
        let manager = makeManager(.curl)
        manager.reportsUnhandledFailures = true
        manager.failureWriter = { lines.record($0) }

        #expect(manager.get("get").state == .initialized)
        #expect(manager.post("post", body: .json([1])).state == .initialized)
        #expect(manager.upload("post", from: .data(Data("x".utf8))).state == .initialized)
        #expect(manager.download("bytes/1").state == .initialized)
        let task = manager.get("get", failure: { _, _ in })

        #expect(task.state != .initialized)
        try await manager.finishAll()
        #expect(server.requests.map(\.path) == ["/get"])
        #expect(lines.values.count == 4)
    }

    private func makeManager(_ transport: TestTransport) -> SessionManager { transport.makeManager(for: server) }
}

@Suite("Bodies of requests", .timeLimit(.minutes(5)))
struct RequestBodyTests {
    let server: LoopbackServer
    let folder = TemporaryFolder()

    init() throws { server = try LoopbackServer() }

    /// A body, its content and its type.
    struct Sample: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let body: RequestBody
        let content: String
        let type: String

        static let all = [
            Sample("value", .json(["a": 1]), #"{"a":1}"#, "application/json"),
            Sample("members", .jsonObject(["name": "Ada", "tags": ["a", 1]]), "", "application/json"),
            Sample("no members", .jsonObject([:]), "{}", "application/json"),
            Sample("encoder", .encoded("x", by: Shout()), "X!", "text/shout"),
            Sample("data", .data(Data("abc".utf8), contentType: "a/b"), "abc", "a/b"),
            Sample("no data", .data(Data()), "", "application/octet-stream"),
            Sample(
                "stream",
                .stream(length: 3) { InputStream(data: Data("abc".utf8)) },
                "abc",
                "application/octet-stream"
            ),
        ]

        init(_ name: String, _ body: RequestBody, _ content: String, _ type: String) {
            (testDescription, self.body, self.content, self.type) = (name, body, content, type)
        }
    }

    struct Shout: DataEncoder {
        let contentType = "text/shout"

        func encode(_ value: some Encodable) throws -> Data { Data("\(value)!".uppercased().utf8) }
    }

    @Test("Each function sends each body with its type", arguments: TestTransport.allCases, Sample.all)
    func arrival(_ transport: TestTransport, _ sample: Sample) async throws {
        let manager = transport.makeManager(for: server)
        var request = URLRequest(url: server.url("/post"))
        request.httpMethod = "POST"

        #expect(await manager.post("post", body: sample.body).response().error == nil)
        #expect(await manager.request(.post, "post", body: sample.body).response().error == nil)
        #expect(await manager.upload("post", from: sample.body).response().error == nil)
        #expect(await manager.uploadTask(with: request, from: sample.body).response().error == nil)

        #expect(server.requests.count == 4)
        for received in server.requests {
            #expect(received.headers["Content-Type"] == sample.type)
            if sample.testDescription == "members" {
                let object = try JSONSerialization.jsonObject(with: received.body) as? NSDictionary
                #expect(object == ["name": "Ada", "tags": ["a", 1]])
            } else {
                #expect(String(decoding: received.body, as: UTF8.self) == sample.content)
            }
        }
    }

    @Test(
        "A body can be sent repeatedly, and a file or form is sent by an upload task",
        arguments: TestTransport.allCases
    )
    func again(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let file = try folder.file("a.txt", Data("text".utf8))
        let form = RequestBody.multipart { form in
            form.append(text: "b", name: "a")
            try form.append(file: file, name: "file")
        }
        for _ in 0..<2 {
            let task = manager.put("put", parameters: ["first": 1], body: form)
            #expect(task is UploadTask)
            #expect(await task.response().error == nil)
            #expect(await manager.patch("patch", body: .file(file)).response().error == nil)
        }
        #expect(server.requests.map(\.path) == ["/put", "/patch", "/put", "/patch"])
        #expect(server.requests.first?.parts.count == 3)
        #expect(server.requests.last?.headers["Content-Type"] == "text/plain")
        #expect(server.requests.last?.body == Data("text".utf8))
    }

    @Test(
        "A body that cannot be sent is an error of its own kind, and nothing is sent",
        arguments: TestTransport.allCases
    )
    func failures(_ transport: TestTransport) async throws {
        struct Broken: Error {}
        let manager = transport.makeManager(for: server)
        let bodies: [(RequestBody, LarkspurError.Code)] = [
            (.json(Double.nan), .parameterEncodingFailed),
            (.jsonObject(["a": Double.infinity, "b": "x"]), .parameterEncodingFailed),
            (.jsonObject(["a": folder, "b": "x"]), .parameterEncodingFailed),
            (.file(folder.url.appendingPathComponent("none")), .fileUnreadable),
            (.multipart { _ in throw Broken() }, .parameterEncodingFailed),
        ]
        for (body, code) in bodies {
            #expect(await manager.post("post", body: body).response().error?.code == code)
            #expect(await manager.upload("post", from: body).response().error?.code == code)
            #expect(
                await manager.uploadTask(with: URLRequest(url: server.url("/post")), from: body).response().error?.code
                    == code
            )
        }
        for resumable in [ResumableUpload.tus, .ietf] {
            for body in [RequestBody.multipart { _ in }, .stream { nil }] {
                let error = await manager.upload("post", from: body, resumable: resumable).response().error
                #expect(error?.code == .unsupported)
            }
        }
        #expect(throws: LarkspurError.self) { try manager.makeRequest(.post, "x", body: .jsonObject(["a": folder])) }
        #expect(server.requests.isEmpty)
    }
}
