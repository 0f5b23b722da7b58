import LarkspurTesting
import Testing

@testable import Larkspur

/// Runs the samples of `Docs/Uploads.md`.
@Suite("Samples about uploads", .timeLimit(.minutes(5)))
struct UploadSamplesTests {
    let server: LoopbackServer
    let folder = TemporaryFolder()
    let samples: UploadSamples

    init() throws {
        server = try LoopbackServer()
        server.route("/*", .json(#"{"url": "/portraits/7.jpg"}"#))
        samples = UploadSamples(
            manager: TestTransport.allCases[0].makeManager(for: server),
            url: server.url("/form"),
            file: try folder.file("ada.jpg", Data("a portrait".utf8)),
            folder: folder.url
        )
    }

    /// The samples whose bodies are produced, with a transport that can send these.
    private var producing: UploadSamples {
        UploadSamples(
            manager: TestTransport.curl.makeManager(for: server),
            url: samples.url,
            file: samples.file,
            folder: samples.folder
        )
    }

    @Test func partOfFile() async throws {
        await samples.partOfFile()
        #expect(samples.output.values == ["uploaded"])
        #expect(server.requests.last?.text == "rtrait")
    }

    @Test("A body sequence is sent once, and is sent again after a redirect if it can be created again")
    func sequences() async throws {
        server.route("/disk.iso", .data(Data([1, 2, 3])))
        let samples = producing
        await samples.sequence()
        #expect(server.requests(to: "/copies/disk.iso").last?.body == Data([1, 2, 3]))
        server.route("/copies/disk.iso", .status(307, headers: ["Location": "/other"]))
        await samples.sequence()
        await samples.sequenceMadeAnew()
        #expect(samples.output.values == ["copied", "body-unreadable", "copied"])
        #expect(server.requests(to: "/other").map(\.body) == [Data([1, 2, 3])])
        #expect(server.requests(to: "/disk.iso").count == 4)
    }

    @Test func writers() async throws {
        let samples = producing
        await samples.writer()
        await samples.trailers()
        let (plain, withTrailers) = (try #require(server.requests.first), try #require(server.requests.last))
        #expect(plain.text.hasPrefix("number,square\n1,1\n2,4\n"))
        #expect(plain.headers["Content-Type"] == "text/csv" && plain.headers["Transfer-Encoding"] == "chunked")
        #expect(withTrailers.headers["Trailer"] == "X-Row-Count" && withTrailers.trailers["X-Row-Count"] == "1000")
        #expect(samples.output.values == ["sent", "sent"])
    }

    @Test("A writer gets an error after an early response")
    func refusal() async throws {
        var full = LoopbackServer.Response.status(413)
        full.requestBody = .refuse
        server.route("/full", full)
        let samples = producing
        await samples.refusal()
        let output = try await samples.output.wait(for: 2)
        #expect(output.contains("413"))
        #expect(output.contains { $0.contains("the status 413") })
    }

    @Test("A sequence continues at the server's offset")
    func resumableSequence() async throws {
        let server = try UploadServer(.tus)
        let samples = UploadSamples(
            manager: TestTransport.curl.makeManager(for: server.server),
            url: server.server.url("/files"),
            file: samples.file,
            folder: folder.url
        )
        server.next("PATCH", UploadServer.answer(.status(204).adding("Upload-Offset", "4"), keeping: 4))
        await samples.resumableSequence(length: 10)
        #expect(samples.output.values == ["uploaded"] && server.content == Data("a portrait".utf8))
        #expect(server.methods == ["POST", "PATCH", "PATCH"])
    }

    @Test func resumable() async throws {
        let server = try UploadServer(.tus)
        let samples = UploadSamples(
            manager: TestTransport.allCases[0].makeManager(for: server.server),
            url: server.server.url("/files"),
            file: samples.file,
            folder: folder.url
        )
        await samples.resumable()
        #expect(samples.output.values == ["uploaded"] && server.content == Data("a portrait".utf8))
    }

    @Test func continuedUpload() async throws {
        let server = try UploadServer(.ietf)
        let samples = UploadSamples(
            manager: TestTransport.allCases[0].makeManager(for: server.server),
            url: server.server.url("/files"),
            file: samples.file,
            folder: folder.url
        )
        let store = folder.url.appendingPathComponent("resumption")
        server.next("PATCH", UploadServer.answer(.status(403), keeping: 4))
        try await samples.continuedUpload(store: store)
        #expect(FileManager.default.fileExists(atPath: store.path))
        try await samples.continuedUpload(store: store)
        #expect(!FileManager.default.fileExists(atPath: store.path))
        #expect(server.methods == ["POST", "PATCH", "HEAD", "PATCH"] && server.content == Data("a portrait".utf8))
    }

    @Test func form() async throws {
        try await samples.form()
        try await samples.manager.finishAll()
        let request = try #require(server.requests.last)
        #expect(request.parts.map(\.name) == ["author", "portrait", "table", "note"])
        #expect(request.parts.map { $0.headers["Content-Type"] } == [nil, "image/jpeg", "text/csv", nil])
        #expect(samples.output.values.contains("\(request.body.count) of \(request.body.count)"))
        #expect(samples.output.values.last?.contains("7.jpg") == true)
    }

    @Test func decoded() async throws {
        samples.decoded()
        try await samples.manager.finishAll()
        #expect(samples.output.values == ["/portraits/7.jpg"])
        #expect(server.requests.last?.method == "POST")
    }

    @Test func parts() throws {
        let streams = try samples.streams(content: Data("log".utf8), input: InputStream(data: Data("abcde".utf8)))
        #expect(Int64(try streams.data().count) == streams.contentLength)
        let text = String(decoding: try samples.headers().data(), as: UTF8.self)
        #expect(text.contains("X-Revision: 3\r\n\r\n{}") && text.contains("Content-Language: en\r\n\r\ntext"))
    }

    @Test func others() async throws {
        samples.throttled()
        try samples.written()
        try samples.built()
        try await samples.manager.finishAll()
        #expect(samples.output.values.sorted() == ["sent", "uploaded", "uploaded"])
        #expect(server.requests.map(\.method).sorted() == ["PATCH", "POST", "POST"])
    }
}
