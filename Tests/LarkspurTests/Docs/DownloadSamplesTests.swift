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

    private func serve(cuts: [Int]) {
        let file = BrokenFile(10_000, cuts: cuts)
        server.route("/file") { file.answer($0) }
    }

    @Test("Stored resume data continues a download with another request")
    func withRequest() async throws {
        serve(cuts: [1_000, 1_000])
        let clock = TestClock()
        samples.manager.clock = clock
        let task = samples.manager.downloadTask(with: URLRequest(url: samples.url), maximumResumptions: 10).response {
            _ in
        }
        try await clock.waitForSleeps()
        let storing = samples.storing(task)
        try await clock.waitForSleeps(2)
        storing.cancel()
        task.cancel { _ in }
        try await samples.manager.finishAll()

        let noted = try Data(contentsOf: folder.url.appendingPathComponent("disk.iso.resume"))
        samples.withRequest(noted, token: "secret")
        try await samples.manager.finishAll()
        samples.withRequest(noted, token: "secret")
        try await samples.manager.finishAll()
        #expect(samples.output.values == ["connection-lost", "done"])
        #expect(server.requests.map { $0.headers["Range"] } == [nil, "bytes=1000-", "bytes=2000-"])
        #expect(server.requests.last?.headers["Authorization"] == "Bearer secret")
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

    @Test("A verified download has the expected digest and size, or is not stored")
    func verified() async throws {
        server.route("/disk.iso", .data(ContentDigests.content))
        let samples = DownloadSamples(
            manager: SessionManager(baseURL: server.baseURL),
            url: server.url("/disk.iso"),
            folder: folder.url
        )
        for (checksum, size) in [(ContentDigests.other, 7), (ContentDigests.sha256, 8)] as [(String, Int64)] {
            let error = await #expect(throws: LarkspurError.self) { _ = try await samples.verified(checksum, size) }
            #expect(error?.code == .digestMismatch)
            #expect(content == nil)
        }
        #expect(try await samples.verified(ContentDigests.sha256, 7).lastPathComponent == "disk.iso")
        #expect(content == ContentDigests.content)
    }

    @Test("Resume data that is older than a week is removed")
    func discardAbandoned() async throws {
        serve(cuts: [1_000])
        _ = await samples.manager.downloadTask(with: URLRequest(url: samples.url)).response()
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
