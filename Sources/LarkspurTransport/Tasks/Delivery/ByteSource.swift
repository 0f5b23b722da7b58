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
#endif
