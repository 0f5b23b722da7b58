import HTTPSyntax
import Larkspur

/// Server-sent events. They are printed as they arrive.
struct EventListener: Sendable {
    let manager: SessionManager
    let composed: ComposedRequest
    let sink: Sink
    let style: Style
    /// The time without a byte after which the connection counts as lost, in seconds; nil for the default.
    let timeout: Double?

    /// Prints events until the stream ends.
    /// - Throws: ``LarkspurError``, or ``Sink/Failure``.
    func run() async throws {
        let headers = Self.headers(of: composed.request)
        var body: RequestBody?
        if case .data(let data) = composed.body {
            body = .data(data, contentType: headers["Content-Type"] ?? "application/octet-stream")
        }
        // A duration can have at most 19 digits.
        let limit = timeout.map { Duration.seconds(min($0, 1e9)) }
        let events = manager.events(
            composed.request.url?.absoluteString ?? "",
            method: HTTPMethod(rawValue: composed.request.httpMethod ?? "GET"),
            body: body,
            headers: headers,
            idleTimeout: limit ?? EventSource.defaultTimeout
        )
        for try await event in events { try sink.write(text(of: event)) }
    }

    /// Returns the fields of the request for an event stream. The fields of the items stay.
    static func headers(of request: URLRequest) -> HTTPHeaders {
        var headers = request.headers
        if headers["Accept"] == "*/*" || headers["Accept"]?.begins(with: "application/json,") == true {
            headers["Accept"] = "text/event-stream"
        }
        if headers["Cache-Control"] == nil { headers["Cache-Control"] = "no-store" }
        return headers
    }

    /// Returns an event in the notation of an event stream.
    private func text(of event: ServerSentEvent) -> String {
        let palette = Palette(isColored: style.isColored)
        var text = ""
        func add(_ name: String, _ value: String) {
            text += palette.paint(name, .name) + ": " + (style.isForTerminal ? TerminalText.line(value) : value) + "\n"
        }
        if event.type != "message" { add("event", event.type) }
        if !event.id.isEmpty { add("id", event.id) }
        for line in event.data.split(separator: "\n", omittingEmptySubsequences: false) { add("data", String(line)) }
        return text + "\n"
    }
}
