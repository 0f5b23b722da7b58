import Synchronization

/// The path of content from its producer to the transfer that sends it. A channel is used for one production. If the
/// content is sent again, there is a new channel.
///
/// The producer is started when the transfer first asks for content. It waits in ``write(_:)`` while about ``highMark``
/// bytes are buffered. So it produces at most this number of bytes in advance.
package final class BodyChannel: Sendable {
    /// The reason why the producer cannot write.
    package enum Refusal: Error, Equatable, Sendable {
        /// The response has a status for which the rest of the content is not sent.
        case answered(status: Int)
        /// The transfer has ended, because of the end of the response, a failure or a cancellation.
        case transferEnded
        /// The content has already ended, because the producer has finished it or has failed.
        case contentEnded
        /// The content has more bytes than announced.
        case tooLong(length: Int64)
        /// The content has fewer bytes than announced.
        case tooShort(Int64, length: Int64)
        /// The connection may use HTTP/2 or HTTP/3, over which libcurl sends no trailers.
        case trailersNotPossible
        /// The Swift task of the producer was cancelled.
        case cancelled
    }

    /// The next step of the transfer.
    package enum Step: Sendable {
        case bytes(Data)
        case wait
        case end
        case fail(any Error)
    }

    fileprivate enum End: Sendable {
        case finished(trailers: [String])
        case failed(any Error)
    }

    fileprivate struct State {
        var parts = Parts()
        var written: Int64 = 0
        /// The last byte of content with an announced length. With this byte, the content is complete for the server.
        /// So it is sent only when the producer has finished.
        var lastByte: Data?
        var end: End?
        var refusal: Refusal?
        var allowsTrailers = false
        var hasStarted = false
        /// Whether the transfer waits for content.
        var isWanted = false
        var wake: (@Sendable () -> Void)?
        var waiting: [(number: Int, continuation: CheckedContinuation<Refusal?, Never>)] = []
        var lastNumber = 0
        var production: Task<Void, Never>?
    }

    /// The parts that wait for the transfer, in order.
    fileprivate struct Parts {
        private var parts: [Data] = []
        private var next = 0
        /// The number of bytes.
        private(set) var count = 0

        var isEmpty: Bool { next == parts.count }

        mutating func append(_ bytes: Data) {
            parts.append(bytes)
            count += bytes.count
        }

        mutating func removeFirst() -> Data? {
            guard next < parts.count else { return nil }
            let bytes = parts[next]
            parts[next] = Data()
            next += 1
            count -= bytes.count
            // Many parts are removed at a time, because each removal moves all remaining parts.
            if isEmpty || next >= 64 {
                parts.removeFirst(next)
                next = 0
            }
            return bytes
        }
    }

    // A higher mark would be slower. With 512 KiB of chunks that one thread allocates and another thread releases, the
    // allocator of glibc continually returns memory to the system. The page faults then double the processor time.
    /// The number of buffered bytes at which a writer begins to wait.
    package static let highMark = 1 << 18
    /// The number of buffered bytes at which waiting writers continue. A low number wakes writers less often.
    fileprivate static let lowMark = 1 << 16

    /// The length in bytes; nil if it is not announced.
    package let length: Int64?
    /// Starts the production. Throws an error if the content cannot be produced.
    private let produce: @Sendable (BodyChannel) throws -> Task<Void, Never>
    private let state = Mutex(State())

    /// - Parameters:
    ///   - length: The length in bytes; nil if it is not announced.
    ///   - produce: Starts the Swift task that writes to the channel. Called when the transfer first asks for content.
    package init(length: Int64?, produce: @escaping @Sendable (BodyChannel) throws -> Task<Void, Never>) {
        self.length = length
        self.produce = produce
    }

    // MARK: For the producer

    /// Adds bytes, and waits until there is room for more.
    package func write(_ bytes: Data) async throws(Refusal) {
        // If the channel was closed, the cancellation is a consequence. So the reason for the closing is more
        // informative.
        if Task.isCancelled { throw state.withLock { $0.refusal } ?? .cancelled }
        let (refusal, wake) = add(bytes)
        wake?()
        if let refusal { throw refusal }
        try await waitForRoom()
    }

    /// The reason why bytes were refused, and the closure that the caller calls afterwards, without a lock.
    package typealias Addition = (refusal: Refusal?, wake: (@Sendable () -> Void)?)

    /// Adds bytes, even if there is no room.
    package func add(_ bytes: Data) -> Addition { state.withLock { $0.add(bytes, length: length) } }

    /// Waits until there is room for more bytes.
    package func waitForRoom() async throws(Refusal) {
        guard let number = state.withLock({ $0.place() }) else { return }
        let refusal = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now: Refusal?? = state.withLock { state in
                    if let refusal = state.refusal { return .some(refusal) }
                    guard state.parts.count >= Self.highMark, !Task.isCancelled else {
                        return .some(Task.isCancelled ? .cancelled : nil)
                    }
                    state.waiting.append((number, continuation))
                    return nil
                }
                if let now { continuation.resume(returning: now) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0).continuation }
            }
            waiter?.resume(returning: .cancelled)
        }
        if let refusal { throw refusal }
    }

    /// Ends the content.
    /// - Parameter trailers: The lines of the trailer section. Default: none.
    package func finish(trailers: [String] = []) throws(Refusal) {
        let (refusal, wake) = state.withLock { $0.finish(trailers, length: length) }
        wake?()
        if let refusal { throw refusal }
    }

    /// Ends the content with an error, which makes the request fail. Has no effect after the end of the content.
    package func fail(_ error: any Error) {
        let wake = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.end == nil, state.refusal == nil else { return nil }
            state.end = .failed(error)
            return state.wake
        }
        wake?()
    }

    // MARK: For the transfer

    /// Sets a closure. It is called when content arrives for which the transfer has waited, or when the production has
    /// failed.
    /// - Parameter allowsTrailers: Whether trailers can be sent.
    func attach(allowsTrailers: Bool, wake: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.allowsTrailers = allowsTrailers
            state.wake = wake
        }
    }

    /// Takes the next bytes. The first call starts the production.
    func take() -> Step {
        var (step, writers) = state.withLock { $0.take() }
        for writer in writers { writer.resume(returning: nil) }
        if case .wait = step, state.withLock({ $0.start() }) {
            do {
                let task = try produce(self)
                let isRefused = state.withLock { state in
                    if state.end == nil, state.refusal == nil { state.production = task }
                    return state.refusal != nil
                }
                if isRefused { task.cancel() }
            } catch {
                state.withLock { $0.end = .failed(error) }
                step = .fail(error)
            }
        }
        return step
    }

    /// Takes the next bytes. If there are none, blocks the thread until bytes arrive. Used without
    /// ``attach(allowsTrailers:wake:)``, and by only one thread at a time.
    package func takeBlocking() -> Step {
        let arrival = DispatchSemaphore(value: 0)
        attach(allowsTrailers: false) { arrival.signal() }
        while true {
            let step = take()
            guard case .wait = step else { return step }
            arrival.wait()
        }
    }

    /// The error of the production; nil if there is none.
    var failure: (any Error)? {
        state.withLock { if case .failed(let error) = $0.end { error } else { nil } }
    }

    /// Whether all of the content was taken, or the transfer has not asked for content yet.
    var isAtRest: Bool {
        state.withLock { state in
            guard state.hasStarted else { return true }
            if case .finished = state.end { return state.parts.isEmpty }
            return false
        }
    }

    /// The number of writers that wait for room.
    package var waiterCount: Int { state.withLock { $0.waiting.count } }

    /// The lines of the trailer section.
    var trailers: [String] {
        state.withLock { if case .finished(let trailers) = $0.end { trailers } else { [] } }
    }

    /// Ends the channel, so that the rest of the content is not sent. A producer that waits continues with an error.
    /// Its Swift task is cancelled unless it has finished the content.
    package func close(_ refusal: Refusal = .transferEnded) {
        let (wake, writers, production, dropped) = state.withLock { $0.close(refusal) }
        for writer in writers { writer.resume(returning: refusal) }
        production?.cancel()
        wake?()
        withExtendedLifetime(dropped) {}
    }
}

extension BodyChannel.State {
    typealias Writer = CheckedContinuation<BodyChannel.Refusal?, Never>

    /// Adds bytes. Returns the reason why they are refused, and the closure to call.
    fileprivate mutating func add(
        _ bytes: Data,
        length: Int64?
    ) -> BodyChannel.Addition {
        if let refusal { return (refusal, nil) }
        guard end == nil else { return (.contentEnded, nil) }
        guard !bytes.isEmpty else { return (nil, nil) }
        written += Int64(bytes.count)
        var bytes = bytes
        if let length {
            guard written <= length else { return fail(.tooLong(length: length)) }
            if written == length {
                lastByte = bytes.suffix(1)
                bytes = bytes.dropLast()
            }
        }
        if bytes.isEmpty { return (nil, nil) }
        parts.append(bytes)
        return (nil, takeWake())
    }

    fileprivate mutating func finish(
        _ trailers: [String],
        length: Int64?
    ) -> BodyChannel.Addition {
        if let refusal { return (refusal, nil) }
        guard end == nil else { return (.contentEnded, nil) }
        if let length, written < length { return fail(.tooShort(written, length: length)) }
        guard trailers.isEmpty || allowsTrailers else { return fail(.trailersNotPossible) }
        if let lastByte { parts.append(lastByte) }
        end = .finished(trailers: trailers)
        return (nil, takeWake())
    }

    private mutating func fail(_ refusal: BodyChannel.Refusal) -> BodyChannel.Addition {
        end = .failed(refusal)
        return (refusal, wake)
    }

    private mutating func takeWake() -> (@Sendable () -> Void)? {
        guard isWanted else { return nil }
        isWanted = false
        return wake
    }

    /// Returns the number of a writer that has to wait; nil if there is room.
    fileprivate mutating func place() -> Int? {
        guard parts.count >= BodyChannel.highMark else { return nil }
        lastNumber += 1
        return lastNumber
    }

    fileprivate mutating func take() -> (BodyChannel.Step, [Writer]) {
        if let refusal { return (.fail(refusal), []) }
        if case .failed(let error) = end { return (.fail(error), []) }
        guard let bytes = parts.removeFirst() else {
            if end != nil { return (.end, []) }
            isWanted = true
            return (.wait, [])
        }
        return (.bytes(bytes), parts.count <= BodyChannel.lowMark ? takeWriters() : [])
    }

    /// Returns whether the production has to be started now.
    fileprivate mutating func start() -> Bool {
        defer { hasStarted = true }
        return !hasStarted && refusal == nil
    }

    fileprivate mutating func takeWriters() -> [Writer] {
        guard !waiting.isEmpty else { return [] }
        defer { waiting = [] }
        return waiting.map(\.continuation)
    }

    fileprivate mutating func close(
        _ refusal: BodyChannel.Refusal
    ) -> (wake: (@Sendable () -> Void)?, [Writer], Task<Void, Never>?, BodyChannel.Parts) {
        guard self.refusal == nil else { return (nil, [], nil, BodyChannel.Parts()) }
        self.refusal = refusal
        let wake = wake.take()
        let dropped = parts
        parts = BodyChannel.Parts()
        // Several tasks may write, so some of them may still wait although the content is finished.
        let writers = takeWriters()
        if case .finished = end { return (wake, writers, nil, dropped) }
        return (wake, writers, production.take(), dropped)
    }
}

extension BodyChannel.Refusal {
    /// The reason as one sentence.
    package var sentence: String {
        switch self {
        case .answered(let status):
            "The response has the status \(status), so the rest of the content is not sent."
        case .transferEnded: "The transfer has ended, so the rest of the content is not sent."
        case .contentEnded: "The content has ended already: nothing can be written after it."
        case .tooLong(let length): "The content has more than the \(length) bytes that were announced."
        case .tooShort(let count, let length): "The content ended after \(count) of \(length) bytes."
        case .trailersNotPossible:
            "Trailers can be sent only in chunks over HTTP/1.1: name them when the body is created."
        case .cancelled: "The task that writes the content was cancelled."
        }
    }
}
