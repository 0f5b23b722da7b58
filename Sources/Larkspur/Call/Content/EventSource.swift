import HTTPSyntax

/// The server-sent events of a URL, as they arrive (WHATWG HTML, section 9.2).
///
///     for try await event in manager.events("updates") {
///         print(event.type, event.data)
///     }
///
/// ``SessionManager/events(_:method:parameters:body:headers:options:idleTimeout:reconnection:)`` connects again
/// after the connection has ended or was lost. If an event had an ID, the new request has it in the field
/// `Last-Event-ID`. A response with the status 204 ends the sequence. For any other status except 200, the error is
/// `unacceptableStatusCode`. For another content type than `text/event-stream`, the error is `unacceptableContentType`.
/// Both errors have the response. If a line or an event's data is longer than 1 MiB, the error is `contentTooLarge`. An
/// ID of more than 4 KiB is ignored. A second loop begins a new stream.
///
/// ``DataTask/events`` returns the events of a single connection, which can be iterated once.
///
/// With the transport `.curl`, a slow reader makes the server wait; about 1 MiB is buffered. `.foundation` on Linux
/// cannot make the server wait: a reader that is more than 16 MiB behind ends the sequence with the error
/// `contentTooLarge`. Leaving the loop cancels the connection. Cancelling the surrounding `Task` ends the loop
/// immediately with the code `cancelled`, also during a delay. At the deadline of a surrounding
/// ``withTimeout(total:clock:isolation:_:)`` the loop ends with the code `timedOut`.
public struct EventSource: AsyncSequence, Sendable {
    /// The default time without a byte after which a connection counts as lost: 300 seconds.
    ///
    /// Servers keep an idle connection open with a comment, usually every 15 seconds.
    package static let defaultTimeout: Duration = .seconds(300)

    /// The closure that returns the source of a connection's content. It gets the ID of the last event.
    let connection: @Sendable (_ lastEventID: String) -> StreamedCall
    /// The ID of the last event of an earlier stream.
    let lastEventID: String
    let schedule: ReconnectionSchedule
    /// The clock that measures the delays.
    let clock: any Clock<Duration>
    /// The decoder of the events' data, if the caller passes none.
    let decoder: any DataDecoder
    let opened = Opened()

    /// Creates the iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// An iterator over events. It connects when the first event is requested.
    public struct Iterator: AsyncIteratorProtocol {
        private let source: EventSource
        private var parser: EventStreamParser
        private var schedule: ReconnectionSchedule
        private var reader: ResponseReader?
        private var hasEnded = false

        init(_ source: EventSource) {
            self.source = source
            parser = EventStreamParser(lastEventID: source.lastEventID)
            schedule = source.schedule
        }

        /// Returns the next event; nil at the end.
        /// - Throws: ``LarkspurError`` if the stream fails and is not connected again. Its code is `cancelled` after a
        ///   cancellation.
        public mutating func next() async throws(LarkspurError) -> ServerSentEvent? { try await next(isolation: nil) }

        /// Returns the next event; nil at the end.
        /// - Parameter actor: The caller's actor.
        /// - Throws: ``LarkspurError`` if the stream fails and is not connected again. Its code is `cancelled` after a
        ///   cancellation.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(LarkspurError) -> ServerSentEvent? {
            guard !hasEnded else { return nil }
            do throws(LarkspurError) {
                repeat {
                    // After a cancellation, events that have arrived already are not delivered.
                    if Task.isCancelled { throw ReconnectionSchedule.cancelled }
                    if let event = try parser.next() { return event }
                } while try await receive(isolation: actor)
            } catch {
                throw end(with: error)
            }
            end()
            return nil
        }

        /// Ends the sequence, and returns the task of its connection; nil if there is none.
        @discardableResult
        mutating func end() -> DataTask? {
            hasEnded = true
            parser = EventStreamParser()
            return reader.take()?.task
        }

        /// Ends the sequence with an error, which gets the request and the response of the connection.
        mutating func end(with error: LarkspurError) -> LarkspurError {
            end().map { error.filled(request: $0.currentRequest, response: $0.response, responseData: nil) } ?? error
        }

        /// Receives the next chunk of content, or waits for the next connection.
        /// - Returns: False at the end of the sequence.
        private mutating func receive(isolation actor: isolated (any Actor)?) async throws(LarkspurError) -> Bool {
            var failure: LarkspurError?
            do throws(LarkspurError) {
                if reader == nil {
                    reader = try await connect(isolation: actor)
                    if reader == nil { return false }
                }
                if let chunk = try await reader?.next() {
                    if !chunk.isEmpty { schedule.noteContent() }
                    parser.append(chunk)
                    return true
                }
            } catch {
                failure = error
            }
            guard let delay = try schedule.nextDelay(after: failure, retry: parser.retry) else { return false }
            // The release of the reader cancels its connection.
            reader = nil
            parser.restart()
            try await ReconnectionSchedule.sleep(for: delay, on: source.clock)
            return true
        }

        /// Connects, and waits for the head of the response. Returns nil if the server has no events.
        private func connect(isolation actor: isolated (any Actor)?) async throws(LarkspurError) -> ResponseReader? {
            let connection = source.opened.take() ?? source.connection(parser.lastEventID)
            let reader = connection.takeReader()
            let head = try await reader.head()
            let response = head ?? connection.task.response
            if (response as? HTTPURLResponse)?.statusCode == 204 { return nil }
            // The validation accepts any content type if there is no content. With one byte in place of the content, it
            // checks the type of the event stream.
            if head == nil { try connection.validation.validate(response, data: Data([0])) }
            return reader
        }
    }
}

@available(*, unavailable)
extension EventSource.Iterator: Sendable {}

extension EventSource {
    /// Returns the values that are decoded from the data of the events, up to an event whose data is the sentinel.
    ///
    ///     let chat = manager.post("chat/completions", body: .json(question))
    ///     for try await chunk in chat.events.decoded(as: JSONValue.self, until: "[DONE]") {
    ///         print(chunk["choices"][0]["delta"]["content"].string ?? "")
    ///     }
    ///
    /// The types and IDs of the events are ignored. If the events end before the sentinel, the sequence ends without an
    /// error, because some servers do not send the sentinel. If a value cannot be decoded, the error is
    /// `responseSerializationFailed`.
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - sentinel: The data of the event that ends the sequence and its connection. Default: nil, for the end of the
    ///     events.
    ///   - decoder: The decoder of the data. Default: the manager's `jsonDecoder`, as it was when the call was made.
    public func decoded<Value: Decodable & Sendable>(
        as type: Value.Type,
        until sentinel: String? = nil,
        decoder: (any DataDecoder)? = nil
    ) -> ContentElements<Value> {
        let decoder = decoder ?? self.decoder
        return ContentElements { [self] in
            EventValueReader(events: makeAsyncIterator(), sentinel: sentinel, decoder: decoder)
        }
    }
}

/// The values of server-sent events, until the sentinel.
private struct EventValueReader<Element: Decodable & Sendable>: ElementReader {
    var events: EventSource.Iterator
    let sentinel: String?
    let decoder: any DataDecoder

    mutating func next(isolation actor: isolated (any Actor)?) async throws(LarkspurError) -> Element? {
        guard let event = try await events.next(isolation: actor) else { return nil }
        if event.data == sentinel {
            events.end()
            return nil
        }
        do throws(LarkspurError) {
            return try DecodableResponseSerializer<Element>(decoder: decoder)
                .serialize(Data(event.data.utf8), response: nil)
        } catch {
            throw events.end(with: error)
        }
    }
}

extension DataTask {
    /// The server-sent events of the response, as they arrive. Iterating starts the call.
    ///
    ///     for try await event in manager.post("chat", body: .json(question)).events {
    ///         print(event.type, event.data)
    ///     }
    ///
    /// There is a single connection. The sequence ends when the connection ends. If the connection fails, the sequence
    /// throws its error. The connection counts as lost (`timedOut`) if no byte arrives for 300 seconds, or for the time
    /// that ``SessionTask/timeout(total:response:idle:connect:connectionWait:attempt:)`` sets for the call. The request
    /// gets the fields `Accept: text/event-stream` and `Cache-Control: no-store`, unless the call or the manager has
    /// set other values.
    public var events: EventSource { events(idleTimeout: EventSource.defaultTimeout) }

    /// Returns the server-sent events of the response, as they arrive. Iterating starts the call. In all other respects
    /// the sequence is like ``events``.
    /// - Parameter idleTimeout: The time without a byte after which the connection counts as lost; nil for no limit. It
    ///   replaces the limits of the request, the manager and the session.
    public func events(idleTimeout: Duration?) -> EventSource {
        let source = StreamedCall(task: self, eventStream: EventStreamRequest(timeout: idleTimeout))
        return EventSource(
            connection: { _ in source },
            lastEventID: "",
            schedule: ReconnectionSchedule(.never, method: originalRequest?.httpMethod),
            clock: environment.settings.clock,
            decoder: source.jsonDecoder
        )
    }
}

/// The properties of the request for an event stream.
struct EventStreamRequest: Sendable {
    /// The fields that the request gets if it does not have them.
    static let headers: HTTPHeaders = ["Accept": "text/event-stream", "Cache-Control": "no-store"]
    /// The rules for an acceptable response: an event stream, or the status 204 for no events.
    static let validation = ResponseValidation(
        acceptableStatusCodes: [200, 204],
        acceptableContentTypes: ["text/event-stream"]
    )

    /// The time without a byte after which the connection counts as lost; nil for no limit.
    let timeout: Duration?

    /// Returns a request with the fields and properties of a request for an event stream.
    func prepared(_ request: URLRequest) -> URLRequest {
        var request = request
        request.setFields(Self.headers, keepsOwn: true)
        request.timeoutInterval = timeout?.timeInterval ?? .infinity
        request.cachePolicy = .reloadIgnoringLocalCacheData
        return request
    }
}
