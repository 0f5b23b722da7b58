import LarkspurTesting
import Synchronization
import TestSupport
import Testing

@testable import Larkspur

@Suite("Uploads that continue after failures", .timeLimit(.minutes(5)))
struct ResumableUploadTests {
    /// A transport and a protocol.
    struct Case: Sendable, CustomTestStringConvertible {
        let transport: TestTransport
        let dialect: UploadServer.Dialect

        var testDescription: String { "\(transport), \(dialect)" }

        var resumable: ResumableUpload { dialect == .tus ? .tus : .ietf }

        static let all = TestTransport.allCases.flatMap { transport in
            UploadServer.Dialect.allCases.map { Case(transport: transport, dialect: $0) }
        }
        static let tus = all.filter { $0.dialect == .tus }
        static let ietf = all.filter { $0.dialect == .ietf }
    }

    let folder = TemporaryFolder()
    let clock = InstantClock()

    func makeManager(_ test: Case, _ server: UploadServer) -> SessionManager {
        let manager = test.transport.makeManager(for: server.server)
        manager.clock = clock
        return manager
    }

    func makeContent(_ count: Int) -> Data {
        var generator = SeededGenerator()
        return generator.bytes(count)
    }

    struct Receipt: Decodable, Sendable {
        let received: Int
    }

    // MARK: Losses

    @Test("An upload with lost connections continues at the server's offset, as one task", arguments: Case.all)
    func losses(_ test: Case) async throws {
        let server = try UploadServer(test.dialect)
        server.next("PATCH", UploadServer.cut(after: 300_000), UploadServer.cut(after: 0), UploadServer.cut(after: 99))
        let manager = makeManager(test, server)
        let content = makeContent(1 << 20)
        let ends = Recorder<Int?>()
        let counts = Recorder<Int64>()
        let task = manager.uploadTask(
            with: URLRequest(url: server.server.url("/files"), method: "POST"),
            from: .data(content),
            options: CallOptions(uploadProgress: { counts.record($0.completedUnitCount) }),
            resumable: test.resumable,
            completionHandler: { ends.record($0.httpResponse?.statusCode) }
        )
        let notifications = NotificationRecorder(task)
        task.resume()
        #expect(try await ends.first() == (test.dialect == .tus ? 204 : 200))
        try await manager.finishAll()
        #expect(server.content == content && server.isComplete)
        #expect(server.methods == ["POST", "PATCH", "HEAD", "PATCH", "HEAD", "PATCH", "HEAD", "PATCH"])
        let offsets = server.server.requests.filter { $0.method == "PATCH" }.map { $0.headers["Upload-Offset"] }
        #expect(offsets == ["0", "300000", "300000", "300099"])
        #expect(notifications.names == [SessionTask.didResumeNotification, SessionTask.didCompleteNotification])
        #expect(ends.values.count == 1 && manager.tasks.isEmpty && task.state == .completed && task.resumption == nil)
        // New content begins the delays anew.
        #expect(clock.sleeps.count == 3)
        #expect(clock.sleeps.first.map { $0 <= .milliseconds(500) } == true)
        #expect(counts.values == counts.values.sorted() && counts.values.last == 1 << 20)
        #expect(task.uploadProgress.totalUnitCount == 1 << 20)
    }

    @Test("The upload of a file continues from the offset", arguments: Case.all)
    func file(_ test: Case) async throws {
        let server = try UploadServer(test.dialect)
        server.next("PATCH", UploadServer.cut(after: 1_234_567), UploadServer.cut(after: 1))
        let manager = makeManager(test, server)
        let content = makeContent(3 << 20)
        let file = try folder.file("image", content)
        let task = manager.upload("files", from: .file(file), resumable: test.resumable)
        let response = await task.response()
        #expect(response.error == nil)
        #expect(server.content == content && server.isComplete)
        #expect(task.uploadProgress.completedUnitCount == 3 << 20)
    }

    @Test("The response of the task is the last response", arguments: Case.ietf)
    func finalResponse(_ test: Case) async throws {
        let server = try UploadServer(test.dialect)
        let manager = makeManager(test, server)
        let task = manager.upload("files", from: .data(makeContent(70)), resumable: .ietf)
        #expect(try await task.value(as: Receipt.self).received == 70)
        let received = Recorder<Int>()
        manager.upload("files", from: .data(makeContent(71)), resumable: .ietf, as: Receipt.self) {
            received.record($1.received)
        }
        #expect(try await received.first() == 71)
        let chunks = manager.upload("files", from: .data(makeContent(72)), resumable: .ietf).chunks
        var text = Data()
        for try await chunk in chunks { text.append(chunk) }
        #expect(String(decoding: text, as: UTF8.self) == #"{"received": 72}"#)
    }

    @Test("Empty content needs one request", arguments: Case.all)
    func empty(_ test: Case) async throws {
        let server = try UploadServer(test.dialect)
        let manager = makeManager(test, server)
        let response = await manager.upload("files", from: .data(Data()), resumable: test.resumable).response()
        #expect(response.error == nil && server.methods == ["POST"])
        let request = try #require(server.server.requests.first)
        #expect(request.headers["Upload-Length"] == "0")
        #expect(request.headers["Upload-Complete"] == (test.dialect == .tus ? nil : "?1"))
    }

    @Test("A creation that is lost or refused temporarily is repeated", arguments: Case.all)
    func creation(_ test: Case) async throws {
        let server = try UploadServer(test.dialect)
        server.refuseCreation(.raw([], ending: .reset), .status(503).adding("Retry-After", "7"))
        let manager = makeManager(test, server)
        let content = makeContent(70)
        let response = await manager.upload("files", from: .data(content), resumable: test.resumable).response()
        #expect(response.error == nil && server.content == content)
        #expect(server.methods == ["POST", "POST", "POST", "PATCH"])
        #expect(clock.sleeps.count == 2 && clock.sleeps.last.map { $0 >= .seconds(7) } == true)
    }

    @Test("A Retry-After of years ends the upload with the response", arguments: Case.all)
    func endlessDelay(_ test: Case) async throws {
        let date = "Fri, 31 Dec 2100 23:59:59 GMT"
        for (delay, isAtCreation) in [("301", true), ("999999999999", false), (date, false)] {
            let server = try UploadServer(test.dialect)
            let refusal = LoopbackServer.Response.status(503).adding("Retry-After", delay)
            if isAtCreation {
                server.refuseCreation(refusal)
            } else {
                server.next("PATCH", UploadServer.answer(refusal, keeping: 30))
            }
            let manager = makeManager(test, server)
            let upload = manager.upload("files", from: .data(makeContent(70)), resumable: test.resumable)
            let response = await upload.response()
            #expect(response.error?.code == .deadlineExceeded && response.error?.statusCode == 503)
            #expect(response.error?.message.contains("300 s that it may ask for") == true)
            #expect(clock.sleeps.isEmpty)
            // The upload can be continued later.
            #expect((upload.resumption == nil) == isAtCreation)
        }
    }

    @Test(
        "After a failure, a 503 or another offset, the server is asked again, after the delay it requires",
        arguments: Case.all,
        [500, 503, 423, 409]
    )
    func statuses(_ test: Case, status: Int) async throws {
        let server = try UploadServer(test.dialect)
        server.next("PATCH", UploadServer.answer(.status(status).adding("Retry-After", "9"), keeping: 30))
        let manager = test.transport.makeManager(for: server.server)
        let manual = TestClock()
        manager.clock = manual
        let content = makeContent(70)
        let task = manager.upload("files", from: .data(content), resumable: test.resumable)
        let call = Task { await task.response() }
        #expect(try await manual.waitForSleeps()[0] >= .seconds(9))
        #expect(server.methods == ["POST", "PATCH"])
        manual.advance(by: .seconds(60))
        #expect(await call.value.error == nil && server.content == content)
        #expect(server.methods == ["POST", "PATCH", "HEAD", "PATCH"])
    }

    @Test("Attempts without new content count for the limit", arguments: Case.all)
    func limit(_ test: Case) async throws {
        let server = try UploadServer(test.dialect)
        for _ in 0..<6 { server.next("PATCH", UploadServer.cut(after: 10)) }
        for _ in 0..<3 { server.next("PATCH", UploadServer.answer(.status(503))) }
        let manager = makeManager(test, server)
        var resumable = test.resumable
        resumable.retryPolicy.maximumAttempts = 3
        let content = makeContent(700)
        let task = manager.upload("files", from: .data(content), resumable: resumable)
        #expect(await task.response().error?.statusCode == 503)
        #expect(server.methods.filter { $0 == "PATCH" }.count == 9)
        let resumption = try #require(task.resumption)
        #expect(resumption.offset == 60 && resumption.length == 700)
        // Another task, with what was stored.
        let stored = try JSONEncoder().encode(resumption)
        let again = try JSONDecoder().decode(UploadResumption.self, from: stored)
        server.server.clearRequests()
        let other = makeManager(test, server)
        let end = await other.upload("files", from: .data(content), resumable: test.resumable.continuing(again))
            .response()
        #expect(end.error == nil && server.content == content)
        #expect(server.methods == ["HEAD", "PATCH"])
    }

    @Test("A credential that expires during the upload is renewed, and the upload continues", arguments: Case.all)
    func refresh(_ test: Case) async throws {
        let server = try UploadServer(test.dialect)
        server.next("PATCH", UploadServer.answer(.status(401), keeping: 20))
        let manager = makeManager(test, server)
        let login = AuthenticationInterceptor(1, authenticator: Numbers(), for: server.server.baseURL)
        manager.interceptors.call = [login]
        let content = makeContent(70)
        let response = await manager.upload("files", from: .data(content), resumable: test.resumable).response()
        #expect(response.error == nil && server.content == content)
        #expect(server.methods == ["POST", "PATCH", "HEAD", "PATCH"])
        #expect(server.server.requests.map { $0.headers["Authorization"] } == ["1", "1", "2", "2"])
    }

    private struct Numbers: RequestAuthenticator {
        func apply(_ credential: Int, to request: inout URLRequest) {
            request.setValue("\(credential)", forHTTPHeaderField: "Authorization")
        }
        func refresh(_ credential: Int, after refusal: InterceptedResponse?) async throws -> Int { credential + 1 }
    }

    // MARK: Cancellation

    @Test("A deletion that is redirected to another origin contains no secret", arguments: Case.all)
    func redirectedDeletion(_ test: Case) async throws {
        let server = try UploadServer(test.dialect)
        let other = try LoopbackServer()
        other.route("/gone", .status(204))
        let gate = LoopbackServer.Gate()
        server.next("PATCH", UploadServer.answer(.status(204).held(until: gate)))
        server.next("DELETE", UploadServer.answer(.redirect(to: other.url("/gone").absoluteString, status: 307)))
        let manager = makeManager(test, server)
        var resumable = test.resumable
        resumable.deletesWhenCancelled = true
        let task = manager.upload("files", from: .data(makeContent(9)), headers: ["X-Key": "k"], resumable: resumable)
        let call = Task { await task.response() }
        try await server.server.waitForRequests(2)
        task.cancel()
        #expect(await call.value.error?.code == .cancelled)
        try await other.waitForRequests(1)
        gate.open()
        try await manager.finishAll()
        #expect(server.server.requests.last?.headers["X-Key"] == "k")
        #expect(other.requests.map(\.method) == ["DELETE"] && other.requests.first?.headers["X-Key"] == nil)
    }

    @Test(
        "Cancelling a task ends it, and deletes the upload if the caller requests that",
        arguments: Case.all,
        [true, false]
    )
    func cancellation(_ test: Case, deletes: Bool) async throws {
        let server = try UploadServer(test.dialect)
        let gate = LoopbackServer.Gate()
        server.next("PATCH", UploadServer.answer(.status(204).held(until: gate), keeping: 10))
        let manager = makeManager(test, server)
        var resumable = test.resumable
        resumable.deletesWhenCancelled = deletes
        let created = Recorder<UploadResumption>()
        resumable.didCreate = { created.record($0) }
        let task = manager.upload("files", from: .data(makeContent(70)), headers: ["X-A": "b"], resumable: resumable)
        let call = Task { await task.response() }
        try await server.server.waitForRequests(2)
        task.cancel()
        #expect(await call.value.error?.code == .cancelled)
        if deletes { try await server.server.waitForRequests(3) }
        try await manager.finishAll()
        gate.open()
        #expect(server.methods == ["POST", "PATCH"] + (deletes ? ["DELETE"] : []))
        #expect(server.uploads.isEmpty == deletes && (task.resumption == nil) == deletes)
        #expect(try await created.first().url == server.server.url("/uploads/1"))
        if deletes { #expect(server.server.requests.last?.headers["X-A"] == "b") }
    }

    @Test("A task that is cancelled during a delay sends no more requests", arguments: Case.all)
    func cancellationInDelay(_ test: Case) async throws {
        let server = try UploadServer(test.dialect)
        server.next("PATCH", UploadServer.cut(after: 10))
        let manager = test.transport.makeManager(for: server.server)
        let manual = TestClock()
        manager.clock = manual
        let task = manager.upload("files", from: .data(makeContent(70)), resumable: test.resumable)
        let call = Task { await task.response() }
        try await manual.waitForSleeps()
        task.cancel()
        #expect(await call.value.error?.code == .cancelled)
        try await manager.finishAll()
        #expect(server.methods == ["POST", "PATCH"] && manual.sleeperCount == 0 && manager.tasks.isEmpty)
        #expect(task.resumption != nil)
    }
}

extension URLRequest {
    fileprivate init(url: URL, method: String) {
        self.init(url: url)
        httpMethod = method
    }
}
