import LarkspurTesting
import Synchronization
import Testing

@testable import Larkspur

@Suite("Awaited calls", .timeLimit(.minutes(5)))
struct AsyncTests {
    struct User: Codable, Equatable, Sendable {
        let userName: String
    }

    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.route("/user", .json(#"{"user_name": "Ada"}"#))
    }

    @Test("Values, content and text can be awaited", arguments: TestTransport.allCases)
    func values(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        manager.jsonDecoder.keyDecodingStrategy = .convertFromSnakeCase

        let user = try await manager.get("user").value(as: User.self)
        let inferred: User = try await manager.get("user").value()
        let raw = try await manager.get("user").value(as: .data)

        #expect(user == User(userName: "Ada") && inferred == user)
        #expect(raw.count == 20)
        let data = try await manager.get("user").data
        let string = try await manager.get("user").string
        #expect(data.count == 20 && string == #"{"user_name": "Ada"}"#)
    }

    @Test("The error of a failed call has its type, and response() does not throw", arguments: TestTransport.allCases)
    func failures(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        do {
            _ = try await manager.get("status/404").data
            Issue.record("No error")
        } catch {
            #expect(error.code == .unacceptableStatusCode && error.statusCode == 404)
        }
        #expect(await manager.get("status/500").response(as: User.self).error?.statusCode == 500)
    }

    @Test("A call of a manager without other references succeeds", arguments: TestTransport.allCases)
    func temporaryManager(_ transport: TestTransport) async throws {
        let string = try await transport.makeManager(for: server).get("user").string
        #expect(string.count == 20)
    }

    @Test("Cancelling the surrounding task cancels the call", arguments: TestTransport.allCases)
    func cancellation(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let gate = LoopbackServer.Gate()
        server.route("/held", .text("late").held(until: gate))

        let call = manager.get("held")
        let work = Task { await call.response() }
        _ = try await eventually(1) { server.requests(to: "/held").count }
        work.cancel()

        #expect(await work.value.error?.code == .cancelled)
        gate.open()
        try await manager.finishAll()
        #expect(call.state == .completed)
    }

    @Test(
        "Cancelling the task around one or several calls or downloads cancels them",
        arguments: TestTransport.allCases,
        [(isDownload: false, isGroup: true), (isDownload: true, isGroup: false), (isDownload: true, isGroup: true)]
    )
    func cancelledAround(_ transport: TestTransport, _ row: (isDownload: Bool, isGroup: Bool)) async throws {
        let manager = transport.makeManager(for: server)
        let gate = LoopbackServer.Gate()
        server.route("/held", .text("late").held(until: gate))
        @Sendable func code() async -> LarkspurError.Code? {
            if row.isDownload { return await manager.download("held").response().error?.code }
            return await manager.get("held").response().error?.code
        }

        let work = Task { () -> [LarkspurError.Code?] in
            guard row.isGroup else { return [await code()] }
            return await withTaskGroup(of: LarkspurError.Code?.self) { group in
                for _ in 0..<3 { group.addTask { await code() } }
                return await group.reduce(into: [LarkspurError.Code?]()) { $0.append($1) }
            }
        }
        let count = row.isGroup ? 3 : 1
        try await eventually(count) { server.requests(to: "/held").count }
        work.cancel()

        let codes = await work.value
        #expect(codes.count == count && codes.allSatisfy { $0 == .cancelled })
        gate.open()
        try await manager.finishAll()
        #expect(manager.tasks.isEmpty)
    }

    @Test("A call in an already cancelled task sends nothing", arguments: TestTransport.allCases)
    func cancelledBefore(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let gate = LoopbackServer.Gate()
        let work = Task {
            await gate.wait()
            return await manager.get("user").response()
        }
        work.cancel()
        gate.open()

        #expect(await work.value.error?.code == .cancelled)
        try await manager.finishAll()
        #expect(server.requests(to: "/user").isEmpty)
    }

    @Test("A hundred requests are sent with async let and with a task group", arguments: TestTransport.allCases)
    func many(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        async let first = manager.get("user").string
        async let second = manager.get("user").data
        let counts = try await (first.count, second.count)
        #expect(counts == (20, 20))

        let total = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<100 { group.addTask { try await manager.get("user").data.count } }
            return try await group.reduce(0, +)
        }
        #expect(total == 2000)
        try await manager.finishAll()
        #expect(manager.tasks.isEmpty)
    }

    @Test("Content is sent with POST as JSON, a form and a multipart form", arguments: TestTransport.allCases)
    func posting(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        manager.requestSettings.setAuthorization(bearerToken: "t0ken")

        let json = try await manager.post("post", body: .json(User(userName: "Ada"))).string
        let form = try await manager.post("post", parameters: ["a": "b"]).string
        let parts = try await manager.post("post", body: .multipart { $0.append(data: Data("x".utf8), name: "part") })
            .string
        let upload = try await manager.upload("put", from: .data(Data("content".utf8)), method: .put).string

        #expect(json.contains("userName") && form.contains("\"a\"") && parts.contains("part"))
        #expect(upload.contains("content"))
        #expect(server.requests(to: "/put").first?.headers["Authorization"] == "Bearer t0ken")
    }

    @Test(
        "A downloaded file can be awaited, and without a destination the caller owns the file",
        arguments: TestTransport.allCases
    )
    func downloads(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let folder = TemporaryFolder()

        let file = try await manager.download("bytes/1000", to: .folder(folder.url)).file
        let owned = try await manager.download("bytes/500").file
        defer { try? FileManager.default.removeItem(at: owned) }
        let missing = await manager.download("status/404").response()

        #expect(try Data(contentsOf: file).count == 1000 && file.deletingLastPathComponent().path == folder.url.path)
        try await manager.finishAll()
        #expect(try Data(contentsOf: owned).count == 500)
        #expect(missing.error?.statusCode == 404 && missing.fileURL == nil)
    }

    @Test("Several files are downloaded with async let", arguments: TestTransport.allCases)
    func manyDownloads(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let folder = TemporaryFolder()
        async let first = manager.download("bytes/10", to: .file(folder.url.appendingPathComponent("1"))).file
        async let second = manager.download("bytes/20", to: .file(folder.url.appendingPathComponent("2"))).file
        async let third = manager.download("bytes/30", to: .file(folder.url.appendingPathComponent("3"))).file

        let counts = try await [first, second, third].map { try Data(contentsOf: $0).count }

        #expect(counts == [10, 20, 30])
        withExtendedLifetime(folder) {}
    }

    @Test("The handlers and the settings of a download have an effect", arguments: TestTransport.allCases)
    func downloadHandlers(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let counts = Recorder<Int?>()
        manager.download("status/404").validate(statusCode: [404]).response { response in
            counts.record(response.statusCode)
        }
        #expect(try await counts.first() == 404)
        #expect(
            await manager.download("bytes/5").validate(contentType: ["image/*"]).response().error?.code
                == .unacceptableContentType
        )
    }

    @Test("A download that is cancelled before it starts creates nothing", arguments: TestTransport.allCases)
    func cancelledDownload(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let task = manager.download("bytes/5")
        task.cancel()

        #expect(await task.response().error?.code == .cancelled)
        #expect(server.requests(to: "/bytes/5").isEmpty)
    }

    @Test("Two tasks that await one call end when both are cancelled at once", arguments: TestTransport.allCases)
    func sharedCall(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        for _ in 0..<(transport != .foundation ? 100 : 20) {
            let call = manager.get("user")
            let first = Task { await call.response().error?.code }
            let second = Task { await call.response().error?.code }
            async let firstCancel: Void = Task { first.cancel() }.value
            async let secondCancel: Void = Task { second.cancel() }.value
            _ = await (firstCancel, secondCancel)

            let codes = await [first.value, second.value]
            #expect(codes.allSatisfy { $0 == nil || $0 == .cancelled })
        }
        try await manager.finishAll()
        #expect(manager.tasks.isEmpty)
    }

    @Test("Each of 2,000 calls ends once if it is cancelled at any moment", arguments: TestTransport.allCases)
    func stress(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let ends = Recorder<Void>()
        let count = transport != .foundation ? 2000 : 200

        await withTaskGroup(of: Void.self) { group in
            for index in 0..<count {
                group.addTask {
                    let work = Task { await manager.get("user").response() }
                    for _ in 0..<(index % 50) { await Task.yield() }
                    work.cancel()
                    let error = await work.value.error
                    #expect(error == nil || error?.code == .cancelled)
                    ends.record(())
                }
            }
        }
        try await manager.finishAll()

        #expect(ends.values.count == count)
        #expect(manager.tasks.isEmpty)
    }
}
