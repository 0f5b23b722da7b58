import HTTPSyntax
import Larkspur
import Synchronization

/// The receiver that prints a response and its redirects.
final class ResponsePrinter: RequestExchange.Receiver {
    private struct State {
        var body: BodyPrinter?
        var hasPrinted: Bool
    }

    private let parts: MessageParts
    private let sink: Sink
    private let style: Style
    private let messages: MessagePrinter
    private let printsIntermediate: Bool
    private let isStreaming: Bool
    private let charset: String?
    private let state: Mutex<State>

    /// - Parameters:
    ///   - parts: The parts of the messages to print.
    ///   - sink: The file to print to.
    ///   - style: The style of the output.
    ///   - printsIntermediate: Whether redirects are printed.
    ///   - isStreaming: Whether the body is printed as it arrives.
    ///   - charset: The charset of a response's body on a terminal; nil for the one that the response names.
    ///   - hidden: The fields of requests that are not printed. Default: none.
    init(
        _ parts: MessageParts,
        to sink: Sink,
        style: Style,
        printsIntermediate: Bool,
        isStreaming: Bool,
        charset: String?,
        hiding hidden: HiddenFields = HiddenFields()
    ) {
        self.charset = charset
        self.parts = parts
        self.sink = sink
        self.style = style
        self.printsIntermediate = printsIntermediate
        self.isStreaming = isStreaming
        messages = MessagePrinter(
            palette: Palette(isColored: style.isColored),
            isForTerminal: style.isForTerminal,
            hidden: hidden
        )
        state = Mutex(State(hasPrinted: false))
    }

    /// Prints the request.
    func print(_ composed: ComposedRequest) throws(Sink.Failure) {
        if parts.contains(.requestHead) {
            try sink.write(messages.head(of: composed.request, body: composed.body, isChunked: composed.isChunked))
        }
        guard parts.contains(.requestBody), composed.body.length != nil else { return }
        try printBody(of: composed)
    }

    private func printBody(of composed: ComposedRequest) throws(Sink.Failure) {
        var printer = BodyPrinter(
            style,
            type: composed.request.value(forHTTPHeaderField: "Content-Type"),
            isStreaming: false
        )
        switch composed.body {
        case .none: return
        case .data(let data): try printer.print(data, to: sink)
        case .file, .form:
            guard let stream = composed.body.makeStream() else { return }
            stream.open()
            defer { stream.close() }
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while !printer.isSuppressed {
                let count = stream.read(&buffer, maxLength: buffer.count)
                guard count > 0 else { break }
                try printer.print(Data(buffer[..<count]), to: sink)
            }
        case .stream: try sink.write("(The body is read from standard input while it is sent.)")
        }
        try printer.finish(on: sink)
        try sink.write(printer.endsLine ? "\n" : "\n\n")
    }

    func redirect(_ response: HTTPURLResponse, to request: URLRequest) throws(Sink.Failure) {
        guard printsIntermediate else { return }
        if parts.contains(.responseHead) {
            try sink.write(messages.head(of: response, version: Self.version(of: response)))
        }
        if parts.contains(.requestHead) { try sink.write(messages.head(of: request, body: .none)) }
    }

    /// Returns the version for the status line. The session reports the version only at the end of the transfer, and
    /// with TLS it is not always HTTP/1.1.
    private static func version(of response: HTTPURLResponse) -> String {
        response.url?.scheme?.lowercased() == "http" ? "HTTP/1.1" : "HTTP"
    }

    func begin(_ response: HTTPURLResponse) throws(Sink.Failure) -> Bool {
        if parts.contains(.responseHead) {
            try sink.write(messages.head(of: response, version: Self.version(of: response)))
        }
        guard parts.contains(.responseBody) else { return parts.contains(.meta) }
        let type = response.contentType
        let isEventStream = type?.lowercased().begins(with: "text/event-stream") == true
        state.withLock {
            $0.body = BodyPrinter(style, type: type, isStreaming: isStreaming || isEventStream, charset: charset)
        }
        return true
    }

    func receive(_ data: Data) throws(Sink.Failure) -> Bool {
        guard var body = state.withLock({ $0.body.take() }) else { return true }
        defer { state.withLock { $0.body = body } }
        try body.print(data, to: sink)
        return !body.isSuppressed || parts.contains(.meta)
    }

    /// Prints the end of the body, and the time that the exchange took.
    func finish(_ timeline: Timeline) throws(Sink.Failure) {
        if var body = state.withLock({ $0.body.take() }) { try body.finish(on: sink) }
        guard parts.contains(.meta), let duration = timeline.requestDuration else { return }
        if parts.contains(.responseBody) { try sink.write("\n") }
        let palette = Palette(isColored: style.isColored)
        try sink.write("\(palette.paint("Elapsed time", .name)): \(TableText.seconds(duration))s\n")
        guard let version = timeline.transactions.last?.protocolName else { return }
        try sink.write("\(palette.paint("Protocol", .name)): \(version)\n")
    }
}
