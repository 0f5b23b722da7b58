import LarkspurTesting
import LarkspurTransport
import Testing

@Suite("Content as a sequence of bytes", .timeLimit(.minutes(5))) struct BytesTests {
    let server: LoopbackServer
    let session = CurlURLSession(configuration: .testing)

    init() throws { server = try LoopbackServer() }

    @Test("The delegate may be nil, as in all async methods", arguments: TestSession.allCases)
    func optionalDelegate(session: TestSession) async throws {
        let session = session.make()
        let request = URLRequest(url: server.url("/bytes/10"))
        let log = DelegateLog()
        for delegate in [nil, log] as [DelegateLog?] {
            let (bytes, _) = try await session.bytes(for: request, delegate: delegate)
            #expect(try await bytes.reduce(0) { count, _ in count + 1 } == 10)
            #expect(try await session.data(for: request, delegate: delegate).0.count == 10)
        }
        _ = try await session.bytes(for: request, delegate: nil)
        _ = try await session.data(for: request, delegate: nil)
        let url = try #require(request.url)
        _ = try await session.bytes(from: url, delegate: nil)
        _ = try await session.data(from: url, delegate: nil)
        _ = try await session.upload(for: URLRequest(server.url("/post"), "POST"), from: Data(), delegate: nil)
        try FileManager.default.removeItem(at: await session.download(from: url, delegate: nil).0)
        await #expect(throws: URLError.self) { try await session.download(resumeFrom: Data(), delegate: nil) }
    }

    @Test("All bytes arrive in order, after the response")
    func whole() async throws {
        let (bytes, response) = try await session.bytes(from: server.url("/bytes/200000"))
        var received = Data()
        for try await byte in bytes { received.append(byte) }

        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(received.count == 200_000)
        #expect(try await session.data(from: server.url("/bytes/200000")).0.count == received.count)
    }

    @Test("Incomplete content is an error at the end of the sequence")
    func broken() async throws {
        let (bytes, _) = try await session.bytes(from: server.url("/fault/short-body"))

        await #expect(throws: URLError.self) {
            for try await _ in bytes {}
        }
    }

    @Test("Without a server, the call throws and there is no response")
    func noServer() async throws {
        let url = server.url("/")
        server.stop()

        await #expect(throws: URLError.self) { _ = try await session.bytes(from: url) }
    }

    @Test("An unread sequence makes the transfer wait, and its release ends the task")
    func backPressure() async throws {
        let task: URLSessionDataTask
        do {
            let (bytes, _) = try await session.bytes(from: server.url("/fault/endless-body"))
            var iterator = bytes.makeAsyncIterator()
            for _ in 0..<1000 { _ = try await iterator.next() }
            task = bytes.task
            #expect(task.countOfBytesReceived < 8 << 20)
        }
        try await eventually(.completed) { task.state }
        #expect((task.error as? URLError)?.code == .cancelled)
    }
}
