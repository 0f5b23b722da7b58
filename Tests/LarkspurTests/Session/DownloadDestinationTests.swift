import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Destinations of downloads", .timeLimit(.minutes(5)))
struct DownloadDestinationTests {
    let folder = TemporaryFolder()

    private func download(_ path: String, name: String? = nil, to destination: DownloadDestination) async throws
        -> DownloadResponse
    {
        let server = try LoopbackServer()
        var reply = LoopbackServer.Response.data(Data("new".utf8), contentType: "text/plain")
        if let name { reply.headers["Content-Disposition"] = "attachment; filename=\"\(name)\"" }
        server.route("/*", reply)
        let manager = TestTransport.curl.makeManager(for: server)
        let responses = Recorder<DownloadResponse>()
        manager.download(path, to: destination) { responses.record($0) }
        let response = try await responses.first()
        try await manager.finishAll()
        return response
    }

    private func text(_ name: String) -> String? {
        try? String(contentsOf: folder.url.appendingPathComponent(name), encoding: .utf8)
    }

    private var names: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()) ?? []
    }

    @Test("A file in a folder has the name that the server suggests, or else the name in its URL")
    func names() async throws {
        #expect(try await download("a/b.txt", to: .folder(folder.url)).error == nil)
        #expect(try await download("c.txt", name: "d.txt", to: .folder(folder.url)).error == nil)
        #expect(names == ["b.txt", "d.txt"])
    }

    @Test(
        "A suggested file name does not lead out of the folder",
        arguments: ["../../x", "..", "a\\..\\x", "/etc/x", ".hidden"]
    )
    func hostileName(_ name: String) async throws {
        let inner = folder.url.appendingPathComponent("inner")
        let response = try await download("y", name: name, to: .folder(inner, makingFolders: true))

        #expect(response.fileURL?.deletingLastPathComponent().path == inner.path)
        #expect(names == ["inner"] && response.fileURL?.lastPathComponent.hasPrefix(".") == false)
    }

    @Test("A plain response has a file name that stays in a folder")
    func nameOfResponse() throws {
        let url = try #require(URL(string: "http://h/"))
        #expect(DownloadDestination.fileName(for: nil) == nil)
        let response = URLResponse(url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
        #expect(DownloadDestination.fileName(for: response) == nil)
        let inFolder = URLResponse(
            url: url.appendingPathComponent("-x.txt"),
            mimeType: nil,
            expectedContentLength: 0,
            textEncodingName: nil
        )
        #expect(DownloadDestination.fileName(for: inFolder) == "_x.txt")
    }

    @Test(
        "On both transports, a file has the server's name by RFC 6266, or else the URL's",
        arguments: [
            ("a.txt", "attachment; filename*=UTF-8''%E2%82%AC.txt; filename=EUR.txt", "\u{20AC}.txt"),
            ("a.txt", #"attachment; FileName="b\"c.txt""#, "b\"c.txt"),
            ("a.txt", "attachment; filename=b c.txt", "a.txt"),
            ("a.txt", "attachment; filename=b; filename=c", "a.txt"), ("x/-rf", nil, "_rf"), ("x/.a", "inline", "_a"),
            ("", nil, "download"), ("", "attachment; filename=\"-\"", "_"),
        ] as [(String, String?, String)],
        TestTransport.allCases
    )
    func serverName(row: (path: String, field: String?, name: String), transport: TestTransport) async throws {
        let server = try LoopbackServer()
        var reply = LoopbackServer.Response.data(Data("new".utf8), contentType: "text/plain")
        if let field = row.field { reply.headers["Content-Disposition"] = field }
        server.route("*", reply)
        let manager = transport.makeManager(for: server)
        let responses = Recorder<DownloadResponse>()
        manager.download(row.path, to: .folder(folder.url)) { responses.record($0) }
        #expect(try await responses.first().fileURL?.lastPathComponent == row.name)
        #expect(names == [row.name])
        try await manager.finishAll()
    }

    @Test("An existing file is replaced only on request", arguments: [false, true])
    func replacing(_ isReplacing: Bool) async throws {
        let file = try folder.file("x", Data("old".utf8))

        let response = try await download("x", to: .file(file, replacing: isReplacing))

        #expect(response.error?.code == (isReplacing ? nil : .fileMoveFailed))
        #expect(response.error?.message.contains("`replacing: true`") == (isReplacing ? nil : true))
        #expect(text("x") == (isReplacing ? "new" : "old") && names == ["x"])
    }

    @Test("An existing folder is not replaced, and no other file is left beside it")
    func folderInTheWay() async throws {
        let inTheWay = folder.url.appendingPathComponent("x")
        try FileManager.default.createDirectory(at: inTheWay, withIntermediateDirectories: true)

        let response = try await download("x", to: .file(inTheWay, replacing: true))

        #expect(response.error?.code == .fileMoveFailed && names == ["x"])
    }

    @Test("Folders are created only on request", arguments: [false, true])
    func makingFolders(_ makesFolders: Bool) async throws {
        let file = folder.url.appendingPathComponent("a/b/x")

        let response = try await download("x", to: .file(file, makingFolders: makesFolders))

        #expect(response.error?.code == (makesFolders ? nil : .fileMoveFailed))
        #expect(response.error?.message.contains("`makingFolders: true`") == (makesFolders ? nil : true))
        #expect(text("a/b/x") == (makesFolders ? "new" : nil))
    }

    @Test("The error for a destination below a file names the cause", arguments: [false, true], [false, true])
    func belowFile(_ isReplacing: Bool, _ makesFolders: Bool) async throws {
        let file = try folder.file("x", Data("old".utf8))
        for place in [file.appendingPathComponent("y"), file.appendingPathComponent("y/z")] {
            let response = try await download(
                "x",
                to: .file(place, replacing: isReplacing, makingFolders: makesFolders)
            )

            #expect(response.error?.code == .fileMoveFailed)
            #expect(response.error?.message.hasSuffix(": \(file.path) is a file, and not a folder.") == true)
        }
        #expect(text("x") == "old" && names == ["x"])
    }

    @Test("An error without a remedy has the system's reason")
    func systemReason() {
        let place = folder.url.appendingPathComponent("x")
        let error = NSError(
            domain: NSCocoaErrorDomain,
            code: 512,
            userInfo: [NSUnderlyingErrorKey: POSIXError(.ENOSPC) as NSError]
        )
        #expect(DownloadDestination.reason(error, for: place) == "No space left on device")
        #expect(DownloadDestination.reason(POSIXError(.EACCES), for: place, replacing: true) == "Permission denied")
    }

    @Test("A closure may choose the destination, under the same rules")
    func closure() async throws {
        let file = try folder.file("x", Data("old".utf8))
        let response = try await download("x", to: DownloadDestination(replacing: true) { _, _ in file })
        #expect(response.fileURL == file && text("x") == "new")
    }

    @Test("A test can create download responses")
    func responses() throws {
        let url = try #require(URL(string: "file:///x"))
        #expect(DownloadResponse(result: .success(url)).fileURL == url)
        let response = DataResponse<Int>(result: .success(1))
        #expect(response.value == 1 && response.data.isEmpty && response.request == nil)
        #expect(response.timeline.resumed == nil)
    }
}
