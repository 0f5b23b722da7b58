import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Uploads", .timeLimit(.minutes(5)))
struct UploadTests {
    let server: LoopbackServer
    let folder = TemporaryFolder()

    init() throws { server = try LoopbackServer() }

    private func makePost() throws -> URLRequest {
        var request = URLRequest(url: server.url("/post"))
        request.httpMethod = "POST"
        request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
        return request
    }

    private let content = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 * 31) })

    @Test("Data arrives complete, with its progress", arguments: TestTransport.allCases)
    func data(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let ends = Recorder<LarkspurError?>()
        let fractions = Recorder<Double>()

        let task = manager.uploadTask(
            with: try makePost(),
            from: .data(content),
            options: CallOptions(uploadProgress: {
                fractions.record($0.fractionCompleted)
            })
        ) {
            ends.record($0.error)
        }
        #expect(manager.uploadTasks.count == 1 && manager.dataTasks.isEmpty)
        task.resume()

        #expect(try await ends.first() == nil)
        #expect(server.requests.last?.body == content)
        #expect(fractions.values.last == 1)
        #expect(task.uploadProgress.fractionCompleted == 1)
    }

    @Test("A file arrives complete, with its progress", arguments: TestTransport.allCases)
    func file(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let file = try folder.file("content", content)
        let ends = Recorder<LarkspurError?>()
        let fractions = Recorder<Double>()

        manager.uploadTask(
            with: try makePost(),
            from: .file(file),
            options: CallOptions(uploadProgress: {
                fractions.record($0.fractionCompleted)
            })
        ) {
            ends.record($0.error)
        }.resume()

        #expect(try await ends.first() == nil)
        #expect(server.requests.last?.body == content)
        #expect(fractions.values.last == 1)
    }

    @Test("A relative file URL is resolved against its base", arguments: TestTransport.allCases)
    func relativeFile(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let file = try folder.file("relative", content)
        let ends = Recorder<LarkspurError?>()
        let relative = URL(fileURLWithPath: file.lastPathComponent, relativeTo: folder.url)

        manager.uploadTask(with: try makePost(), from: .file(relative)) { ends.record($0.error) }.resume()

        let error = try await ends.first()
        #expect(error == nil, "\(String(describing: error?.underlyingError))")
        #expect(server.requests.last?.body == content)
    }

    @Test("A stream arrives complete, with the progress of its announced length", arguments: TestTransport.allCases)
    func stream(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let content = content
        let ends = Recorder<LarkspurError?>()
        let counts = Recorder<Int64>()

        let task = manager.uploadTask(
            with: try makePost(),
            from: .stream { InputStream(data: content) },
            options: CallOptions(uploadProgress: { counts.record($0.completedUnitCount) }),
            completionHandler: { ends.record($0.error) }
        )
        task.resume()

        #expect(try await ends.first() == nil)
        #expect(server.requests.last?.body == content)
        #expect(counts.values.last == Int64(content.count))
        #expect(task.uploadProgress.fractionCompleted == 1)
    }

    @Test("The announced length is the total of the progress from the beginning", arguments: TestTransport.allCases)
    func announcedLength(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let content = content
        let ends = Recorder<LarkspurError?>()
        let totals = Recorder<Int64>()
        var request = try makePost()
        request.setValue("\(content.count)", forHTTPHeaderField: "Content-Length")

        manager.uploadTask(
            with: request,
            from: .stream { InputStream(data: content) },
            options: CallOptions(uploadProgress: { totals.record($0.totalUnitCount) }),
            completionHandler: { ends.record($0.error) }
        ).resume()

        #expect(try await ends.first() == nil)
        #expect(server.requests.last?.body == content)
        #expect(Set(totals.values) == [Int64(content.count)])
    }

    @Test("The hook for new body streams overrides the task's stream", arguments: TestTransport.allCases)
    func bodyStreamHook(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        manager.hooks.needNewBodyStream = { _ in InputStream(data: Data("of the hook".utf8)) }
        let ends = Recorder<LarkspurError?>()

        manager.uploadTask(
            with: try makePost(),
            from: .stream { InputStream(data: Data("of the task".utf8)) },
            completionHandler: { ends.record($0.error) }
        ).resume()

        #expect(try await ends.first() == nil)
        #expect(server.requests.last?.body == Data("of the hook".utf8))
    }

    @Test(
        "An unreadable file is an error before anything is sent",
        arguments: ["missing", "folder", "http", "unreadable"]
    )
    func noFile(_ kind: String) async throws {
        let manager = TestTransport.foundation.makeManager(for: server)
        let file: URL =
            switch kind {
            case "missing": folder.url.appendingPathComponent("missing")
            case "folder": folder.url
            case "unreadable": URL(fileURLWithPath: "/dev/null")
            default: try #require(URL(string: "http://127.0.0.1/file"))
            }
        let ends = Recorder<LarkspurError?>()

        let task = manager.uploadTask(with: try makePost(), from: .file(file)) { ends.record($0.error) }
        task.resume()
        let error = try await ends.first()
        try await manager.finishAll()

        #expect(error?.code == .fileUnreadable)
        #expect(error?.message.isEmpty == false)
        #expect(task.state == .completed)
        #expect(ends.values.count == 1)
        #expect(server.requests.isEmpty == true)
    }
}
