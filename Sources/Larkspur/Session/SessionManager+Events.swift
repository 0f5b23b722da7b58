/// Server-sent events.
extension SessionManager {
    /// Receives server-sent events, and connects again when the connection is lost.
    ///
    ///     for try await event in manager.events("updates") {
    ///         print(event.event, event.data)
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
    ///   - timeout: The time after which a connection counts as lost if no byte arrives; nil for no limit. It replaces
    ///     the limits of ``requestSettings``, ``timeouts`` and the session, and includes the time for connecting.
    ///     Default: ``EventSource/defaultTimeout``, 300 seconds.
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
        timeout: Duration? = EventSource.defaultTimeout,
        reconnection: Reconnection = .automatic
    ) -> EventSource {
        var fields = EventStreamRequest.headers
        fields.merge(headers ?? HTTPHeaders())
        let plan = plan(RequestDraft(method, url, parameters, body, fields).encoded(by: options))
        let stream = EventStreamRequest(timeout: timeout)
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
            clock: clock
        )
    }
}
