import LarkspurTesting
import TestSupport
import Testing

@testable import Larkspur

@Suite("The value of a download", .timeLimit(.minutes(5)))
struct DownloadValueTests {
    private struct User: Decodable, Sendable, Equatable {
        let name: String
    }

    let server: LoopbackServer
    let folder = TemporaryFolder()

    init() throws {
        server = try LoopbackServer()
        server.route("/user", .json(#"{"name": "Ada"}"#))
    }

    @Test("The content is decoded, and its temporary file is removed", arguments: TestTransport.allCases)
    func temporary(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let file: URL
        do {
            let files = Recorder<URL?>()
            // A handler that comes first sees the file.
            let task = manager.download("user").response { files.record($0.fileURL) }
            #expect(try await task.value(as: User.self) == User(name: "Ada"))
            file = try #require(try await files.first())
            withExtendedLifetime(task) {}
        }
        try await manager.finishAll()
        try await eventually { !FileManager.default.fileExists(atPath: file.path) }
    }

    @Test("With a destination, the file stays", arguments: TestTransport.allCases)
    func destination(_ transport: TestTransport) async throws {
        let manager = transport.makeManager(for: server)
        let task = manager.download("user", to: .folder(folder.url))
        #expect(try await task.value(as: User.self) == User(name: "Ada"))
        let file = try await task.file
        #expect(try Data(contentsOf: file) == Data(#"{"name": "Ada"}"#.utf8))
        #expect(try await manager.download("user").value(as: .string) == #"{"name": "Ada"}"#)
        #expect(try await manager.download("user").value(as: .data).count == 15)
    }

    @Test("The decoder of the call is used, or else the manager's decoder", arguments: TestTransport.allCases)
    func decoders(_ transport: TestTransport) async throws {
        struct Account: Decodable, Sendable {
            let accountName: String
        }
        server.route("/account", .json(#"{"account_name": "ada"}"#))
        let manager = transport.makeManager(for: server)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        #expect(try await manager.download("account").value(as: Account.self, decoder: decoder).accountName == "ada")
        manager.jsonDecoder = decoder
        #expect(try await manager.download("account").value(as: Account.self).accountName == "ada")
    }

    @Test("A failure has the code of its cause", arguments: TestTransport.allCases)
    func failures(_ transport: TestTransport) async throws {
        server.route("/missing", .json("{}", status: 404))
        server.route("/other", .json(#"{"title": 1}"#))
        server.route("/page", .text("<html>"))
        let manager = transport.makeManager(for: server)
        func code(_ path: String) async -> LarkspurError.Code? {
            do throws(LarkspurError) {
                _ = try await manager.download(path).value(as: User.self)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(await code("missing") == .unacceptableStatusCode)
        #expect(await code("other") == .responseSerializationFailed)
        #expect(await code("page") == .unacceptableContentType)
        manager.maximumContentSize = 10
        #expect(await code("user") == .contentTooLarge)
    }

    @Test("Cancelling the surrounding task cancels the download", arguments: TestTransport.allCases)
    func cancellation(_ transport: TestTransport) async throws {
        let gate = LoopbackServer.Gate()
        server.route("/held", .json("{}").held(until: gate))
        let manager = transport.makeManager(for: server)
        let task = manager.download("held")
        let call = Task { try await task.value(as: User.self) }
        try await server.waitForRequests(1)
        call.cancel()
        let error = await #expect(throws: LarkspurError.self) { try await call.value }
        #expect(error?.code == .cancelled)
        gate.open()
    }
}
