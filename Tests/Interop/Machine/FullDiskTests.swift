#if os(Linux)
import Foundation
import Larkspur
import LarkspurTesting
import TestSupport
import Testing

extension HostileMachineTests {
    /// Disks that are full, by the file system's word and not by a limit of the process.
    @Suite("A full disk")
    struct FullDiskTests {
        /// A file system of 1 MiB in memory, which only the namespace of the tests has.
        private final class SmallDisk {
            let folder = TemporaryFolder()
            var url: URL { folder.url }

            init() throws { try NetworkNamespace.run("mount -t tmpfs -o size=1m tmpfs \(folder.url.path)") }

            deinit { try? NetworkNamespace.run("umount --lazy \(folder.url.path)") }

            /// Takes all the room that is left.
            func fill() throws {
                let file = open(url.appendingPathComponent("filler").path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
                defer { close(file) }
                let bytes = [UInt8](repeating: 0, count: 4096)
                while write(file, bytes, bytes.count) > 0 {}
                try #require(errno == ENOSPC)
            }

            func empty() throws { try FileManager.default.removeItem(at: url.appendingPathComponent("filler")) }

            var names: Set<String> {
                get throws { Set(try FileManager.default.contentsOfDirectory(atPath: url.path)) }
            }
        }

        private let disk: SmallDisk
        private let server: LoopbackServer
        private let content = Data((0..<3 << 20).map { UInt8(truncatingIfNeeded: $0 / 7) })

        init() throws {
            disk = try SmallDisk()
            server = try LoopbackServer()
            let large = content
            server.route("/large") { _ in
                var response = LoopbackServer.Response.data(large)
                response.headers["ETag"] = "\"1\""
                response.acceptsRanges = true
                return response
            }
            server.route("/small") { _ in
                var response = LoopbackServer.Response.text("small")
                response.headers["Cache-Control"] = "max-age=3600"
                return response
            }
        }

        private func makeManager(
            cache: HTTPCache? = nil,
            _ change: (inout CurlURLSession.Options) -> Void = { _ in }
        ) -> SessionManager {
            let configuration = URLSessionConfiguration.testing
            configuration.urlCache = cache
            var options = CurlURLSession.Options()
            change(&options)
            return SessionManager(baseURL: server.baseURL, configuration: configuration, transport: .curl(options))
        }

        @Test("A download to a full folder fails with this reason, leaves no file, and succeeds when there is space")
        func partialFile() async throws {
            let manager = makeManager { $0.partialDownloadFolder = disk.url }
            let target = TemporaryFolder().url
            try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: target) }
            let error = await #expect(throws: LarkspurError.self) {
                try await manager.download("large", to: .folder(target)).file
            }
            #expect(error?.code == .fileUnwritable)
            #expect(error?.message.contains("No space left on device") == true, "\(error?.message ?? "")")
            #expect(try disk.names.isEmpty)
            let file = try await manager.download("small", to: .folder(target)).file
            #expect(try Data(contentsOf: file) == Data("small".utf8))
        }

        @Test(
            "A destination without space fails with this reason, and gets no part of the file",
            arguments: [true, false]
        )
        func destination(isReplacing: Bool) async throws {
            let manager = makeManager()
            let target = disk.url.appendingPathComponent("file")
            if isReplacing { try Data("before".utf8).write(to: target) }
            let error = await #expect(throws: LarkspurError.self) {
                try await manager.download("large", to: .file(target, replacing: isReplacing)).file
            }
            #expect(error?.code == .fileMoveFailed)
            // The earlier file is still there, and whole.
            #expect(try disk.names == (isReplacing ? ["file"] : []))
            if isReplacing { #expect(try Data(contentsOf: target) == Data("before".utf8)) }
        }

        @Test("A cache without space stores nothing on disk, and neither delays nor changes a response")
        func cache() async throws {
            let folder = disk.url.appendingPathComponent("cache")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try disk.fill()
            let manager = makeManager(cache: HTTPCache(memoryCapacity: 0, diskCapacity: 100 << 20, directory: folder))
            for _ in 0..<3 {
                #expect(try await manager.get("small").string == "small")
                #expect(try await manager.get("large").data == content)
            }
            #expect(server.requests(to: "/small").count == 3)
            try disk.empty()
            for _ in 0..<3 { #expect(try await manager.get("small").string == "small") }
            #expect(server.requests(to: "/small").count == 4)
        }

        @Test("Without space, the file of hosts that require https keeps its content, and no request fails")
        func hosts() async throws {
            let file = disk.url.appendingPathComponent("hosts")
            let store = try HSTSStore(file: file)
            let manager = makeManager { $0.hsts = store }
            try disk.fill()
            #expect(try await manager.get("small").string == "small")
        }

        @Test("Writing a form to a full disk is an error, and leaves no part of a file")
        func form() throws {
            var form = MultipartFormData()
            form.append(data: content, name: "file")
            let error = #expect(throws: LarkspurError.self) {
                try form.write(to: disk.url.appendingPathComponent("form"))
            }
            #expect(error?.code == .fileUnwritable || error?.code == .bodyUnreadable, "\(String(describing: error))")
            #expect(try disk.names.isEmpty)
        }

        @Test("Without space, saving a cassette or an archive throws, and keeps the earlier file")
        func cassette() async throws {
            let file = disk.url.appendingPathComponent("cassette")
            let before = Data("{}".utf8)
            try before.write(to: file)
            try disk.fill()
            let recorder = HARRecorder()
            let manager = makeManager()
            manager.observers = [recorder]
            _ = try await manager.get("small").string
            #expect(throws: (any Error).self) { try recorder.write(to: file) }
            #expect(try Data(contentsOf: file) == before)
        }
    }
}
#endif
