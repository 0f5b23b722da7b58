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
            file: try folder.file("ada.jpg", Data("a portrait".utf8))
        )
    }

    /// The samples whose bodies are produced, with a transport that can send these.
    private var producing: UploadSamples {
        UploadSamples(manager: TestTransport.curl.makeManager(for: server), file: samples.file)
    }

    @Test("A body sequence is sent once, and not again after a redirect")
    func sequence() async throws {
        server.route("/disk.iso", .data(Data([1, 2, 3])))
        let samples = producing
        await samples.sequence()
        #expect(server.requests(to: "/copies/disk.iso").last?.body == Data([1, 2, 3]))
        server.route("/copies/disk.iso", .status(307, headers: ["Location": "/other"]))
        await samples.sequence()
        #expect(samples.output.values == ["copied", "body-unreadable"])
        #expect(server.requests(to: "/other").isEmpty)
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

    @Test func resumable() async throws {
        let server = try UploadServer(.tus)
        let samples = UploadSamples(
            manager: TestTransport.allCases[0].makeManager(for: server.server),
            file: samples.file
        )
        await samples.resumable()
        #expect(samples.output.values == ["uploaded"] && server.content == Data("a portrait".utf8))
    }

    @Test func continuedUpload() async throws {
        let server = try UploadServer(.ietf)
        let samples = UploadSamples(
            manager: TestTransport.allCases[0].makeManager(for: server.server),
            file: samples.file
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
}
