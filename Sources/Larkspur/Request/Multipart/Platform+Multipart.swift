extension Platform {
    /// Creates the stream of a form, unopened.
    /// - Parameters:
    ///   - form: The form.
    ///   - onFailure: A closure that is called with the error if the content cannot be read. It is called within `open`
    ///     or `read` of the stream, on the thread of the caller. On Apple platforms, it is called on the thread that
    ///     fills the stream.
    static func makeMultipartStream(
        of form: MultipartFormData,
        onFailure: @escaping @Sendable (LarkspurError) -> Void
    ) -> InputStream {
        #if canImport(FoundationNetworking)
        MultipartInputStream(form, onFailure: onFailure)
        #else
        makeBoundStream(onFailure: onFailure) { () throws(LarkspurError) in MultipartReader(form) }
        #endif
    }

    /// Creates the stream of a reader, unopened.
    /// - Parameters:
    ///   - onFailure: The same as for ``makeMultipartStream(of:onFailure:)``.
    ///   - makeReader: A closure that creates the reader when the stream is opened.
    static func makeStream(
        onFailure: @escaping @Sendable (LarkspurError) -> Void,
        makeReader: @escaping @Sendable () throws(LarkspurError) -> any BlockingReader
    ) -> InputStream {
        #if canImport(FoundationNetworking)
        ReaderInputStream(onFailure: onFailure, makeReader: makeReader)
        #else
        makeBoundStream(onFailure: onFailure, makeReader: makeReader)
        #endif
    }

    /// Creates the same stream again, from its beginning. Returns nil if it is not the stream of a form.
    static func remade(
        _ stream: InputStream?,
        onFailure: @escaping @Sendable (LarkspurError) -> Void
    ) -> InputStream? {
        #if canImport(FoundationNetworking)
        (stream as? MultipartInputStream).map { makeMultipartStream(of: $0.form, onFailure: onFailure) }
        #else
        nil
        #endif
    }
}
