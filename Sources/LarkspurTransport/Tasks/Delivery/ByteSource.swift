#if canImport(FoundationNetworking)
/// The content of a response, in chunks as they arrive.
protocol ByteSource: Sendable {
    /// Returns the next chunk, which may be empty; nil at the end and from then on.
    ///
    /// Only one task calls it at a time.
    func next() async throws -> Data?

    /// Ends the transfer, and a pending call of `next()`. May be called on any thread, more than once, and after the
    /// end.
    func cancel()
}
#endif
