import LarkspurTesting
import Synchronization
import TestSupport
import Testing

@testable import Larkspur

/// Servers that lose or lie.
extension ResumableUploadTests {
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
}
