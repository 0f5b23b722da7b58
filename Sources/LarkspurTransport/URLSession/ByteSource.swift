#if canImport(FoundationNetworking)
/// The content of a response, in the chunks in which it arrives.
protocol ByteSource: Sendable {
    /// Returns the next chunk, which may be empty. At the end, and in all later calls, returns nil.
    ///
    /// Only one task at a time may call this method.
    func next() async throws -> Data?

    /// Ends the transfer, and a pending call of `next()`. May be called on any thread, more than once, and after the
    /// end of the content.
    func cancel()
}

/// The content that a task passes to a channel.
struct ChannelSource: ByteSource {
    private let channel: ResponseChannel<any Error>
    private let task: URLSessionTask

    init(_ channel: ResponseChannel<any Error>, _ task: URLSessionTask) {
        self.channel = channel
        self.task = task
    }

    func next() async throws -> Data? { try await channel.next() }

    func cancel() { task.cancel() }
}
#endif
