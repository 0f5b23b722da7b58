/// Server-sent events.
extension SessionManager {
    /// Receives server-sent events, and connects again when the connection is lost.
    ///
    ///     for try await event in manager.events("updates") {
    ///         print(event.event, event.data)
    ///     }
    ///
    /// The request is built once. Each connection is a task of its own, which the interceptors and hooks of the manager
    /// see. It is sent with `Accept: text/event-stream`, `Cache-Control: no-store`, and `Last-Event-ID` if an event had
    /// an ID; `headers` may replace the first two, and name the ID of an earlier stream. ``completionGroup`` is not
    /// entered during the delays between connections.
    /// - Parameters:
    ///   - url: The URL, or a reference that is resolved against ``baseURL``: `"users"` is below it, `"/users"` is at
    ///     the root of its host.
    ///   - method: The method. Default: GET.
    ///   - parameters: Names and values, which become the query or, for other methods than GET, HEAD and DELETE, the
    ///     content. Default: none.
    ///   - body: What is sent as content. Default: none.
    ///   - headers: Fields of this request, which replace those of ``headers`` with the same name. Default: none.
    ///   - options: Hooks, interceptors, progress and other settings of each connection. Default: those of the session
    ///     manager.
    ///   - timeoutInterval: The time in seconds without a byte after which a connection counts as lost, in place of
    ///     that of ``requestSettings``, ``timeouts`` and the session; `.infinity` for none. Connecting counts too.
    ///     Default: 300.
    ///   - reconnection: The rules by which the stream is connected again. Default:
    ///     ``EventSource/Reconnection/automatic``, which connects GET requests again.
    /// - Returns: The events. Nothing is sent before the first one is asked for. If the request could not be built, the
    ///   sequence throws `invalidURL`, `invalidMethod`, `invalidHeaderField` or `parameterEncodingFailed`.
    public func events(
        _ url: any RequestTarget,
        method: HTTPMethod = .get,
        parameters: [String: Any]? = nil,
        body: RequestBody? = nil,
        headers: HTTPHeaders? = nil,
        options: CallOptions? = nil,
        timeoutInterval: TimeInterval = EventSource.defaultTimeoutInterval,
        reconnection: EventSource.Reconnection = .automatic
    ) -> EventSource {
        var fields = EventStreamRequest.headers
        fields.merge(headers ?? HTTPHeaders())
        let plan = plan(RequestDraft(method, url, parameters, body, fields))
        let stream = EventStreamRequest(timeoutInterval: timeoutInterval)
        return EventSource(
            connection: { [self] lastEventID in
                let plan = plan.mapRequest { request in
                    var request = request
                    request.setValue(lastEventID.isEmpty ? nil : lastEventID, forHTTPHeaderField: "Last-Event-ID")
                    return request
                }
                return ContentSource(task: chain(plan, options), eventStream: stream)
            },
            lastEventID: fields["Last-Event-ID"] ?? "",
            schedule: ReconnectionSchedule(reconnection, method: method.rawValue),
            clock: clock
        )
    }
}
