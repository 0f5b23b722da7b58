/// The server-sent events of a URL, as they arrive (WHATWG HTML, section 9.2).
///
///     for try await event in manager.events("updates") {
///         print(event.event, event.data)
///     }
///
/// ``SessionManager/events(_:method:parameters:body:headers:options:timeoutInterval:reconnection:)`` connects again
/// after the connection has ended or was lost, with the field `Last-Event-ID` if an event had an ID. A response with
/// the status 204 ends the sequence. Another status than 200 is the error `unacceptableStatusCode`, and another content
/// type than `text/event-stream` the error `unacceptableContentType`, each with the response. A line or an event's data
/// of more than 1 MiB is the error `contentTooLarge`, and an ID of more than 4 KiB is ignored. Iterating again begins a
/// new stream.
///
/// ``DataTask/events`` has the events of one connection, and one iterator.
///
/// With the transport `.curl` the server has to wait while the consumer does not take the next event; about 1 MiB is
/// buffered. `.foundation` on Linux cannot make it wait: there, a consumer that is more than 16 MiB behind ends the
/// sequence with the error `contentTooLarge`. Leaving the loop cancels the connection. Cancelling the surrounding
/// `Task` ends the loop immediately with the code `cancelled`, also during a delay. At the end of
/// ``withDeadline(_:clock:isolation:_:)`` around the loop the error has the code `timedOut`.
public struct EventSource: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = ServerSentEvent
    /// The error that ends the sequence.
    public typealias Failure = LarkspurError

    /// The default of the time without a byte after which a connection counts as lost: 300 seconds.
    ///
    /// Servers keep an idle connection open with a comment, as a rule every 15 seconds.
    public static let defaultTimeoutInterval: TimeInterval = 300

    /// Makes the source of the content of a connection, from the ID of the last event.
    let connection: @Sendable (_ lastEventID: String) -> ContentSource
    /// The ID of the last event of an earlier stream.
    let lastEventID: String
    let schedule: ReconnectionSchedule
    /// The clock of the delays.
    let clock: any Clock<Duration>

    /// Creates the iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// An iterator over events. It connects when the first event is asked for.
    public struct Iterator: AsyncIteratorProtocol {
        private let source: EventSource
        private var parser: EventStreamParser
        private var schedule: ReconnectionSchedule
        private var consumer: ContentConsumer?
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
        /// - Parameter actor: The actor on which the caller runs.
        /// - Throws: ``LarkspurError`` if the stream fails and is not connected again. Its code is `cancelled` after a
        ///   cancellation.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(LarkspurError) -> ServerSentEvent? {
            guard !hasEnded else { return nil }
            do throws(LarkspurError) {
                repeat {
                    if Task.isCancelled { throw Self.cancelled }
                    if let event = try parser.next() { return event }
                } while try await receive(isolation: actor)
            } catch {
                throw end().map { error.filled(request: $0.currentRequest, response: $0.response, responseData: nil) }
                    ?? error
            }
            end()
            return nil
        }

        /// Ends the sequence, and returns the task of its connection, if there is one.
        @discardableResult
        private mutating func end() -> DataTask? {
            hasEnded = true
            parser = EventStreamParser()
            return consumer.take()?.source.task
        }

        /// Receives the next piece of the content, or waits for the next connection.
        /// - Returns: False at the end of the sequence.
        private mutating func receive(isolation actor: isolated (any Actor)?) async throws(LarkspurError) -> Bool {
            var failure: LarkspurError?
            do throws(LarkspurError) {
                if consumer == nil {
                    consumer = try await connect(isolation: actor)
                    if consumer == nil { return false }
                }
                if let piece = try await consumer?.next() {
                    if !piece.isEmpty { schedule.noteContent() }
                    parser.append(piece)
                    return true
                }
            } catch {
                failure = error
            }
            guard let delay = schedule.delay(after: failure, retry: parser.retry) else {
                if let failure = failure ?? schedule.exhaustion { throw failure }
                return false
            }
            let remaining = Deadline.current?.remaining() ?? delay
            guard remaining > .zero else { throw failure ?? CallTimers.error("The deadline of the events is over.") }
            consumer = nil
            parser.restart()
            do {
                try await source.clock.sleep(for: Swift.min(delay, remaining).bounded, tolerance: nil)
            } catch {
                throw Self.cancelled
            }
            return true
        }

        /// Connects, and waits for the head of the response; nil if the server has no events.
        private func connect(isolation actor: isolated (any Actor)?) async throws(LarkspurError) -> ContentConsumer? {
            let consumer = ContentConsumer(source.connection(parser.lastEventID))
            let head = try await consumer.head()
            let task = consumer.source.task
            let response = head ?? task.response
            if (response as? HTTPURLResponse)?.statusCode == 204 { return nil }
            // A response without content is checked by its type too.
            if head == nil { try consumer.source.validation.validate(response, data: Data([0])) }
            return consumer
        }

        private static var cancelled: LarkspurError { LarkspurError(transportError: URLError(.cancelled)) }
    }
}

@available(*, unavailable)
extension EventSource.Iterator: Sendable {}

extension DataTask {
    /// The server-sent events of the response, as they arrive. Iterating starts the call.
    ///
    ///     for try await event in manager.post("chat", body: question).events {
    ///         if event.data == "[DONE]" { break }
    ///         print(event.data)
    ///     }
    ///
    /// There is one connection: its end is the end of the sequence, and its failure is thrown. It counts as lost
    /// (`timedOut`) after ``EventSource/defaultTimeoutInterval`` without a byte, or after the time that
    /// ``SessionTask/timeout(total:firstByte:idle:connect:queue:)`` sets for the call. The request gets the fields
    /// `Accept: text/event-stream` and `Cache-Control: no-store`, unless the call or the manager has given others.
    public var events: EventSource { events(timeoutInterval: EventSource.defaultTimeoutInterval) }

    /// Returns the server-sent events of the response, as they arrive. Iterating starts the call. The sequence has the
    /// properties of ``events``.
    /// - Parameter timeoutInterval: The time in seconds without a byte after which the connection counts as lost, in
    ///   place of that of the request, the manager and the session; `.infinity` for none.
    public func events(timeoutInterval: TimeInterval) -> EventSource {
        let source = ContentSource(task: self, eventStream: EventStreamRequest(timeoutInterval: timeoutInterval))
        return EventSource(
            connection: { _ in source },
            lastEventID: "",
            schedule: ReconnectionSchedule(.never, method: originalRequest?.httpMethod),
            clock: environment.settings.clock
        )
    }
}

/// The request for an event stream.
struct EventStreamRequest: Sendable {
    /// The fields of a request that has not given others.
    static let headers: HTTPHeaders = ["Accept": "text/event-stream", "Cache-Control": "no-store"]
    /// The rules by which a response is an event stream, or says that there is none.
    static let validation = ResponseValidation(
        acceptableStatusCodes: [200, 204],
        acceptableContentTypes: ["text/event-stream"]
    )

    /// The time in seconds without a byte after which the connection counts as lost.
    let timeoutInterval: TimeInterval

    /// Returns a request with the fields and settings of one for an event stream.
    func prepared(_ request: URLRequest) -> URLRequest {
        var request = request
        request.setFields(Self.headers, keepsOwn: true)
        request.timeoutInterval = timeoutInterval
        request.cachePolicy = .reloadIgnoringLocalCacheData
        return request
    }
}
