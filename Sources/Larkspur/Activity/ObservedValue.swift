/// A value of which others hear when it changes: a closure on a queue, and streams. It belongs behind the lock of its
/// owner, so that what is heard has the order of the changes; none of its methods runs code of others.
struct ObservedValue<Value: Sendable & Equatable>: Sendable {
    typealias Handler = @Sendable (Value) -> Void

    /// How many changes a stream keeps for a consumer that does not keep up; then the oldest are dropped.
    static var streamCapacity: Int { 100 }

    private(set) var value: Value
    /// Where the handler runs.
    private var queue: DispatchQueue
    private var handler: Handler?
    private var streams: [Int: AsyncStream<Value>.Continuation] = [:]
    private var nextStream = 0

    init(_ value: Value, queue: DispatchQueue) {
        self.value = value
        self.queue = queue
    }

    /// - Parameter queue: Where the handler runs; nil leaves it where it is.
    /// - Returns: The handler that was there, to be released without the lock: objects may end with it that call the
    ///   owner.
    mutating func setHandler(on queue: DispatchQueue?, _ handler: Handler?) -> Handler? {
        self.queue = queue ?? self.queue
        return exchange(&self.handler, with: handler)
    }

    /// Sets the value; nobody hears of one that is equal to the one before.
    /// - Parameter afterwards: Runs on the handler's queue, after the handler.
    mutating func set(_ value: Value, afterwards: Handler? = nil) {
        guard value != self.value else { return }
        self.value = value
        for stream in streams.values { stream.yield(value) }
        guard handler != nil || afterwards != nil else { return }
        queue.async { [handler] in
            handler?(value)
            afterwards?(value)
        }
    }

    /// Adds a stream, which begins with the value that there is now.
    mutating func add(_ stream: AsyncStream<Value>.Continuation) -> Int {
        nextStream += 1
        streams[nextStream] = stream
        stream.yield(value)
        return nextStream
    }

    mutating func remove(_ stream: Int) { streams[stream] = nil }

    /// Takes all streams, which are to be finished without the lock: that calls back.
    mutating func takeStreams() -> [AsyncStream<Value>.Continuation] {
        defer { streams = [:] }
        return Array(streams.values)
    }
}
