/// A value that reports its changes to a closure on a queue and to streams. The owner of the value protects it with a
/// lock, so that reports have the order of the changes. None of its methods runs code of observers.
package struct ObservedValue<Value: Sendable & Equatable>: Sendable {
    package typealias Handler = @Sendable (Value) -> Void

    /// The maximum number of changes that a stream buffers for a slow consumer. Beyond this number, the oldest changes
    /// are dropped.
    package static var streamCapacity: Int { 100 }

    package private(set) var value: Value
    /// The queue on which the handler runs.
    private var queue: DispatchQueue
    private var handler: Handler?
    private var streams: [Int: AsyncStream<Value>.Continuation] = [:]
    private var nextStream = 0

    package init(_ value: Value, queue: DispatchQueue) {
        self.value = value
        self.queue = queue
    }

    /// - Parameter queue: The queue on which the handler runs; nil to keep the current queue.
    /// - Returns: The previous handler. The caller releases it outside the lock, because it may own objects whose
    ///   deinitializers call the owner.
    package mutating func setHandler(on queue: DispatchQueue?, _ handler: Handler?) -> Handler? {
        self.queue = queue ?? self.queue
        return exchange(&self.handler, with: handler)
    }

    /// Sets the value. A value that is equal to the previous one is not reported.
    /// - Parameter afterwards: A closure that runs on the handler's queue, after the handler.
    package mutating func set(_ value: Value, afterwards: Handler? = nil) {
        guard value != self.value else { return }
        self.value = value
        for stream in streams.values { stream.yield(value) }
        guard handler != nil || afterwards != nil else { return }
        // The current handler gets the value, even if it is replaced before the queue runs.
        queue.async { [handler] in
            handler?(value)
            afterwards?(value)
        }
    }

    /// Adds a stream, which begins with the current value.
    package mutating func add(_ stream: AsyncStream<Value>.Continuation) -> Int {
        nextStream += 1
        streams[nextStream] = stream
        stream.yield(value)
        return nextStream
    }

    package mutating func remove(_ stream: Int) { streams[stream] = nil }

    /// Removes and returns all streams. The caller finishes them outside the lock, because finishing a stream calls the
    /// stream's termination handler.
    package mutating func takeStreams() -> [AsyncStream<Value>.Continuation] {
        defer { streams = [:] }
        return Array(streams.values)
    }
}
