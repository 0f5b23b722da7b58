#if canImport(FoundationNetworking)
import LarkspurTesting
import LarkspurTransport
import Testing

@Suite("The limit of collected content", .timeLimit(.minutes(5)))
struct MaximumContentSizeTests {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    private func session(_ limit: Int?, delegate: (any URLSessionDelegate)? = nil) -> CurlURLSession {
        var options = CurlURLSession.Options()
        options.maximumContentSize = limit
        return CurlURLSession(configuration: .testing, delegate: delegate, options: options)
    }

    @Test(
        "Content beyond the limit fails, whether its length is announced or not",
        arguments: ["/bytes/1001", "/chunked", "/coded"]
    )
    func excess(path: String) async throws {
        server.route("/chunked", .chunked([Data(count: 500), Data(count: 501)]))
        server.route("/coded", .data(CodedSample.zeros(members: 1)).adding("Content-Encoding", "gzip"))
        let session = session(1000)
        defer { session.finishTasksAndInvalidate() }
        let url = server.url(path)
        let outcome = try await session.outcome(of: url)
        #expect(outcome.code == .dataLengthExceedsMaximum)
        #expect(outcome.data == nil)
        #expect(outcome.error?.localizedDescription.contains("1000") == true)
        await #expect(throws: URLError.self) { try await session.data(from: url) }
    }

    @Test("Content of exactly the limit succeeds, and by default there is no limit", arguments: [1000, nil])
    func noExcess(limit: Int?) async throws {
        let session = session(limit)
        defer { session.finishTasksAndInvalidate() }
        #expect(try await session.outcome(of: server.url("/bytes/1000")).data?.count == 1000)
        #expect(CurlURLSession.Options().maximumContentSize == nil)
    }

    @Test("Content that is not collected has no limit")
    func others() async throws {
        let log = DelegateLog()
        let session = session(1000, delegate: log)
        defer { session.finishTasksAndInvalidate() }
        #expect(try await log.outcome(of: session.dataTask(with: server.url("/bytes/5000"))).data?.count == 5000)
        var count = 0
        for try await _ in try await session.bytes(from: server.url("/bytes/5000")).0 { count += 1 }
        #expect(count == 5000)
        let files = Recorder<Outcome>()
        session.downloadTask(with: server.url("/bytes/5000")) { file, response, error in
            let data = file.flatMap { try? Data(contentsOf: $0) }
            files.record(Outcome(data: data, response: response, error: error))
        }.resume()
        #expect(try await files.first().data?.count == 5000)
    }

    @Test("Endless content without an announced length ends at the limit")
    func endless() async throws {
        let endless = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\n\r\n")
            while connection.write(Data(count: 1 << 16)) {}
        }
        defer { endless.stop() }
        let session = session(10 << 20)
        defer { session.finishTasksAndInvalidate() }
        #expect(try await session.outcome(of: endless.url).code == .dataLengthExceedsMaximum)
    }
}
#endif
