/// Server-sent events, and other streams that are connected again.
extension SessionManager {
    /// Receives server-sent events, and connects again when the connection is lost.
    ///
    ///     for try await event in manager.events("updates") {
    ///         print(event.type, event.data)
    ///     }
    ///
    /// The request is built once. Each connection is a separate task, to which the interceptors and hooks of the
    /// manager apply. Each request has the fields `Accept: text/event-stream` and `Cache-Control: no-store`. If an
    /// event had an ID, the next request also has `Last-Event-ID`. `headers` may replace the first two fields, and may
    /// contain the `Last-Event-ID` of an earlier stream. During the delays between connections the call is not in the
    /// ``completionGroup``.
    /// - Parameters:
    ///   - url: The URL of the stream, or a reference that is resolved against ``baseURL``, such as `"updates"`.
    ///   - method: The method. Default: GET.
    ///   - parameters: Names and values. They become the query for GET, HEAD and DELETE, and the content for other
    ///     methods. Default: none.
    ///   - body: The content of the request. Default: none.
    ///   - headers: Fields of each connection. They replace fields of ``headers`` with the same name. Default: none.
    ///   - options: Hooks, interceptors, progress and other settings of each connection. Default: the settings of the
    ///     manager.
    ///   - idleTimeout: The time without a byte after which a connection counts as lost; nil for no limit. It replaces
    ///     the idle limits of ``requestSettings``, ``timeouts`` and the session, and includes the time for connecting.
    ///     Default: 300 seconds.
    ///   - reconnection: The rules by which the stream is connected again. Default:
    ///     ``Reconnection/automatic``, which connects GET requests again.
    /// - Returns: The events. The request is sent when the first event is requested. If the request could not be built,
    ///   the sequence throws `invalidURL`, `invalidMethod`, `invalidHeaderField` or `parameterEncodingFailed`.
    public func events(
        _ url: any RequestTarget,
        method: HTTPMethod = .get,
        parameters: Parameters? = nil,
        body: RequestBody? = nil,
        headers: HTTPHeaders? = nil,
        options: CallOptions? = nil,
        idleTimeout: Duration? = .seconds(300),
        reconnection: Reconnection = .automatic
    ) -> EventSource {
        var fields = EventStreamRequest.headers
        fields.merge(headers ?? HTTPHeaders())
        let plan = plan(RequestDraft(method, url, parameters, body, fields).encoded(by: options))
        let stream = EventStreamRequest(timeout: idleTimeout)
        return EventSource(
            connection: { [self] lastEventID in
                let plan = plan.mapRequest { request in
                    var request = request
                    // If there is no ID, the field is not sent (WHATWG HTML, section 9.2).
                    request.setValue(lastEventID.isEmpty ? nil : lastEventID, forHTTPHeaderField: "Last-Event-ID")
                    return request
                }
                return StreamedCall(task: chain(plan, options), eventStream: stream)
            },
            lastEventID: fields["Last-Event-ID"] ?? "",
            schedule: ReconnectionSchedule(reconnection, method: method.rawValue),
            clock: clock,
            decoder: jsonDecoder
        )
    }

    /// Receives the elements of a stream, such as JSON in lines. After the end of a connection, requests the stream
    /// again, to continue after the last element.
    ///
    ///     let changes = manager.reconnecting { last in
    ///         manager.get("changes", parameters: ["since": last?.version ?? version]).decoded(as: Change.self)
    ///     }
    ///     for try await change in changes { print(change.name) }
    ///
    /// Only server-sent events have IDs by which a server knows where to continue. For any other content, the closure
    /// `connect` makes a request that continues after the last element. If the server cannot continue there, elements
    /// may be received twice or lost.
    /// - Parameters:
    ///   - reconnection: The rules by which the stream is connected again. All rules but ``Reconnection/never`` apply
    ///     to requests with any method, because the closure makes each request. Default: ``Reconnection/automatic``.
    ///   - connect: A closure that returns the elements of the next connection, such as ``DataTask/lines`` or
    ///     ``DataTask/decoded(as:decoder:)``; nil to end the sequence. It gets the last element that was received; nil
    ///     if there is none. It runs in the task that iterates.
    /// - Returns: The elements of all connections. The first request is sent when the first element is requested.
    public func reconnecting<Stream: AsyncSequence & Sendable>(
        by reconnection: Reconnection = .automatic,
        _ connect: @escaping @Sendable (_ last: Stream.Element?) -> Stream?
    ) -> ReconnectingSequence<Stream> where Stream.Element: Sendable, Stream.Failure == LarkspurError {
        ReconnectingSequence(
            connect: connect,
            schedule: ReconnectionSchedule(reconnection, method: nil),
            clock: clock
        )
    }
}
