#if os(Linux)
import Foundation
import Larkspur
import TestSupport
import Testing

extension NetworkFaultTests {
    /// Links that are cut in the middle of a transfer, and come back.
    @Suite("Links that are cut and restored")
    struct CutLinkTests {
        /// The ways in which a link is lost.
        enum Cut: String, CaseIterable, Sendable {
            /// Somewhere on the path, unseen by both ends.
            case path
            /// At the client, whose kernel has no route then.
            case client
            /// At the server.
            case server

            /// All ways in a run of many rounds. Otherwise one of those by which a client is not told, and the other.
            static let tried: [Cut] =
                NetworkPath.rounds > 1 ? allCases : [TestSeed.value % 2 == 0 ? .path : .server, .client]

            func begin() throws {
                switch self {
                case .path: try NetworkPath.set("cut=1")
                case .client: try NetworkNamespace.ip("link set near down")
                case .server: try NetworkNamespace.ip("-n \(Self.namespace) link set far down")
                }
            }

            func end() throws {
                try NetworkPath.set()
                switch self {
                case .path: break
                case .client: try NetworkNamespace.ip("link set near up")
                case .server: try NetworkNamespace.ip("-n \(Self.namespace) link set far up")
                }
            }

            private static var namespace: String {
                ProcessInfo.processInfo.environment["LARKSPUR_SERVER_NAMESPACE"] ?? ""
            }
        }

        private let server: NetworkServer
        private let folder = TemporaryFolder()
        private let attempts = Recorder<Void>()
        /// The size of a file that takes eight seconds, if it is not cut.
        private let size = 2 << 20
        private let target = "file/\(2 << 20)/7?rate=\(256 << 10)"

        init() async throws { server = try await NetworkServer.fresh() }

        private func makeManager(idle: Duration = .seconds(1)) throws -> SessionManager {
            var options = CurlURLSession.Options()
            options.partialDownloadFolder = folder.url
            let manager = try server.makeManager(idle: idle, options: options)
            manager.observe([.attemptStarted]) { [attempts] _ in attempts.record(()) }
            return manager
        }

        /// Waits until the call has begun another attempt, because it has noticed the cut, and ends the cut.
        private func end(_ cut: Cut, beforeAttempt number: Int = 2) async throws {
            try await attempts.wait(for: number)
            try cut.end()
        }

        /// Starts a task, and cuts the link when some of its content was transferred.
        private func cut(_ cut: Cut, within counts: AsyncCompactMapSequence<AsyncStream<CallEvent>, Int64>) async throws
        {
            for await count in counts where count > 64 << 10 {
                try cut.begin()
                return
            }
            Issue.record("The transfer has ended too early.")
        }

        @Test("A transfer ends at the limit, and its message names the limit", arguments: Cut.tried)
        func limits(_ cut: Cut) async throws {
            let manager = try makeManager()
            let task = manager.get(target)
            try await self.cut(cut, within: task.downloadCounts)
            defer { try? cut.end() }
            let start = ContinuousClock.now
            let error = await #expect(throws: LarkspurError.self) { try await task.data }
            #expect(error?.code == .timedOut)
            #expect(error?.message.contains("1.0 seconds") == true, "\(error?.message ?? "")")
            // Within the time that was promised, and not that of the kernel, a quarter of an hour.
            #expect(ContinuousClock.now - start < .seconds(60))
            // And so does one that cannot begin.
            let next = await manager.get("requests").response().error
            #expect([.timedOut, .cannotConnectToHost].contains(next?.code), "\(String(describing: next))")
        }

        @Test("Sending ends at the limit too, whatever the kernel has buffered")
        func upload() async throws {
            let manager = try makeManager()
            let task = manager.upload("hash", from: .data(Data(count: 64 << 20)))
            try await cut(.path, within: task.uploadCounts)
            let error = await task.response().error
            #expect(error?.code == .timedOut)
            try NetworkPath.set()
            #expect(try await manager.get("digest/1/1").string.count == 64)
        }

        @Test("After a failure, a download continues by hand, and its file is identical", arguments: Cut.tried)
        func resumeData(_ cut: Cut) async throws {
            let expected = try await server.digest(length: size, seed: 7)
            let manager = try makeManager()
            let task = manager.download(target, to: .file(folder.url.appendingPathComponent("first")))
            try await self.cut(cut, within: task.downloadCounts)
            let error = await #expect(throws: LarkspurError.self) { try await task.file }
            #expect(error?.code == .timedOut)
            let resumeData = try #require(error?.resumeData)
            try cut.end()
            let file = try await manager.download(
                target,
                maximumResumptions: 20,
                resumeData: resumeData,
                to: .file(folder.url.appendingPathComponent("second"))
            ).file
            #expect(try SHA256Sum.of(file) == expected)
            try await expectRanges()
        }

        @Test("A download continues automatically, and its file is identical", arguments: Cut.tried)
        func resumes(_ cut: Cut) async throws {
            let expected = try await server.digest(length: size, seed: 7)
            let manager = try makeManager()
            let task = manager.download(
                target,
                maximumResumptions: 100,
                to: .file(folder.url.appendingPathComponent("file"))
            )
            try await self.cut(cut, within: task.downloadCounts)
            try await end(cut)
            #expect(try await SHA256Sum.of(task.file) == expected)
            try await expectRanges()
        }

        private func expectRanges() async throws {
            let requests = try await server.requests().filter { $0.hasPrefix("GET /file") }
            #expect(requests.count >= 2 && requests.dropFirst().contains { $0.contains("bytes=") }, "\(requests)")
        }

        @Test("A resumable upload continues, and its content is identical", arguments: Cut.tried)
        func resumableUpload(_ cut: Cut) async throws {
            var generator = SeededGenerator(3)
            let data = generator.bytes(2 << 20)
            let manager = try makeManager()
            // So slow that there is time to cut it.
            try NetworkPath.set("rate=4000000")
            let task = manager.upload("tus", from: .data(data), resumable: .tus)
            try await self.cut(cut, within: task.uploadCounts)
            // The creation of the upload is the first attempt, and the content the second one.
            try await end(cut, beforeAttempt: 3)
            let response = await task.response()
            #expect(response.error == nil && response.statusCode == 204)
            let stored = try await server.makeManager().get("uploads/0").string
            #expect(stored == "\(data.count) \(data.count) \(try SHA256Sum.of(data))")
        }

        @Test("A WebSocket reconnects after a cut", arguments: Cut.tried)
        func webSocket(_ cut: Cut) async throws {
            let manager = try makeManager()
            var options = WebSocketOptions()
            options.pingInterval = .milliseconds(500)
            var rules = Reconnection.automatic
            rules.initialDelay = .milliseconds(100)
            rules.maximumDelay = .seconds(1)
            let socket = manager.webSocket("socket", options: options, reconnection: rules) { [.text("hello")] }
            defer { socket.cancel() }
            #expect(try await socket.receive() == .text("connection 1"))
            #expect(try await socket.receive() == .text("hello"))
            try cut.begin()
            async let next = [socket.receive(), socket.receive()]
            // Another handshake is tried when a ping has had no reply.
            try await end(cut)
            #expect(try await next == [.text("connection 2"), .text("hello")])
            try await socket.send("again")
            #expect(try await socket.receive() == .text("again"))
        }

        @Test("An event stream reconnects, and delivers every event", arguments: Cut.tried)
        func events(_ cut: Cut) async throws {
            let manager = try makeManager()
            var rules = Reconnection.automatic
            rules.maximumDelay = .seconds(1)
            var numbers: [Int] = []
            var connected: Task<Void, any Error>?
            for try await event in manager.events("events", idleTimeout: .seconds(1), reconnection: rules) {
                numbers.append(try #require(Int(event.id)))
                if numbers.count == 5 {
                    try cut.begin()
                    connected = Task { try await end(cut) }
                }
                if numbers.count == 30 { break }
            }
            try await connected?.value
            #expect(numbers == Array(1...30))
        }

        @Test("If an address is replaced, its connections end at the limit, and the download continues")
        func changedAddress() async throws {
            let expected = try await server.digest(length: size, seed: 7)
            let manager = try makeManager()
            let task = manager.download(
                target,
                maximumResumptions: 100,
                to: .file(folder.url.appendingPathComponent("file"))
            )
            for await count in task.downloadCounts where count > 64 << 10 { break }
            try NetworkNamespace.ip("addr del 192.0.2.2/24 dev near", "addr add 192.0.2.3/24 dev near")
            defer { try? NetworkNamespace.ip("addr del 192.0.2.3/24 dev near", "addr add 192.0.2.2/24 dev near") }
            #expect(try await SHA256Sum.of(task.file) == expected)
            try await expectRanges()
        }
    }
}
#endif
