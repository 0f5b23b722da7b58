import LarkspurTesting
import Synchronization
import TestSupport
import Testing

@testable import Larkspur

extension ResumableUploadTests {
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
}
