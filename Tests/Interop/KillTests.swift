#if canImport(FoundationNetworking)
import Foundation
import Larkspur
import Synchronization
import TestSupport
import Testing

/// Downloads whose server is killed, and those whose own process is.
@Suite("Downloads and processes that are killed", .needsServers, .serialized, .timeLimit(.minutes(5)))
struct KillTests {
    let servers: Servers

    init() throws { servers = try Servers() }

    private static func digest(of file: URL) throws -> String {
        let output = Pipe()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/sha256sum")
        process.arguments = [file.path]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return String(text.prefix(64))
    }

    // MARK: The server

    /// The server that is killed, in a process that this one has started.
    private func startServer() throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let configuration = servers.file("killed.conf").path
        process.arguments = [
            "nginx", "-p", servers.file("").path, "-e", servers.file("killed-errors.log").path, "-c", configuration,
        ]
        try process.run()
        return process
    }

    @Test("A download of 256 MiB is identical after twenty kills of its server", .seeded)
    func server() async throws {
        let size = 256 << 20
        let original = servers.file("content/huge")
        try makeContent(size, at: original)
        defer { try? FileManager.default.removeItem(at: original) }
        let folder = servers.file("downloads")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }

        var options = servers.options
        options.partialDownloadFolder = folder
        let manager = SessionManager(configuration: .ephemeral, transport: .curl(options))
        var random = SeededGenerator()
        let places = Mutex((0..<20).map { _ in Int64.random(in: 1..<Int64(size / 4 * 3), using: &random) }.sorted())
        let server = Mutex(try startServer())
        // It may have inherited that other signals are blocked.
        defer { server.withLock { _ = kill($0.processIdentifier, SIGKILL) } }
        let session = servers.makeSession()
        while (try? await session.reply(to: servers.plainURL(.killed, "/echo"))) == nil { await Task.yield() }
        let kills = Atomic(0)
        let resumes = Atomic(0)
        manager.hooks.didResumeDownload = { _, _, _ in resumes.add(1, ordering: .relaxed) }
        manager.hooks.didWriteData = { [self] _, _, total, _ in
            // The hooks may be behind the download: a server that nobody uses yet is not killed.
            guard resumes.load(ordering: .relaxed) >= kills.load(ordering: .relaxed) else { return }
            let isHere = places.withLock { places in
                guard let next = places.first, total >= next else { return false }
                // Those that were passed meanwhile have their turn after the next resumption.
                places.removeFirst()
                return true
            }
            guard isHere else { return }
            server.withLock { server in
                kill(server.processIdentifier, SIGKILL)
                server.waitUntilExit()
                if let next = try? startServer() { server = next }
            }
            kills.add(1, ordering: .relaxed)
        }
        let destination = folder.appendingPathComponent("huge")
        let response = await withCheckedContinuation { continuation in
            manager.downloadTask(
                with: URLRequest(url: servers.plainURL(.killed, "/huge")),
                maximumResumptions: 1_000,
                to: .file(destination),
                completionHandler: { continuation.resume(returning: $0) }
            ).resume()
        }
        #expect(response.error == nil)
        #expect(kills.load(ordering: .relaxed) <= resumes.load(ordering: .relaxed) + 1)
        #expect(resumes.load(ordering: .relaxed) >= 15)
        #expect(try Self.digest(of: destination) == Self.digest(of: original))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["huge"])
    }

    private func makeContent(_ size: Int, at file: URL) throws {
        let source = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/dev/urandom"))
        try Data().write(to: file)
        let target = try FileHandle(forWritingTo: file)
        for _ in 0..<size >> 20 { try target.write(contentsOf: try source.read(upToCount: 1 << 20) ?? Data()) }
        try target.close()
    }

    // MARK: The client

    private func startDownloader(into folder: URL) throws -> Process {
        let process = Process()
        // Beside the tests' own executable.
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("Downloader")
        process.arguments = ["-o", folder.path, servers.plainURL(.paced, "/large").absoluteString]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        return process
    }

    @Test(
        "A download whose process is killed or interrupted continues in the next process",
        arguments: [SIGKILL, SIGINT]
    )
    func client(_ signal: Int32) async throws {
        let folder = servers.file("client-\(signal)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let note = folder.appendingPathComponent("large.resume")

        let first = try startDownloader(into: folder)
        while !FileManager.default.fileExists(atPath: note.path), first.isRunning { await Task.yield() }
        kill(first.processIdentifier, signal)
        first.waitUntilExit()
        #expect(first.terminationStatus == (signal == SIGINT ? 130 : SIGKILL))
        #expect(FileManager.default.fileExists(atPath: note.path))
        let before = try servers.ranges().count

        let second = try startDownloader(into: folder)
        second.waitUntilExit()
        #expect(second.terminationStatus == 0)
        #expect(
            try Self.digest(of: folder.appendingPathComponent("large"))
                == Self.digest(of: servers.file("content/large"))
        )
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["large"])
        let ranges = try servers.ranges().dropFirst(before)
        #expect(ranges.contains { $0.hasPrefix("206 bytes=") })
    }
}
#endif
