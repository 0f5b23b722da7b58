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
