#if canImport(FoundationNetworking)
import LarkspurTesting
import TestSupport
import Testing

@testable import LarkspurTransport

@Suite("Resumed downloads", .timeLimit(.minutes(5)))
struct ResumingTests {
    let server: LoopbackServer
    let folder: DownloadFolder

    init() throws {
        server = try LoopbackServer()
        folder = try DownloadFolder()
    }

    @Test("An interrupted download continues where it stopped, and the delegate gets the offset")
    func goesOn() async throws {
        let file = ServedFile(100_000, [.cut(after: 30_000)])
        server.serve(file)
        let data = try #require(try await breakOff())
        #expect(CurlURLSession.isResumeData(data))
        #expect(folder.files.count == 1)
        let log = try await run { $0.downloadTask(withResumeData: data) }
        #expect(log.outcome.error == nil)
        #expect(log.outcome.data == file.content)
        #expect(log.names == ["resumed", "wrote", "file", "completed"])
        guard case .resumed(let offset, let expected) = log.events.values.first else { return }
        #expect(offset == 30_000)
        #expect(expected == 100_000)
        let totals = log.events.values.compactMap { event -> Int64? in
            guard case .wrote(_, let total, let expected) = event else { return nil }
            #expect(expected == 100_000)
            return total
        }
        #expect(totals == totals.sorted())
        #expect(totals.first ?? 0 > 30_000)
        #expect(totals.last == 100_000)
        let request = try #require(server.requests.last)
        #expect(request.headers["Range"] == "bytes=30000-")
        #expect(request.headers["If-Range"] == ServedFile.tag)
        #expect(request.headers["Accept-Encoding"] == "identity")
        #expect(folder.files.isEmpty)
    }

    @Test("Twenty interruptions at random places change no byte")
    func twentyLosses() async throws {
        var generator = SeededGenerator(seed: 20)
        let cuts = (0..<20).map { _ in ServedFile.Reply.cut(after: Int.random(in: 1...400_000, using: &generator)) }
        let file = ServedFile(8 << 20, cuts)
        server.serve(file)
        var data = try #require(try await breakOff())
        for _ in 1..<20 {
            let log = try await run { $0.downloadTask(withResumeData: data) }
            data = try #require((log.outcome.error as? URLError)?.downloadTaskResumeData)
        }
        let log = try await run { $0.downloadTask(withResumeData: data) }
        #expect(log.outcome.data == file.content)
        #expect(server.requests.count == 21)
        #expect(folder.files.isEmpty)
    }

    // MARK: What a server may answer

    /// A version of the file with other bytes.
    static let newContent = ServedFile.bytes(9_000, seed: 8)

    private static func part(
        _ range: String?,
        tag: String = ServedFile.tag,
        _ body: Data,
        framing: LoopbackServer.Response.Framing = .contentLength
    ) -> LoopbackServer.Response {
        var response = LoopbackServer.Response.data(body, status: 206)
        response.headers["ETag"] = tag
        if let range { response.headers["Content-Range"] = range }
        response.framing = framing
        return response
    }

    private static func whole(_ content: Data, status: Int = 200) -> LoopbackServer.Response {
        var response = LoopbackServer.Response.data(content, status: status)
        response.headers["ETag"] = "\"v2\""
        return response
    }

    private static var manyParts: LoopbackServer.Response {
        var response = part("bytes 4000-9999/10000", lie)
        response.headers["Content-Type"] = "multipart/byteranges; boundary=b"
        return response
    }

    private static let lie = Data(repeating: UInt8(ascii: "x"), count: 6_000)

    /// Replies to a request for the rest that are not the rest, and how many requests follow.
    static let others: [(name: String, reply: LoopbackServer.Response, isNew: Bool, requests: Int)] = [
        ("a new version", whole(newContent), true, 1),
        ("another place", part("bytes 3999-9998/10000", lie), false, 2),
        ("from the beginning", part("bytes 0-5999/10000", lie), false, 2),
        ("another length", part("bytes 4000-9999/10001", lie), false, 2),
        ("another tag", part("bytes 4000-9999/10000", tag: "\"v2\"", lie), false, 2),
        ("a weak tag", part("bytes 4000-9999/10000", tag: "W/\"v1\"", lie), false, 2),
        ("no range", part(nil, lie), false, 2),
        ("many parts", manyParts, false, 2),
        ("no such range", .status(416, headers: ["Content-Range": "bytes */10000"]), false, 2),
        ("no such range, the file being shorter", .status(416, headers: ["Content-Range": "bytes */4000"]), false, 2),
        ("a part that is longer than its range", part("bytes 4000-9999/10000", lie + lie), false, 2),
    ]

    @Test("A reply that is not the rest of the file restarts the download", arguments: others)
    func beginsAnew(
        _ test: (name: String, reply: LoopbackServer.Response, isNew: Bool, requests: Int)
    ) async throws {
        let file = ServedFile(Self.size, [.cut(after: Self.there), .other(test.reply)])
        server.serve(file)
        let data = try #require(try await breakOff())
        server.clearRequests()
        let log = try await run { $0.downloadTask(withResumeData: data) }
        #expect(log.outcome.error == nil)
        #expect(log.outcome.data == (test.isNew ? Self.newContent : file.content))
        #expect(!log.names.contains("resumed"))
        #expect(server.requests.count == test.requests)
        #expect(server.requests.dropFirst().allSatisfy { $0.headers["Range"] == nil && $0.headers["If-Range"] == nil })
        #expect(folder.files.isEmpty)
    }

    @Test("A server without ranges sends the whole again, and another interruption leaves the new part")
    func noRanges() async throws {
        let file = ServedFile(Self.size)
        var whole = LoopbackServer.Response.data(file.content)
        whole.headers["ETag"] = ServedFile.tag
        let head = "HTTP/1.1 200 OK\r\nETag: \(ServedFile.tag)\r\nContent-Length: \(Self.size)\r\n\r\n"
        let cut = { (count: Int) in LoopbackServer.Response.raw([.text(head), .bytes(file.content.prefix(count))]) }
        server.route("/file", cut(Self.there), cut(1_000), whole)
        var data = try #require(try await breakOff())
        let error = try await run { $0.downloadTask(withResumeData: data) }.outcome.error as? URLError
        data = try #require(error?.downloadTaskResumeData)
        #expect(folder.files.count == 1)
        let log = try await run { $0.downloadTask(withResumeData: data) }
        #expect(log.outcome.data == file.content)
        #expect(server.requests.map { $0.headers["Range"] } == [nil, "bytes=4000-", "bytes=1000-"])
        #expect(folder.files.isEmpty)
    }

    @Test("A part that is not as long as its range fails the download", arguments: [5_999, 6_001])
    func lyingLength(_ count: Int) async throws {
        let body = ServedFile.bytes(count)
        let reply = Self.part("bytes 4000-9999/10000", body, framing: .chunked)
        server.serve(ServedFile(Self.size, [.cut(after: Self.there), .other(reply)]))
        let data = try #require(try await breakOff())
        let log = try await run { $0.downloadTask(withResumeData: data) }
        #expect(log.outcome.code == (count < 6_000 ? .networkConnectionLost : .badServerResponse))
        // Of the longer one nobody knows which bytes are right.
        #expect(folder.files.count == (count < 6_000 ? 1 : 0))
    }

    @Test("A smaller part than requested leaves resume data for the rest")
    func smallerPart() async throws {
        let file = ServedFile(Self.size)
        let reply = Self.part("bytes 4000-4999/10000", file.content[4_000..<5_000])
        let cut = ServedFile(Self.size, [.cut(after: Self.there), .other(reply)])
        server.serve(cut)
        var data = try #require(try await breakOff())
        let error = try await run { $0.downloadTask(withResumeData: data) }.outcome.error as? URLError
        #expect(error?.code == .networkConnectionLost)
        data = try #require(error?.downloadTaskResumeData)
        let log = try await run { $0.downloadTask(withResumeData: data) }
        #expect(log.outcome.data == file.content)
        #expect(server.requests.last?.headers["Range"] == "bytes=5000-")
    }

    @Test("An error page in place of the rest is the result of the download", arguments: [(404, false), (503, true)])
    func page(_ status: Int, keepsFile: Bool) async throws {
        let file = ServedFile(Self.size, [.cut(after: Self.there), .other(.text("page", status: status))])
        server.serve(file)
        let data = try #require(try await breakOff())
        let page = try await run { $0.downloadTask(withResumeData: data) }
        #expect(page.outcome.error == nil)
        #expect(page.outcome.text == "page")
        // A server that is out of order says nothing of the file.
        #expect(folder.files.count == (keepsFile ? 1 : 0))
        server.clearRequests()
        let log = try await run { $0.downloadTask(withResumeData: data) }
        #expect(log.outcome.data == file.content)
        #expect(server.requests.map { $0.headers["Range"] } == [keepsFile ? "bytes=4000-" : nil])
    }

    // MARK: Validators and lengths

    @Test("A date that is old enough serves as a validator")
    func date() async throws {
        let fields: LoopbackServer.Fields = [
            "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 08:49:38 GMT",
        ]
        let file = ServedFile(Self.size, fields: fields, [.cut(after: Self.there)])
        server.serve(file)
        let data = try #require(try await breakOff())
        #expect(try await run { $0.downloadTask(withResumeData: data) }.outcome.data == file.content)
        #expect(server.requests.last?.headers["If-Range"] == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(server.requests.last?.headers["Range"] == "bytes=4000-")
    }

    @Test(
        "A response without a strong validator or ranges leaves no resume data and no file",
        arguments: [["ETag": "W/\"v1\""], [:], ["ETag": ServedFile.tag, "Accept-Ranges": "none"]]
    )
    func unrecognizable(_ fields: [String: String]) async throws {
        var sent: LoopbackServer.Fields = [:]
        for (name, value) in fields { sent[name] = value }
        server.serve(ServedFile(Self.size, fields: sent, [.cut(after: Self.there)]))
        #expect(try await breakOff() == nil)
        #expect(folder.files.isEmpty)
    }

    @Test("Decoded content leaves no resume data")
    func coded() async throws {
        var response = LoopbackServer.Response.data(ServedFile.bytes(50_000)).encoded(as: .gzip)
        response.headers["ETag"] = ServedFile.tag
        let whole = response
        server.route("/file") { _ in
            guard case .bytes(let coded) = whole.body.first else { return .status(500) }
            let head =
                "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Encoding: gzip\r\nContent-Length: \(coded.count)\r\n\r\n"
            return .raw([.text(head), .bytes(coded.prefix(30_000))])
        }
        #expect(try await breakOff() == nil)
        #expect(folder.files.isEmpty)
    }

    @Test("A download of unknown length is resumed, even if only its end was missing")
    func unknownLength() async throws {
        let content = ServedFile.bytes(Self.size)
        for count in [Self.there, Self.size] {
            let head = "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nTransfer-Encoding: chunked\r\n\r\n"
            let chunk = String(count, radix: 16)
            var whole = LoopbackServer.Response.data(content)
            whole.headers["ETag"] = ServedFile.tag
            whole.acceptsRanges = true
            server.route(
                "/file",
                .raw([.text(head + chunk + "\r\n"), .bytes(content.prefix(count)), .text("\r\n")]),
                whole
            )
            server.clearRequests()
            let data = try #require(try await breakOff())
            let log = try await run { $0.downloadTask(withResumeData: data) }
            #expect(log.outcome.data == content)
            let ranges = server.requests.dropFirst().map { $0.headers["Range"] }
            // The last byte is fetched once more, which proves that it is the same file.
            #expect(ranges == (count == Self.size ? ["bytes=10000-", "bytes=9999-"] : ["bytes=4000-"]))
        }
        #expect(folder.files.isEmpty)
    }

    // MARK: What has become of the file

    @Test("If the partial file is missing or shorter, the download restarts", arguments: [nil, 3_999])
    func lostFile(_ length: Int?) async throws {
        let file = ServedFile(Self.size, [.cut(after: Self.there)])
        server.serve(file)
        let data = try #require(try await breakOff())
        let path = folder.url.appendingPathComponent(try #require(folder.files.first)).path
        if let length { #expect(truncate(path, off_t(length)) == 0) } else { #expect(unlink(path) == 0) }
        let log = try await run { $0.downloadTask(withResumeData: data) }
        #expect(log.outcome.data == file.content)
        #expect(server.requests.last?.headers["Range"] == nil)
        #expect(folder.files.isEmpty)
    }

    @Test(
        "A partial response to a request for the whole is an error, unless it covers the whole",
        arguments: ["bytes 4000-9999/10000", "bytes 0-9999/10000"]
    )
    func partForWhole(_ range: String) async throws {
        let content = ServedFile.bytes(Self.size)
        let isWhole = range.hasPrefix("bytes 0-")
        let lying = Self.part("bytes 3999-9999/10000", Self.lie)
        let reply = Self.part(range, isWhole ? content : Self.lie)
        server.serve(ServedFile(Self.size, [.cut(after: Self.there), .other(lying), .other(reply)]))
        let data = try #require(try await breakOff())
        let log = try await run { $0.downloadTask(withResumeData: data) }
        #expect(log.outcome.code == (isWhole ? nil : .badServerResponse))
        #expect(log.outcome.data ?? Data() == (isWhole ? content : Data()))
        #expect(server.requests.last?.headers["Range"] == nil)
        #expect(folder.files.isEmpty)
    }

    @Test("Two downloads with the same resume data do not write to one file")
    func twice() async throws {
        let file = ServedFile(Self.size, [.cut(after: Self.there)])
        server.serve(file)
        let data = try #require(try await breakOff())
        let contents = try await withThrowingTaskGroup(of: Data?.self) { group in
            for _ in 0..<2 {
                group.addTask { try await self.run { $0.downloadTask(withResumeData: data) }.outcome.data }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(contents == [file.content, file.content])
        #expect(folder.files.isEmpty)
    }

    @Test("The file of resume data can be discarded")
    func discard() async throws {
        server.serve(ServedFile(Self.size, [.cut(after: Self.there)]))
        let data = try #require(try await breakOff())
        CurlURLSession.discardResumeData(Data("garbage".utf8))
        #expect(folder.files.count == 1)
        // As after a crash of the system.
        #expect(truncate(folder.url.appendingPathComponent(try #require(folder.files.first)).path, 10) == 0)
        CurlURLSession.discardResumeData(data)
        #expect(folder.files.isEmpty)
    }

    @Test("Data that is not resume data fails the task, and nothing is sent")
    func garbage() async throws {
        let log = try await run { $0.downloadTask(withResumeData: Data("garbage".utf8)) }
        #expect(log.outcome.code == .unsupportedURL)
        #expect(server.requests.isEmpty)
    }
}

extension ResumingTests: DownloadLab {}
#endif
