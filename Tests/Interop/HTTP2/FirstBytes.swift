#if canImport(FoundationNetworking)
import Foundation
import LarkspurTransport
import Synchronization

/// A delegate for one task, which says when the first content has come.
final class FirstBytes: NSObject, URLSessionDataDelegate {
    private struct State {
        var count = 0
        var error: (any Error)?
        var continuation: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())
    private let action: @Sendable () -> Void

    init(action: @escaping @Sendable () -> Void) { self.action = action }

    var count: Int { state.withLock { $0.count } }
    var error: (any Error)? { state.withLock { $0.error } }

    /// Runs a task to its end.
    func load(_ url: URL, in session: URLSession) async throws {
        await withCheckedContinuation { continuation in
            state.withLock { $0.continuation = continuation }
            session.dataTask(with: url).resume()
            session.finishTasksAndInvalidate()
        }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isFirst = state.withLock { state in
            defer { state.count += data.count }
            return state.count == 0
        }
        if isFirst { action() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        state.withLock { state in
            state.error = error
            return state.continuation.take()
        }?.resume()
    }
}
#endif
