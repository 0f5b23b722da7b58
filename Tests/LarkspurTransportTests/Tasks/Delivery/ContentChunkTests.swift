#if canImport(FoundationNetworking)
import LarkspurTesting
import TestSupport
import Testing

@testable import LarkspurTransport

@Suite("Chunks of content", .timeLimit(.minutes(5)))
struct ContentChunkTests {
    let server: LoopbackServer
    private let content: Data

    init() throws {
        server = try LoopbackServer()
        var generator = SeededGenerator(seed: 1)
        content = Data((0..<4_000_000).map { _ in UInt8.random(in: 0...255, using: &generator) })
        server.route("/content", .data(content))
    }

    @Test("Content that arrives together is delivered in one chunk, up to a limit")
    func joined() async throws {
        let log = DelegateLog()
        let session = CurlURLSession(configuration: .testing { $0.urlCache = nil }, delegate: log, delegateQueue: nil)
        session.dataTask(with: server.url("/content")).resume()
        try await log.ends.wait()
        #expect(log.data == content)
        let sizes = log.events.values.compactMap { if case .data(let chunk) = $0 { chunk.count } else { nil } }
        // libcurl passes on no more than 16 KiB at a time.
        #expect(sizes.contains { $0 > 1 << 14 })
        #expect(sizes.allSatisfy { $0 <= EasyHandle.bufferSize })
        session.invalidateAndCancel()
    }

    @Test("Content that no delegate receives does not wait, and is counted")
    func unread() async throws {
        let queue = OperationQueue()
        queue.isSuspended = true
        let session = CurlURLSession(
            configuration: .testing { $0.urlCache = nil },
            delegate: nil,
            delegateQueue: queue
        )
        let task = session.dataTask(with: server.url("/content"))
        task.resume()
        try await eventually(Int64(content.count)) { task.countOfBytesReceived }
        queue.isSuspended = false
        try await eventually(.completed) { task.state }
        #expect(task.error == nil)
        session.invalidateAndCancel()
    }
}
#endif
