#if canImport(FoundationNetworking)
/// The content of a response, in the pieces in which it arrives.
protocol ByteSource: Sendable {
    /// The next piece, which may be empty; nil at the end, and at each later call.
    ///
    /// Called by one task at a time.
    func next() async throws -> Data?

    /// Ends the transfer, and a call of `next()` that waits with it. May be called at any time, on any thread, more
    /// than once and after the end.
    func cancel()
}
#endif
