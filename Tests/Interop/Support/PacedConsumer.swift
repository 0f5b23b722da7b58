#if canImport(FoundationNetworking)
import Foundation
import LarkspurTransport
import Synchronization

/// A delegate that takes a chunk of content only when it may.
final class PacedConsumer: NSObject, URLSessionDataDelegate {
    struct Result: Sendable {
        var content = Data()
        var error: (any Error)?
        /// The most bytes that the task had received and that were not taken yet.
        var mostWaiting: Int64 = 0

        mutating func take(_ data: Data, received: Int64) {
            mostWaiting = max(mostWaiting, received - Int64(content.count))
            content += data
        }
    }

    private struct State {
        var isPaced = true
        var waitingTask: Int?
        var results: [Int: Result] = [:]
    }

    /// A chunk has arrived, and waits.
    let arrived = DispatchSemaphore(value: 0)
    /// It may be taken.
    let permitted = DispatchSemaphore(value: 0)
    /// A task has ended.
    let ended = DispatchSemaphore(value: 0)
    private let state = Mutex(State())

    /// Lets everything be taken from now on.
    func permitAll() {
        state.withLock { $0.isPaced = false }
        permitted.signal()
    }

    /// The identifier of the task whose chunk arrived last; the task itself would keep its session, and that this
    /// delegate.
    var waitingTask: Int? { state.withLock { $0.waitingTask } }

    func result(of task: URLSessionTask) -> Result { state.withLock { $0.results[task.taskIdentifier] ?? Result() } }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let waits = state.withLock { state in
            state.waitingTask = dataTask.taskIdentifier
            return state.isPaced
        }
        if waits {
            arrived.signal()
            permitted.wait()
        }
        let received = dataTask.countOfBytesReceived
        state.withLock { $0.results[dataTask.taskIdentifier, default: Result()].take(data, received: received) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        state.withLock { $0.results[task.taskIdentifier, default: Result()].error = error }
        ended.signal()
    }
}
#endif
