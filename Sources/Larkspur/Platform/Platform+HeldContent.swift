extension Platform {
    /// Returns an object that keeps content from counting as consumed until the object is released. Call it where the
    /// content is delivered. Nil for a transport that does not limit the content it delivers.
    static func hold(_ count: Int, of task: URLSessionTask) -> (any Sendable)? {
        #if canImport(FoundationNetworking)
        task.holdContent(count)
        #else
        nil
        #endif
    }
}
