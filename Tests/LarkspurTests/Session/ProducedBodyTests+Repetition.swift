import LarkspurTesting
import Synchronization
import TestSupport
import Testing

@testable import Larkspur

/// Sending again.
extension ProducedBodyTests {
    @Test("A body that can be sent once is not sent again")
    func once() async throws {
        server.route("/sink", .text("taken"))
        let body = RequestBody.sequence(stream(chunks(3)))
        #expect(try await manager.post("sink", body: body).string == "taken")
        let error = await manager.post("sink", body: body).response().error
        #expect(error?.code == .bodyUnreadable)
        #expect(error?.message.contains("once") == true)
        #expect(server.requests.count == 1)
    }

    @Test("A redirect sends a repeatable sequence again, and fails for a consumed one", arguments: [307, 308])
    func redirect(_ status: Int) async throws {
        server.route("/old", .redirect(to: "/new", status: status))
        server.route("/new", .text("arrived"))
        let again = RequestBody.sequence(length: nil) { stream(chunks(3)) }
        #expect(try await manager.post("old", body: again).string == "arrived")
        #expect(server.requests(to: "/new").map(\.text) == ["chunk 0;chunk 1;chunk 2;"])
        let error = await manager.post("old", body: .sequence(stream(chunks(3)))).response().error
        #expect(error?.code == .bodyUnreadable)
        #expect(error?.message.contains("\(status)") == true)
        #expect(server.requests(to: "/new").count == 1)
    }

    @Test(
        "A retry sends a repeatable sequence again, and with a consumed one the response is the result",
        arguments: [true, false]
    )
    func retry(isRepeatable: Bool) async throws {
        server.route("/busy", .status(503), .text("at last"))
        let manager = manager
        manager.clock = InstantClock()
        manager.interceptors.call = [RetryPolicy(maximumAttempts: 2)]
        let body = RequestBody.writer(isRepeatable: isRepeatable) { try await $0.write("content") }
        let response = await manager.put("busy", body: body).response(as: StringResponseSerializer())
        #expect(response.value == (isRepeatable ? "at last" : nil))
        #expect(response.statusCode == (isRepeatable ? 200 : 503))
        #expect(server.requests.map(\.text) == (isRepeatable ? ["content", "content"] : ["content"]))
    }

    @Test("A challenge sends the content again, or fails if the content is consumed", arguments: [true, false])
    func challenge(isRepeatable: Bool) async throws {
        let body = RequestBody.writer(isRepeatable: isRepeatable) { try await $0.write("content") }
        let task = manager.post("basic-auth/ada/secret", body: body)
            .authenticate(username: "ada", password: "secret")
        let response = await task.response()
        if isRepeatable {
            #expect(response.statusCode == 200 || response.statusCode == 405)
        } else {
            #expect(response.error?.code == .bodyUnreadable)
        }
    }

    @Test(
        "A resumable upload continues within content that is produced from an offset",
        arguments: [
            UploadServer.Dialect.tus, .ietf,
        ]
    )
    func resumable(_ dialect: UploadServer.Dialect) async throws {
        let server = try UploadServer(dialect)
        server.next("PATCH", UploadServer.cut(after: 300_000), UploadServer.cut(after: 0))
        let manager = TestTransport.curl.makeManager(for: server.server)
        manager.clock = InstantClock()
        let content = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 9) })
        let offsets = Recorder<Int64>()
        let body = RequestBody.sequence(
            length: 1_000_000,
            fromOffset: { offset in
                offsets.record(offset)
                return stream(
                    stride(from: Int(offset), to: content.count, by: 70_001).map {
                        content[$0..<min($0 + 70_001, content.count)]
                    }
                )
            }
        )
        let resumable: ResumableUpload = dialect == .tus ? .tus : .ietf
        let response = await manager.upload("files", from: body, resumable: resumable).response()
        #expect(response.error == nil)
        #expect(server.content == content && server.isComplete)
        #expect(offsets.values == [0, 300_000, 300_000])
        let once = await manager.upload("files", from: .sequence(stream([])), resumable: resumable).response()
        #expect(once.error?.code == .unsupported)
    }
}
