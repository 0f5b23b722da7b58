import Synchronization

/// The head of a response before its content, for `async` code.
///
///     let (head, content) = try await manager.post("speech", body: .writer(speak)).open()
///     for try await chunk in content { print(chunk.count) }
extension DataTask {
    /// Starts the call, and waits for the head of the response: its status and its header fields.
    ///
    /// With the transport `.curl`, the content of the request may still be sent while the response is read. Neither
    /// direction waits for the other: a slow reader does not stop the sending, and a slow writer does not stop the
    /// reading. If a reader pauses while content of the request is sent, more than the usual 1 MiB may be buffered:
    ///
    /// - Over HTTP/1.1, some versions of libcurl (8.12.1, 8.14.1 and 8.16.0, but neither 7.88.1 nor 8.23.0) collect up
    ///   to 64 MiB themselves.
    /// - Over HTTP/2, the end of the request can need a window update of the server, so up to 32 MiB are read ahead.
    ///   libcurl 8.17 and later (seen with 8.23.0) reads no window updates while a reader pauses. With these versions
    ///   such a call goes by HTTP/1.1, unless `http2` is `.always`.
    ///
    /// The head of a response with any status is returned, unless the call has rules: after `validate(statusCode:)`, a
    /// response that is not acceptable ends the call with an error. If the call has interceptors, a response with a
    /// status other than 200 to 299 is held, with its content, until the interceptors have returned, because they may
    /// send the request again. If more than 1 MiB of this content arrives, the call ends with the error
    /// `contentTooLarge`. Once a head has been returned, the request is not sent again.
    /// - Returns: The head, and the content as it arrives. If the content is released before it was read to its end,
    ///   the call is cancelled.
    /// - Throws: ``LarkspurError`` if the call fails before there is a head. Its code is `cancelled` after a
    ///   cancellation of the task or of the surrounding `Task`.
    public func open() async throws(LarkspurError) -> (head: HTTPURLResponse, content: ContentChunks) {
        let content = ContentChunks(source: StreamedCall(task: self, acceptsAll: true))
        return (try await content.head, content)
    }

    /// Starts the call, passes the head and the content of the response to a closure, and waits for the end of the
    /// call.
    ///
    /// In all other respects the method is like ``open()``. If the closure throws an error, or returns before it has
    /// read the content to its end, the call is cancelled. If the closure has read the content to its end, the method
    /// waits until the content of the request has been sent, too.
    /// - Parameters:
    ///   - actor: The caller's actor. Default: the actor on which the caller runs.
    ///   - body: A closure that gets the head, and the content as it arrives.
    /// - Returns: The value that the closure returns.
    /// - Throws: The error of the closure. ``LarkspurError`` if the call fails before there is a head, or after all of
    ///   the content was read. Its code is `cancelled` after a cancellation of the surrounding `Task`.
    public func open<Value: Sendable>(
        isolation actor: isolated (any Actor)? = #isolation,
        _ body: (_ head: HTTPURLResponse, _ content: ContentChunks) async throws -> Value
    ) async throws -> Value {
        let (head, content) = try await open()
        do {
            let value = try await body(head, content)
            if content.source.isComplete {
                try await end()
            } else {
                cancel()
                try? await end()
            }
            return value
        } catch {
            cancel()
            try? await end()
            throw error
        }
    }

    /// Waits for the end of a call whose content goes to a sequence.
    private func end() async throws(LarkspurError) {
        let response: DataResponse<Int64> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                add(CountHandler { continuation.resume(returning: $0) })
            }
        } onCancel: {
            cancel()
        }
        if let error = response.error { throw error }
    }
}

extension ContentChunks {
    /// The head of the response: its status and its header fields. Reading the property starts the call.
    /// - Throws: ``LarkspurError`` if the call fails before there is a head, or its response is not acceptable. Its
    ///   code is `cancelled` after a cancellation.
    public var head: HTTPURLResponse {
        get async throws(LarkspurError) { try await source.head() }
    }

    /// The trailers of the response: the fields that follow its content (RFC 9110, section 6.5). Nil before all of
    /// the content has arrived, and if there are none. They are never merged into the header fields.
    public var trailers: HTTPHeaders? { source.task.trailers }

    /// The content line by line. The content can be iterated once, in one of its forms.
    public var lines: ContentElements<String> { source.lines }

    /// Returns the values of content that is JSON in lines (NDJSON). The content can be iterated once, in one of its
    /// forms.
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - decoder: The decoder of the lines. Default: the manager's `jsonDecoder`, as it was when the call was made.
    public func decoded<T: Decodable & Sendable>(
        as type: T.Type,
        decoder: (any DataDecoder)? = nil
    ) -> ContentElements<T> {
        source.values(decoder: decoder)
    }

    /// The server-sent events of the content, for a server that decides between events and other content. The content
    /// can be iterated once, in one of its forms. There is a single connection, and the content type is not checked.
    public var events: EventSource {
        EventSource(
            connection: { [source] _ in source },
            lastEventID: "",
            schedule: ReconnectionSchedule(.never, method: nil),
            clock: source.task.environment.settings.clock,
            decoder: source.jsonDecoder
        )
    }

    /// Reads the content to its end.
    /// - Parameter limit: The maximum number of bytes.
    /// - Returns: The content.
    /// - Throws: ``LarkspurError`` if the call fails, or the content is incomplete. Its code is `contentTooLarge` if
    ///   there are more bytes than the limit, and `cancelled` after a cancellation. After an error, the call is
    ///   cancelled.
    public func collect(upTo limit: Int) async throws(LarkspurError) -> Data {
        let reader = source.takeReader()
        var content = Data()
        while let chunk = try await reader.next() {
            guard content.count + chunk.count <= limit else {
                throw reader.end(
                    with: LarkspurError(
                        .contentTooLarge,
                        "The content has more than the \(limit) bytes that may be collected.",
                        request: source.task.originalRequest,
                        response: source.task.response
                    )
                )
            }
            content.append(chunk)
        }
        return content
    }
}

extension EventSource {
    /// The head of the first response: its status and its header fields. Reading the property connects; the next loop
    /// uses this connection.
    /// - Throws: ``LarkspurError`` if the connection fails before there is a head, or its response is not acceptable.
    ///   Its code is `cancelled` after a cancellation.
    public var head: HTTPURLResponse {
        get async throws(LarkspurError) {
            try await opened.connection { connection(lastEventID) }.head()
        }
    }

    /// A connection that was opened before the iteration.
    final class Opened: Sendable {
        private let source = Mutex<StreamedCall?>(nil)

        /// Returns the connection. If there is none, makes it.
        func connection(_ make: () -> StreamedCall) -> StreamedCall {
            if let known = source.withLock({ $0 }) { return known }
            let made = make()
            return source.withLock { source in
                if let known = source { return known }
                source = made
                return made
            }
        }

        /// Takes the connection; nil if there is none.
        func take() -> StreamedCall? { source.withLock { $0.take() } }
    }
}
