#if canImport(FoundationNetworking)
/// The content of a response, in the chunks in which it arrives.
protocol ByteSource: Sendable {
    /// Returns the next chunk, which may be empty; nil at the end, and at each later call.
    ///
    /// One task calls it at a time.
    func next() async throws -> Data?

    /// Ends the transfer, and with it a waiting call of `next()`. May be called at any time, on any thread, more than
    /// once and after the end.
    func cancel()
}
#endif
