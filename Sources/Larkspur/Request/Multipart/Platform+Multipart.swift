extension Platform {
    /// Creates the stream of a form, unopened.
    /// - Parameters:
    ///   - form: The form.
    ///   - onFailure: A closure that is called with the error of the stream, before the code that reads gets the error.
    ///     It runs on the thread that reads.
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
