/// An event of an event stream (WHATWG HTML, section 9.2).
///
/// ``EventSource`` delivers such events. They can be created for tests.
public struct ServerSentEvent: Sendable, Hashable {
    /// The type of the event. Default: `message`.
    public var event: String
    /// The data of the event, with line feeds between its lines.
    public var data: String
    /// The ID of the last event that had one, which may be an earlier event. Empty if there was none. An ID of more
    /// than 4 KiB is ignored.
    public var id: String

    /// Creates an event.
    /// - Parameters:
    ///   - event: The type of the event. Default: `message`.
    ///   - data: The data of the event.
    ///   - id: The ID of the last event that had one. Default: empty.
    public init(event: String = "message", data: String, id: String = "") {
        self.event = event
        self.data = data
        self.id = id
    }
}
