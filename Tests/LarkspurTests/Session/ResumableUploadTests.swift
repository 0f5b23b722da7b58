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

    private func makeManager(_ test: Case, _ server: UploadServer) -> SessionManager {
        let manager = test.transport.makeManager(for: server.server)
        manager.clock = clock
        return manager
    }

    private func makeContent(_ count: Int) -> Data {
        var generator = SeededGenerator()
        return generator.bytes(count)
    }

    private struct Receipt: Decodable, Sendable {
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
        resumable.retry.maximumAttempts = 3
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

    // MARK: Servers that lose or lie

    @Test("If the server loses the upload, the content is uploaded once more", arguments: Case.all, [404, 410])
    func gone(_ test: Case, status: Int) async throws {
        let server = try UploadServer(test.dialect)
        server.next("PATCH", UploadServer.cut(after: 30), UploadServer.answer(.status(status)))
        let manager = makeManager(test, server)
        let content = makeContent(70)
        let response = await manager.upload("files", from: .data(content), resumable: test.resumable).response()
        #expect(response.error == nil && server.uploads == ["1", "2"] && server.content == content)
        #expect(server.methods == ["POST", "PATCH", "HEAD", "PATCH", "POST", "PATCH"])

        server.next("PATCH", UploadServer.answer(.status(status)), UploadServer.answer(.status(status)))
        let end = await manager.upload("files", from: .data(content), resumable: test.resumable).response()
        #expect(end.error?.code == .resumptionFailed && end.error?.statusCode == status)
    }

    @Test("The offset of a tus server may decrease, and the progress decreases with it", arguments: Case.tus)
    func lostBytes(_ test: Case) async throws {
        let server = try UploadServer(.tus)
        server.next("PATCH", UploadServer.cut(after: 500), UploadServer.cut(after: 100))
        let manager = makeManager(test, server)
        let counts = Recorder<Int64>()
        server.next(
            "HEAD",
            { [server] upload, _ in server.offsetResponse(upload) },
            { [server] upload, _ in
                upload.content = upload.content.prefix(40)
                return server.offsetResponse(upload)
            }
        )
        let content = makeContent(1000)
        let task = manager.upload("files", from: .data(content), resumable: .tus)
            .uploadProgress { counts.record($0.completedUnitCount) }
        let response = await task.response()
        #expect(response.error == nil && server.content == content)
        #expect(counts.values.last == 1000)
        let offsets = server.server.requests.filter { $0.method == "PATCH" }.map { $0.headers["Upload-Offset"] }
        #expect(offsets == ["0", "500", "40"])
    }

    @Test("By the IETF's draft, the offset of a server must not decrease", arguments: Case.ietf)
    func goingBack(_ test: Case) async throws {
        let server = try UploadServer(.ietf)
        server.next("PATCH", UploadServer.cut(after: 500), UploadServer.cut(after: 0))
        server.next(
            "HEAD",
            { [server] upload, _ in server.offsetResponse(upload) },
            { _, _ in .status(204).adding("Upload-Offset", "40").adding("Upload-Complete", "?0") }
        )
        let manager = makeManager(test, server)
        let end = await manager.upload("files", from: .data(makeContent(1000)), resumable: .ietf).response()
        #expect(end.error?.code == .resumptionFailed && !server.isComplete)
        #expect(end.error?.message.contains("500") == true && end.error?.message.contains("40") == true)
    }

    @Test(
        "An impossible offset is an error",
        arguments: Case.all,
        ["71", "-1", "ten", "", "1e1", "99999999999999999999", nil]
    )
    func lies(_ test: Case, offset: String?) async throws {
        let server = try UploadServer(test.dialect)
        server.next("PATCH", UploadServer.cut(after: 30))
        server.next("HEAD") { _, _ in
            let response = LoopbackServer.Response.status(200)
            return offset.map { response.adding("Upload-Offset", $0) } ?? response
        }
        let manager = makeManager(test, server)
        let end = await manager.upload("files", from: .data(makeContent(70)), resumable: test.resumable).response()
        #expect(end.error?.code == .resumptionFailed)
        #expect(server.methods == ["POST", "PATCH", "HEAD"] && !server.isComplete)
    }

    @Test("A resumption fails if the server reports another length of the upload", arguments: Case.all)
    func otherLength(_ test: Case) async throws {
        let server = try UploadServer(test.dialect)
        server.next("PATCH", UploadServer.cut(after: 30))
        server.next("HEAD") { _, _ in
            .status(200).adding("Upload-Offset", "30").adding("Upload-Length", "80")
        }
        let manager = makeManager(test, server)
        let end = await manager.upload("files", from: .data(makeContent(70)), resumable: test.resumable).response()
        #expect(end.error?.code == .resumptionFailed)
    }

    @Test("An offset beyond the bytes sent is an error", arguments: Case.tus, ["50", "9"])
    func wrongConfirmation(_ test: Case, offset: String) async throws {
        let server = try UploadServer(.tus)
        server.next("PATCH", UploadServer.answer(.status(204).adding("Upload-Offset", "10"), keeping: 10))
        server.next("PATCH", UploadServer.answer(.status(204).adding("Upload-Offset", offset)))
        let manager = makeManager(test, server)
        var resumable = ResumableUpload.tus
        resumable.maximumPartSize = 20
        let end = await manager.upload("files", from: .data(makeContent(70)), resumable: resumable).response()
        #expect(end.error?.code == .resumptionFailed && server.methods == ["POST", "PATCH", "PATCH"])
    }

    @Test("If the server accepts no content, the upload ends after the limit", arguments: Case.tus)
    func stalled(_ test: Case) async throws {
        let server = try UploadServer(.tus)
        for _ in 0..<5 { server.next("PATCH", UploadServer.answer(.status(204).adding("Upload-Offset", "0"))) }
        let manager = makeManager(test, server)
        let end = await manager.upload("files", from: .data(makeContent(70)), resumable: .tus).response()
        #expect(end.error?.code == .resumptionFailed)
        #expect(server.methods.filter { $0 == "PATCH" }.count == 5 && clock.sleeps.count == 4)
    }

    @Test("A server without resumable uploads is an error", arguments: Case.all)
    func noUpload(_ test: Case) async throws {
        let server = try UploadServer(test.dialect)
        server.refuseCreation(.status(201))
        let manager = makeManager(test, server)
        let end = await manager.upload("files", from: .data(makeContent(70)), resumable: test.resumable).response()
        #expect(end.error?.code == .resumptionFailed && end.error?.message.contains("Location") == true)
        #expect(server.methods == ["POST"])
    }

    @Test("A refusal is the response of the task", arguments: Case.all)
    func refusal(_ test: Case) async throws {
        let server = try UploadServer(test.dialect)
        server.refuseCreation(.status(413))
        let manager = makeManager(test, server)
        let end = await manager.upload("files", from: .data(makeContent(70)), resumable: test.resumable).response()
        #expect(end.error?.code == .unacceptableStatusCode && end.error?.statusCode == 413)
        server.next("PATCH", UploadServer.answer(.status(403)))
        let other = await manager.upload("files", from: .data(makeContent(70)), resumable: test.resumable).response()
        #expect(other.error?.statusCode == 403 && clock.sleeps.isEmpty)
    }

    @Test("If the last response is lost, the upload still completes", arguments: Case.all)
    func lostResponse(_ test: Case) async throws {
        let server = try UploadServer(test.dialect)
        server.next("PATCH") { [server] upload, request in
            _ = server.append(request, to: &upload)
            return .raw([], ending: .reset)
        }
        let manager = makeManager(test, server)
        let content = makeContent(70)
        let task = manager.upload("files", from: .data(content), resumable: test.resumable)
        let end = await task.response()
        #expect(end.error == nil && server.content == content && server.isComplete)
        #expect(task.uploadProgress.completedUnitCount == 70 && task.resumption == nil)
        // The IETF's draft lets the server send its response again.
        let expected = ["POST", "PATCH", "HEAD"] + (test.dialect == .tus ? [] : ["PATCH"])
        #expect(server.methods == expected)
        if test.dialect == .ietf { #expect(try await task.value(as: Receipt.self).received == 70) }
    }

    @Test("An error of the resource that gets the content is final", arguments: Case.ietf, [404, 503])
    func processingError(_ test: Case, status: Int) async throws {
        let server = try UploadServer(.ietf)
        server.next("PATCH", UploadServer.answer(.status(status).adding("Upload-Complete", "?1"), keeping: 70))
        let manager = makeManager(test, server)
        let task = manager.upload("files", from: .data(makeContent(70)), resumable: .ietf)
        #expect(await task.response().error?.statusCode == status)
        #expect(server.methods == ["POST", "PATCH"] && task.resumption == nil)
    }

    // MARK: Content

    @Test("A file that changes between two attempts is an error", arguments: Case.all, [true, false])
    func changedFile(_ test: Case, keepsSize: Bool) async throws {
        let server = try UploadServer(test.dialect)
        let file = try folder.file("image", makeContent(5000))
        let other = makeContent(keepsSize ? 5000 : 6000)
        server.next("PATCH") { upload, request in
            upload.content += request.body.prefix(700)
            try? other.write(to: file)
            return .raw([], ending: .reset)
        }
        let manager = makeManager(test, server)
        let end = await manager.upload("files", from: .file(file), resumable: test.resumable).response()
        #expect(end.error?.code == .bodyUnreadable && end.error?.message.contains("changed") == true)
        #expect(!server.isComplete && server.content?.count == 700)
    }

    @Test("An upload is not resumed with other content", arguments: Case.all)
    func otherContent(_ test: Case) async throws {
        let server = try UploadServer(test.dialect)
        server.next("PATCH", UploadServer.answer(.status(403), keeping: 7))
        let manager = makeManager(test, server)
        let file = try folder.file("image", makeContent(70))
        let task = manager.upload("files", from: .file(file), resumable: test.resumable)
        _ = await task.response()
        let resumption = try #require(task.resumption)
        server.server.clearRequests()
        try makeContent(70).write(to: file)
        let continuing = test.resumable.continuing(resumption)
        for content in [RequestBody.file(file), .data(makeContent(71)), .data(makeContent(70))] {
            let end = await manager.upload("files", from: content, resumable: continuing).response()
            #expect(end.error?.code == .bodyUnreadable)
        }
        #expect(server.methods.isEmpty)
    }

    @Test("A stream, and a method that cannot begin an upload, are refused", arguments: Case.all)
    func refusedRequests(_ test: Case) async throws {
        let server = try UploadServer(test.dialect)
        let manager = makeManager(test, server)
        let stream = RequestBody.stream(length: 3) { InputStream(data: Data("abc".utf8)) }
        let end = await manager.upload("files", from: stream, resumable: test.resumable).response()
        #expect(end.error?.code == .unsupported && end.error?.message.contains("stream") == true)
        let content = RequestBody.data(Data("abc".utf8))
        let get = await manager.upload("files", from: content, method: .get, resumable: test.resumable).response()
        #expect(get.error?.code == .unsupported)
        let missing = RequestBody.file(folder.url.appendingPathComponent("none"))
        let unreadable = await manager.upload("files", from: missing, resumable: test.resumable).response()
        #expect(unreadable.error?.code == .fileUnreadable && server.methods.isEmpty)
    }

    @Test("Content is sent in parts of the size that the caller or the server sets", arguments: Case.all)
    func parts(_ test: Case) async throws {
        let server = try UploadServer(test.dialect)
        let manager = makeManager(test, server)
        var resumable = test.resumable
        resumable.maximumPartSize = 400
        let content = makeContent(1000)
        let file = try folder.file("image", content)
        let end = await manager.upload("files", from: .file(file), resumable: resumable).response()
        #expect(end.error == nil && server.content == content)
        let sizes = server.server.requests.filter { $0.method == "PATCH" }.map(\.body.count)
        #expect(sizes == [400, 400, 200])
    }

    @Test("An upload observes the limits of a server by the IETF's draft", arguments: Case.ietf)
    func limits(_ test: Case) async throws {
        let server = try UploadServer(.ietf)
        server.setLimits("max-size=1000, max-append-size=300, note=\"a,max-size=1\", min-size=0")
        let manager = makeManager(test, server)
        let content = makeContent(1000)
        let end = await manager.upload("files", from: .data(content), resumable: .ietf).response()
        #expect(end.error == nil && server.content == content)
        #expect(server.server.requests.map(\.body.count) == [0, 300, 300, 300, 100])
        let tooLong = await manager.upload("files", from: .data(makeContent(1001)), resumable: .ietf).response()
        #expect(tooLong.error?.code == .resumptionFailed && tooLong.error?.message.contains("1000") == true)
        // A server may say so when it refuses.
        server.setLimits("min-size=0")
        server.next("PATCH", UploadServer.answer(.status(413).adding("Upload-Limit", "max-append-size=600")))
        server.server.clearRequests()
        let refused = await manager.upload("files", from: .data(content), resumable: .ietf).response()
        #expect(refused.error == nil && server.content == content)
        #expect(server.server.requests.map(\.body.count) == [0, 1000, 0, 600, 400])
    }

    // MARK: Requests

    @Test("The metadata of tus are sent", arguments: Case.tus)
    func metadata(_ test: Case) async throws {
        let server = try UploadServer(.tus)
        let manager = makeManager(test, server)
        let metadata = ["filename": "größe.txt", "public": ""]
        _ = await manager.upload("files", from: .data(makeContent(3)), resumable: .tus(metadata: metadata)).response()
        let creation = try #require(server.server.requests.first)
        #expect(creation.headers["Upload-Metadata"] == "filename Z3LDtsOfZS50eHQ=,public")
        #expect(creation.headers["Content-Type"] == nil && creation.body.isEmpty)
        let bad = ResumableUpload.tus(metadata: ["a b": "c"])
        let end = await manager.upload("files", from: .data(makeContent(3)), resumable: bad).response()
        #expect(end.error?.code == .invalidHeaderField)
    }

    @Test(
        "The resource gets the fields of the request, and on another origin no field with a secret",
        arguments: Case.all
    )
    func otherOrigin(_ test: Case) async throws {
        let server = try UploadServer(test.dialect)
        let manager = makeManager(test, server)
        let headers: HTTPHeaders = ["Authorization": "Bearer t", "X-API-Key": "k", "Accept": "a/b", "Cookie": "c=d"]
        let port = server.server.port
        for isOther in [false, true] {
            server.server.clearRequests()
            if isOther { server.setLocation { "http://ada:secret@localhost:\(port)/uploads/\($0)?key=1" } }
            server.next("PATCH", UploadServer.cut(after: 10))
            let content = makeContent(70)
            let end = await manager.upload(
                "files",
                from: .data(content, contentType: "image/png"),
                headers: headers,
                resumable: test.resumable
            ).response()
            #expect(end.error == nil && server.content == content)
            #expect(server.methods == ["POST", "PATCH", "HEAD", "PATCH"])
            for request in server.server.requests.dropFirst() {
                #expect(request.headers["Authorization"] == (isOther ? nil : "Bearer t"))
                #expect(request.headers["X-API-Key"] == (isOther ? nil : "k"))
                #expect(request.headers["Cookie"] == (isOther ? nil : "c=d"))
                #expect(request.headers["Accept"] == "a/b")
            }
            let type = server.server.requests.first?.headers["Content-Type"]
            #expect(type == (test.dialect == .tus ? nil : "image/png"))
        }
    }

    @Test("After a redirect to another origin, no field with a secret is sent", arguments: Case.all, [0, 1, 2])
    func redirects(_ test: Case, place: Int) async throws {
        let server = try UploadServer(test.dialect)
        let other = try LoopbackServer()
        for path in ["files", "uploads/1"] {
            other.route("/\(path)", .status(403))
            guard path == (place == 0 ? "files" : "uploads/1") else { continue }
            server.server.route("/\(path)", .redirect(to: other.url("/\(path)").absoluteString, status: 307))
        }
        let manager = makeManager(test, server)
        let key = ClosureInterceptor { request, context, next in
            var request = request
            request.setValue("k1", forHTTPHeaderField: "X-Named")
            context.withholdFromOtherOrigins(["x-NAMED"])
            return try await next(request)
        }
        if place == 2 { manager.interceptors.attempt = [key] } else { manager.interceptors.call = [key] }
        let end = await manager.upload(
            "files",
            from: .data(makeContent(70), contentType: "image/png"),
            headers: ["Authorization": "Bearer t", "X-Secret": "k2", "Accept": "a/b", "Cookie": "c=d"],
            resumable: test.resumable
        ).response()
        #expect(end.error?.code == .unacceptableStatusCode)
        let sent = try #require(server.server.requests.last)
        #expect(sent.headers["X-Named"] == "k1" && sent.headers["X-Secret"] == "k2")
        let request = try #require(other.requests.last)
        for name in ["Authorization", "X-Named", "X-Secret", "Cookie"] {
            #expect(request.headers[name] == nil, "\(name)")
        }
        for name in ["Accept", "Content-Type", "Upload-Offset", "Upload-Length", "Upload-Complete", "Tus-Resumable"] {
            #expect(request.headers[name] == sent.headers[name], "\(name)")
        }
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
