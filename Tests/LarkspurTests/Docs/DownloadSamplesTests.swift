#if canImport(FoundationNetworking)
import LarkspurTesting
import Testing

@testable import Larkspur

/// Runs the samples of `Docs/Downloads.md`.
@Suite("Samples about downloads", .timeLimit(.minutes(5)))
struct DownloadSamplesTests {
    let server: LoopbackServer
    let folder = TemporaryFolder()
    let samples: DownloadSamples

    init() throws {
        server = try LoopbackServer()
        let manager = DownloadSamples.managerWithFolder(folder.url)
        manager.clock = InstantClock()
        samples = DownloadSamples(manager: manager, url: server.url("/file"), folder: folder.url)
    }

    private var content: Data? { try? Data(contentsOf: folder.url.appendingPathComponent("disk.iso")) }

    private func serve(cuts: [Int]) -> BrokenFile {
        let file = BrokenFile(10_000, cuts: cuts)
        server.route("/file") { file.answer($0) }
        return file
    }

    @Test func toFile() async throws {
        let file = serve(cuts: [])
        try await samples.toFile()
        try await samples.manager.finishAll()
        #expect(samples.output.values.last == "saved disk.iso")
        #expect(samples.output.values.contains("10000 of 10000"))
        #expect(content == file.content)
    }

    @Test func typedValue() async throws {
        server.route("/report.json", .json(#"{"title": "All is well"}"#))
        let manager = SessionManager(baseURL: server.baseURL)
        let samples = DownloadSamples(manager: manager, url: server.url("/file"), folder: folder.url)
        try await samples.typedValue()
        #expect(samples.output.values == ["All is well"])
    }

    @Test func byItself() async throws {
        let file = serve(cuts: [1_000, 2_000])
        _ = samples.byItself()
        try await samples.manager.finishAll()
        #expect(samples.output.values.last == "saved")
        #expect(content == file.content)
    }

    @Test("A download is saved and cancelled, and a later download continues from the saved file")
    func byHand() async throws {
        let file = serve(cuts: [1_000, 1_000, 1_000])
        let clock = TestClock()
        samples.manager.clock = clock
        let task = samples.byItself()
        try await clock.waitForSleeps()
        try samples.note(task)
        samples.cancel(task)
        try await samples.manager.finishAll()
        #expect(samples.output.values.contains("can continue"))
        #expect(samples.output.values.last == "cancelled")

        let noted = try Data(contentsOf: folder.url.appendingPathComponent("disk.iso.resume"))
        samples.goOn(with: noted)
        try await samples.manager.finishAll()
        #expect(samples.output.values.last == "failed: connection-lost, but may continue")
        samples.withRequest(noted, token: "secret")
        try await samples.manager.finishAll()
        #expect(samples.output.values.last == "connection-lost")
        #expect(server.requests.map { $0.headers["Range"] } == [nil, "bytes=1000-", "bytes=2000-"])
        #expect(server.requests.last?.headers["Authorization"] == "Bearer secret")
        samples.goOn(with: noted)
        try await samples.manager.finishAll()
        #expect(content == file.content)
    }

    @Test("An awaited download continues where the last attempt ended")
    func awaited() async throws {
        let file = BrokenFile(10_000, cuts: [3_000])
        server.route("/disk.iso", .status(503))
        let samples = DownloadSamples(
            manager: SessionManager(baseURL: server.baseURL),
            url: server.url("/disk.iso"),
            folder: folder.url
        )
        await samples.awaited()
        #expect(samples.output.values == ["failed: unacceptable-status-code"])

        server.route("/disk.iso") { file.answer($0) }
        let first = samples.manager.download("disk.iso", to: .folder(folder.url, replacing: true))
        let error = await first.response().error
        #expect(error?.code == .connectionLost)
        let resumeData = try #require(error?.resumeData)
        try resumeData.write(to: folder.url.appendingPathComponent("disk.iso.resume"))
        await samples.awaited()

        #expect(samples.output.values.last == "saved disk.iso")
        #expect(server.requests.map { $0.headers["Range"] } == [nil, nil, "bytes=3000-"])
        #expect(content == file.content)
        let rest = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(rest == ["disk.iso"])
    }

    @Test func discard() async throws {
        _ = serve(cuts: [1_000])
        samples.manager.clock = TestClock()
        let task = samples.byItself()
        try await eventually { task.resumeData != nil }
        let data = Recorder<Data?>()
        task.cancel { data.record($0) }
        samples.discard(try #require(try await data.first()))
        let rest = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(rest.isEmpty)
    }

    @Test("Resume data that is older than a week is removed")
    func discardAbandoned() async throws {
        _ = serve(cuts: [1_000])
        try await samples.toFile()
        try await samples.manager.finishAll()
        samples.discardAbandoned()
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).first)
        let file = folder.url.appendingPathComponent(name)
        let then = timeval(tv_sec: time(nil) - 8 * 86_400, tv_usec: 0)
        #expect(utimes(file.path, [then, then]) == 0)
        samples.discardAbandoned()
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }
}
#endif
