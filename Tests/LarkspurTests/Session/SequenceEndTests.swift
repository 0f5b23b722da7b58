import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("The ends of sequences", .timeLimit(.minutes(5)))
struct SequenceEndTests {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    @Test("After an error, a sequence and its call have ended", arguments: TestTransport.allCases)
    func afterError(_ transport: TestTransport) async throws {
        server.route("/values", .text("1\nx\n3\n"))
        let manager = transport.makeManager(for: server)

        var values = manager.get("values").decoded(as: Int.self).makeAsyncIterator()
        #expect(try await values.next() == 1)
        let malformed = await #expect(throws: LarkspurError.self) { try await values.next() }
        #expect(malformed?.code == .responseSerializationFailed)
        #expect(try await values.next() == nil)

        var chunks = manager.get("status/404").chunks.makeAsyncIterator()
        await #expect(throws: LarkspurError.self) { try await chunks.next() }
        #expect(try await chunks.next() == nil)
        var lines = manager.get("fault/missing-last-chunk").lines.makeAsyncIterator()
        await #expect(throws: LarkspurError.self) { while try await lines.next() != nil {} }
        #expect(try await lines.next() == nil)
        var cut = manager.get("fault/missing-last-chunk").decoded(as: String.self).makeAsyncIterator()
        await #expect(throws: LarkspurError.self) { while try await cut.next() != nil {} }
        #expect(try await cut.next() == nil)
        try await manager.finishAll()
    }

    @Test("A loop over a call that was cancelled before ends as cancelled", arguments: TestTransport.allCases)
    func cancelledBefore(_ transport: TestTransport) async throws {
        let task = transport.makeManager(for: server).get("get")
        task.cancel()
        let error = await #expect(throws: LarkspurError.self) { for try await _ in task.chunks {} }
        #expect(error?.code == .cancelled)
        #expect(server.requests.isEmpty)
    }

    @Test("A loop over an unacceptable response to a produced body throws the error")
    func refusedProduction() async throws {
        server.route("/x", .text("why", status: 404))
        let body = RequestBody.writer { try await $0.write("question") }
        let manager = TestTransport.curl.makeManager(for: server)
        let error = await #expect(throws: LarkspurError.self) {
            for try await _ in manager.put("x", body: body).chunks { Issue.record("A part") }
        }
        #expect(error?.code == .unacceptableStatusCode && error?.responseData == Data("why".utf8))
    }

    /// The content is there before the decision on the response.
    @Test("For produced content, the content of an unfollowed challenge or redirect is read completely")
    func undecided() async throws {
        let text = String(repeating: "why", count: 1_000)
        server.route("/challenge", .text(text, status: 401).adding("WWW-Authenticate", "Basic realm=a"))
        server.route("/redirect", .text(text, status: 307).adding("Location", "/get"))
        let manager = TestTransport.curl.makeManager(for: server)
        manager.hooks.willPerformHTTPRedirection = { _, _, _ in nil }
        for path in ["challenge", "redirect"] {
            for _ in 0..<20 {
                let task = manager.put(path, body: .writer { try await $0.write("question") })
                let content = try await task.open { head, content in
                    #expect(head.statusCode == (path == "challenge" ? 401 : 307))
                    return try await content.collect(upTo: 10_000)
                }
                #expect(content == Data(text.utf8), "\(path): \(content.count)")
            }
        }
    }

    @Test("For produced content, a response whose coding is cut short has no end")
    func truncatedCoding() async {
        let manager = TestTransport.curl.makeManager(for: server)
        for _ in 0..<20 {
            let task = manager.put("fault/truncated-gzip", body: .writer { try await $0.write("question") })
            await #expect(throws: LarkspurError.self) { for try await _ in task.chunks {} }
        }
    }

    /// The order comes before, between or after the head, the content and its end.
    @Test("If a call is cancelled at its head, a loop throws or gets all of the content")
    func cancelledAtHead() async throws {
        server.route("/x", .text("answer"))
        let manager = TestTransport.curl.makeManager(for: server)
        manager.observe { if $0.kind == .responseReceived { $0.task?.cancel() } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<300 {
                group.addTask {
                    var content = Data()
                    do throws(LarkspurError) {
                        for try await chunk in manager.put("x", body: .writer { _ in }).chunks { content += chunk }
                        #expect(content == Data("answer".utf8))
                    } catch {
                        #expect(error.code == .cancelled)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("The content of an unacceptable response is not read to its end")
    func endlessRefusal() async throws {
        let block = Data(count: 1 << 16)
        var response = LoopbackServer.Response.stream([.repeated([.bytes(block)], times: 1 << 20)], framing: .chunked)
        response.status = 500
        server.route("/endless", response)
        let manager = TestTransport.curl.makeManager(for: server)
        for isIntercepted in [false, true] {
            if isIntercepted { manager.interceptors.call = [.adapting { _ in }] }
            let error = await #expect(throws: LarkspurError.self) {
                for try await _ in manager.get("endless").chunks {}
            }
            #expect(error?.code == .unacceptableStatusCode)
            #expect(error?.responseData?.count == 1 << 20)
        }
        try await manager.finishAll()
    }
}
