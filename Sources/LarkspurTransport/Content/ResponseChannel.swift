import Synchronization

/// The path of a response from its transfer to the only consumer of its content. It passes on the head, and the chunks
/// as they arrive.
///
/// Each chunk retains an object with which the transport counts the bytes that the consumer has not taken. While there
/// are about 1 MiB of such bytes, the transport stops reading. A transport without such objects cannot stop. In this
/// case, a consumer that is too slow ends the task.
package final class ResponseChannel<Failure: Error>: Sendable {
    private struct State {
        var chunks: [(data: Data, held: (any Sendable)?)] = []
        var next = 0
        /// The number of buffered bytes whose chunks retain no object.
        var freeBytes = 0
        var end: Result<Void, Failure>?
        var waiting: CheckedContinuation<Void, Never>?
        /// The tasks that wait for the head.
        var waitingForHead: [CheckedContinuation<Void, Never>] = []
        var response: URLResponse?
        var hasDeliveredHead = false
        var isTaken = false

        var hasNext: Bool { next < chunks.count || end != nil }

        mutating func takeWaitingForHead() -> [CheckedContinuation<Void, Never>] {
            defer { waitingForHead = [] }
            return waitingForHead
        }

        mutating func step() -> Step {
            guard next < chunks.count else {
                return end.map { .end($0) } ?? .wait
            }
            let (data, held) = chunks[next]
            chunks[next] = (Data(), nil)
            next += 1
            if held == nil { freeBytes -= data.count }
            // Many chunks are removed at a time, because each removal moves all remaining chunks.
            if next == chunks.count {
                chunks.removeAll(keepingCapacity: true)
                next = 0
            } else if next >= 64, next * 2 >= chunks.count {
                chunks.removeFirst(next)
                next = 0
            }
            return .chunk(data, held: held)
        }
    }

    /// The maximum number of buffered bytes if the transport cannot stop reading.
    package static var limit: Int { 16 << 20 }

    private let state = Mutex(State())

    package init() {}

    /// Records that the chunks of a response follow.
    /// - Parameter isDelivered: Whether the head counts as delivered even if no task waits for it.
    package func begin(with response: URLResponse, isDelivered: Bool) {
        let waiting = state.withLock { state in
            state.response = response
            // A waiting task will receive this head, even if the connection is lost before the task runs.
            if isDelivered || !state.waitingForHead.isEmpty { state.hasDeliveredHead = true }
            return state.takeWaitingForHead()
        }
        for waiter in waiting { waiter.resume() }
    }

    /// Adds a chunk.
    /// - Returns: False if the consumer is too slow, and the transport cannot make the server wait.
    package func add(_ data: Data, held: (any Sendable)?) -> Bool {
        let (waiting, isTooMuch) = state.withLock { state in
            guard state.end == nil else { return (nil as CheckedContinuation<Void, Never>?, false) }
            // If a chunk retains an object, the transport waits. The limit is needed only for the other chunks.
            if held == nil { state.freeBytes += data.count }
            if state.freeBytes > Self.limit { return (nil, true) }
            state.chunks.append((data, held))
            return (state.waiting.take(), false)
        }
        waiting?.resume()
        return !isTooMuch
    }

    /// Records the end of the content. Later calls have no effect. Buffered chunks are delivered before the end.
    /// - Parameter dropsChunks: Whether buffered chunks are discarded and not delivered. Default: false.
    package func end(_ error: Failure?, dropsChunks: Bool = false) {
        let (waiting, dropped) = state.withLock { state in
            var dropped: [(data: Data, held: (any Sendable)?)] = []
            guard state.end == nil else { return ([] as [CheckedContinuation<Void, Never>], dropped) }
            state.end = error.map { .failure($0) } ?? .success(())
            if dropsChunks { (dropped, state.chunks, state.next) = (state.chunks, [], 0) }
            return (state.takeWaitingForHead() + (state.waiting.take().map { [$0] } ?? []), dropped)
        }
        // The discarded chunks are released outside the lock.
        withExtendedLifetime(dropped) {}
        for waiter in waiting { waiter.resume() }
    }

    /// Reserves the place of the only consumer.
    /// - Returns: False if another consumer has the place.
    package func take() -> Bool {
        state.withLock { state in
            defer { state.isTaken = true }
            return !state.isTaken
        }
    }

    private enum Step {
        case chunk(Data, held: (any Sendable)?)
        case end(Result<Void, Failure>)
        case wait
    }

    /// Returns the next chunk; nil at the end. Only one call may run at a time.
    package func next() async throws(Failure) -> Data? {
        while true {
            switch state.withLock({ $0.step() }) {
            // The object is released before the method returns, so that the transport continues before the consumer
            // does.
            case .chunk(let data, let held):
                withExtendedLifetime(held) {}
                return data
            case .end(let result):
                try result.get()
                return nil
            case .wait: await wait()
            }
        }
    }

    /// Waits for the head of the response.
    /// - Throws: The error of the task, if it ends without an acceptable response.
    package func head() async throws(Failure) -> URLResponse? {
        while true {
            let (response, end) = state.withLock { state in
                if state.response != nil { state.hasDeliveredHead = true }
                return (state.response, state.end)
            }
            if let response { return response }
            if let end {
                try end.get()
                return nil
            }
            await withCheckedContinuation { continuation in
                let now = state.withLock { state in
                    guard state.response == nil, state.end == nil else { return true }
                    state.waitingForHead.append(continuation)
                    return false
                }
                if now { continuation.resume() }
            }
        }
    }

    /// Whether a consumer has received the head of the response, or will receive it.
    package var hasDeliveredHead: Bool { state.withLock { $0.hasDeliveredHead } }

    /// Whether all of the content has arrived, and no chunk is left.
    package var isComplete: Bool {
        state.withLock { state in
            if case .success = state.end { state.next == state.chunks.count } else { false }
        }
    }

    /// Waits for content or for the end.
    private func wait() async {
        await withCheckedContinuation { continuation in
            let now = state.withLock { state in
                // The state may have changed since the caller has read it.
                guard !state.hasNext else { return true }
                state.waiting = continuation
                return false
            }
            if now { continuation.resume() }
        }
    }
}
