extension Platform {
    /// Keeps content from counting as consumed until what is returned is let go of; to be called where it is delivered.
    /// Nil where a transport delivers whatever comes.
    static func hold(_ count: Int, of task: URLSessionTask) -> (any Sendable)? {
        #if canImport(FoundationNetworking)
        task.holdContent(count)
        #else
        nil
        #endif
    }
}
