#if canImport(FoundationNetworking)
import LarkspurTesting
import Synchronization
import Testing

@testable import LarkspurTransport

@Suite("Content that is held", .timeLimit(.minutes(5)))
struct HeldContentTests {
    @Test("Content that a delegate holds pauses its transfer, which continues when the content is released")
    func backPressure() async throws {
        let server = try LoopbackServer()
        server.route("/stream", .stream([.repeated([.bytes(Data(count: 1 << 20))], times: 16)], framing: .chunked))
        let delegate = HoldingDelegate()
        let session = CurlURLSession(configuration: .testing, delegate: delegate, delegateQueue: nil)
        defer { session.invalidateAndCancel() }
        session.dataTask(with: server.url("/stream")).resume()
        try await delegate.begun.wait()

        // As much again, in which the first would have come to its end.
        let other = try await session.outcome(of: server.url("/stream"))
        #expect(other.data?.count == 16 << 20)
        #expect(delegate.count < 4 << 20)

        delegate.letGo()
        #expect(try await delegate.ended.first() == nil)
        #expect(delegate.count == 16 << 20)
    }

    @Test("A task may end while its content is held")
    func endedBefore() async throws {
        let server = try LoopbackServer()
        let delegate = HoldingDelegate()
        let session = CurlURLSession(configuration: .testing, delegate: delegate, delegateQueue: nil)
        session.dataTask(with: server.url("/bytes/1000")).resume()
        #expect(try await delegate.ended.first() == nil)
        session.invalidateAndCancel()
        delegate.letGo()
        #expect(delegate.count == 1000)
    }

    @Test("Content of tasks of other session classes cannot be held")
    func others() throws {
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        let session = URLSession(configuration: .testing)
        defer { session.invalidateAndCancel() }
        #expect(session.dataTask(with: url).holdContent(1) == nil)
    }
}

/// Holds what comes to tasks without a completion handler until it lets go, after which it holds nothing.
private final class HoldingDelegate: NSObject, URLSessionDataDelegate {
    private struct State {
        var held: [HeldContent] = []
        var isHolding = true
        var count = 0
    }

    let begun = Recorder<Void>()
    let ended = Recorder<String?>()
    private let state = Mutex(State())

    var count: Int { state.withLock { $0.count } }

    func letGo() {
        let held = state.withLock { state in
            state.isHolding = false
            defer { state.held = [] }
            return state.held
        }
        withExtendedLifetime(held) {}
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        state.withLock { state in
            state.count += data.count
            if state.isHolding, let content = dataTask.holdContent(data.count) { state.held.append(content) }
        }
        begun.record(())
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        ended.record(error.map { "\($0)" })
    }
}
#endif
