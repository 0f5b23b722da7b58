import Synchronization

/// The way of a response from its transfer to the only consumer of its content: the head, and the chunks as they
/// arrive.
///
/// Each chunk retains an object with which the transport counts the bytes that the consumer has not taken. While there
/// are about 1 MiB of such bytes, the transport stops reading. Some transports have no such objects and cannot stop.
/// With such a transport, a consumer that falls too far behind ends the task.
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
            // Chunks are removed many at a time, because each removal moves all chunks that remain.
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

    /// The maximum number of buffered bytes with a transport that cannot stop reading.
    package static var limit: Int { 16 << 20 }

    private let state = Mutex(State())

    package init() {}

    /// Records that the chunks of a response follow.
    /// - Parameter isDelivered: Whether the head counts as delivered even if nobody waits for it.
    package func begin(with response: URLResponse, isDelivered: Bool) {
        let waiting = state.withLock { state in
            state.response = response
            // A task that waits will get this head, even if the connection is lost before the task runs.
            if isDelivered || !state.waitingForHead.isEmpty { state.hasDeliveredHead = true }
            return state.takeWaitingForHead()
        }
        for waiter in waiting { waiter.resume() }
    }

    /// Adds a chunk.
    /// - Returns: False if the consumer is too far behind, and the transport cannot make the server wait.
    package func add(_ data: Data, held: (any Sendable)?) -> Bool {
        let (waiting, isTooMuch) = state.withLock { state in
            guard state.end == nil else { return (nil as CheckedContinuation<Void, Never>?, false) }
            // A chunk that retains an object makes the transport wait. The limit is needed for the other chunks.
            if held == nil { state.freeBytes += data.count }
            if state.freeBytes > Self.limit { return (nil, true) }
            state.chunks.append((data, held))
            return (state.waiting.take(), false)
        }
        waiting?.resume()
        return !isTooMuch
    }

    /// Records the end of the content. Later calls have no effect. Buffered chunks are delivered first.
    /// - Parameter dropsChunks: Whether buffered chunks are dropped instead. Default: false.
    package func end(_ error: Failure?, dropsChunks: Bool = false) {
        let (waiting, dropped) = state.withLock { state in
            var dropped: [(data: Data, held: (any Sendable)?)] = []
            guard state.end == nil else { return ([] as [CheckedContinuation<Void, Never>], dropped) }
            state.end = error.map { .failure($0) } ?? .success(())
            if dropsChunks { (dropped, state.chunks, state.next) = (state.chunks, [], 0) }
            return (state.takeWaitingForHead() + (state.waiting.take().map { [$0] } ?? []), dropped)
        }
        // The dropped chunks are released outside the lock.
        withExtendedLifetime(dropped) {}
        for waiter in waiting { waiter.resume() }
    }

    /// Reserves the place of the consumer.
    /// - Returns: False if another consumer has it.
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

    /// Returns the next chunk; nil at the end. At most one call is under way at a time.
    package func next() async throws(Failure) -> Data? {
        while true {
            switch state.withLock({ $0.step() }) {
            // The object is released before the method returns. So the transport continues before the consumer does.
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

    /// Whether a consumer has got the head of the response, or will get it.
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
                // The state may have changed since the caller looked at it.
                guard !state.hasNext else { return true }
                state.waiting = continuation
                return false
            }
            if now { continuation.resume() }
        }
    }
}
