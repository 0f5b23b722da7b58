import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Progress for loops", .timeLimit(.minutes(5)))
struct ProgressUpdatesTests {
    let server: LoopbackServer
    let gate = LoopbackServer.Gate()

    init() throws {
        server = try LoopbackServer()
        let half = Data(count: 100_000)
        server.route("/halves", .stream([.bytes(half), .wait(gate), .bytes(half)]))
    }

    @Test("A loop starts the call and gets its progress to the end", arguments: TestTransport.allCases)
    func download(_ transport: TestTransport) async throws {
        let task = transport.makeManager(for: server).get("halves")
        var updates: [ByteProgress] = []
        for await progress in task.downloadUpdates {
            updates.append(progress)
            if progress.completed > 0 { gate.open() }
        }
        #expect(updates.last == ByteProgress(completed: 200_000, total: 200_000))
        #expect(updates.last?.fractionCompleted == 1 && ByteProgress(completed: 1).fractionCompleted == nil)
        #expect(updates.map(\.completed) == updates.map(\.completed).sorted() && updates.count >= 2)
        #expect(try await task.data.count == 200_000)
    }

    @Test("After the loop the file is there, also without a destination", arguments: TestTransport.allCases)
    func file(_ transport: TestTransport) async throws {
        gate.open()
        let task = transport.makeManager(for: server).download("halves")
        for await _ in task.downloadUpdates {}
        let file = try await task.file
        #expect(try Data(contentsOf: file).count == 200_000)
        #expect(try await task.file == file)
        try FileManager.default.removeItem(at: file)
    }

    @Test("What is sent has a progress too", arguments: TestTransport.allCases)
    func upload(_ transport: TestTransport) async throws {
        let task = transport.makeManager(for: server).upload("post", from: .data(Data(count: 1 << 20)))
        var last: ByteProgress?
        for await progress in task.uploadUpdates { last = progress }
        #expect(last == ByteProgress(completed: 1 << 20, total: 1 << 20))
        #expect(await task.response().error == nil)
    }

    @Test("A failed call, one that has ended and one that is cancelled end the loop", arguments: TestTransport.allCases)
    func ends(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let failed = manager.get("fault/close-before-header")
        for await _ in failed.downloadUpdates {}
        #expect(await failed.response().error != nil)
        var late: [ByteProgress] = []
        for await progress in failed.downloadUpdates { late.append(progress) }
        #expect(late.count == 1)

        let task = manager.get("halves")
        let isUnderWay = Recorder<Void>()
        let loop = Task { for await _ in task.downloadUpdates { isUnderWay.record(()) } }
        try await isUnderWay.wait()
        task.cancel()
        await loop.value
        #expect(await task.response().error?.code == .cancelled)
    }

    @Test("The temporary file of a download is there as long as its task", arguments: TestTransport.allCases)
    func temporaryFile(_ transport: TestTransport) async throws {
        gate.open()
        let manager = transport.makeManager(for: server)
        let files = Recorder<URL?>()
        do {
            let task = manager.download("halves").response { files.record($0.fileURL) }
            let file = try #require(try await files.first())
            try await manager.finishAll()
            #expect(FileManager.default.fileExists(atPath: file.path))
            _ = task
        }
        let file = try #require(files.values.first ?? nil)
        try await eventually { !FileManager.default.fileExists(atPath: file.path) }
    }

    @Test("A file that one handler has claimed is there for the others", arguments: TestTransport.allCases)
    func claimedTwice(_ transport: TestTransport) async throws {
        gate.open()
        let name = String(repeating: "a", count: 240) + ".bin"
        server.route("/named", .text("content").adding("Content-Disposition", "attachment; filename=\"\(name)\""))
        let task = transport.makeManager(for: server).download("named")
        let own = try await task.file
        let files = Recorder<URL?>()
        task.response { files.record($0.fileURL) }
        let other = try #require(try await files.first())
        #expect(try String(contentsOf: other, encoding: .utf8) == "content")
        #expect(try String(contentsOf: own, encoding: .utf8) == "content")
        #expect(own.lastPathComponent.hasSuffix("aa.bin"))
        try FileManager.default.removeItem(at: own)
    }

    @Test("A file with a destination stays there, whatever its name", arguments: TestTransport.allCases)
    func claimed(_ transport: TestTransport) async throws {
        gate.open()
        let folder = TemporaryFolder()
        let destination = folder.url.appendingPathComponent("Larkspur-guide.pdf")
        let manager = transport.makeManager(for: server)
        #expect(try await manager.download("halves", to: .file(destination)).file == destination)
        #expect(FileManager.default.fileExists(atPath: destination.path))
    }
}
