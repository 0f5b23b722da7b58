import HTTPSyntax
import Larkspur

/// The output of one body, chunk by chunk.
///
/// A file or a pipe gets the bytes unchanged. On a terminal, text is shown without control characters, and binary data
/// is not shown. JSON that is short enough is stored, and formatted when it is complete.
struct BodyPrinter {
    /// The largest length of JSON that is formatted, in bytes.
    static let longestFormatted = 16 << 20

    static let binaryNotice = """

        +-----------------------------------------+
        | NOTE: binary data not shown in terminal |
        +-----------------------------------------+

        """

    private enum Form {
        /// The bytes as they arrive.
        case raw
        /// The text as it arrives, without control characters.
        case text
        /// JSON, which is collected and printed at the end.
        case json
        /// Binary data. No more of it is shown.
        case suppressed
    }

    private let style: Style
    private let isJSON: Bool
    private var form: Form
    private let charset: String?
    private var text: TerminalText
    private var collected = Data()
    /// Whether the output ends with a line end.
    private(set) var endsLine = true

    /// - Parameters:
    ///   - style: The style of the output.
    ///   - type: The Content-Type of the body; nil if there is none.
    ///   - isStreaming: Whether chunks are shown as they arrive, even if the body is JSON.
    ///   - charset: The charset of the body on a terminal. Default: nil, for the one that the type names.
    init(_ style: Style, type: String?, isStreaming: Bool, charset: String? = nil) {
        self.style = style
        let essence = type?.parts(separatedBy: ";").first?.trimmingCharacters(in: .whitespaces).lowercased() ?? ""
        isJSON = essence.ends(with: "/json") || essence.ends(with: "+json")
        self.charset = charset ?? Self.charset(in: type)
        text = TerminalText(charset: self.charset)
        form =
            if isJSON, style.formats || style.isColored, !isStreaming {
                .json
            } else {
                style.isForTerminal ? .text : .raw
            }
    }

    /// Whether the rest of the body is not shown.
    var isSuppressed: Bool { form == .suppressed }

    /// Prints the next chunk.
    mutating func print(_ data: Data, to sink: Sink) throws(Sink.Failure) {
        switch form {
        case .raw:
            endsLine = data.last.map { $0 == UInt8(ascii: "\n") } ?? endsLine
            try sink.write(data)
        case .suppressed: break
        case .text:
            guard let shown = text.text(of: data) else { return try suppress(on: sink) }
            try show(shown, on: sink)
        case .json:
            collected.append(data)
            guard collected.count > Self.longestFormatted else { return }
            try release(on: sink)
        }
    }

    /// Prints the rest of the body. On a terminal it also ends the last line.
    mutating func finish(on sink: Sink) throws(Sink.Failure) {
        if form == .json {
            let whole =
                style.isForTerminal
                ? text.text(of: collected).map { $0 + text.finish() } : String(validating: collected, as: UTF8.self)
            if let whole, try format(whole, on: sink) {
                collected = Data()
                return try sink.write("\n")
            }
            try release(on: sink)
        }
        guard form == .text else { return }
        try show(text.finish(), on: sink)
        if !endsLine { try show("\n", on: sink) }
    }

    /// Prints JSON. Returns false if the text is not JSON.
    private func format(_ whole: String, on sink: Sink) throws(Sink.Failure) -> Bool {
        let formatter = JSONFormatter(palette: Palette(isColored: style.isColored))
        let write = { (chunk: Data) throws(Sink.Failure) in try sink.write(chunk) }
        return style.formats ? try formatter.format(whole, write: write) : try formatter.paint(whole, write: write)
    }

    /// Prints the collected text unchanged.
    private mutating func release(on sink: Sink) throws(Sink.Failure) {
        form = style.isForTerminal ? .text : .raw
        let data = collected
        collected = Data()
        text = TerminalText(charset: charset)
        try print(data, to: sink)
    }

    private mutating func show(_ text: String, on sink: Sink) throws(Sink.Failure) {
        guard let last = text.unicodeScalars.last else { return }
        endsLine = last == "\n"
        try sink.write(text)
    }

    private mutating func suppress(on sink: Sink) throws(Sink.Failure) {
        form = .suppressed
        try sink.write(Self.binaryNotice)
    }

    private static func charset(in type: String?) -> String? {
        type?.parts(separatedBy: ";").dropFirst().lazy
            .map { $0.trimmingCharacters(in: .whitespaces) }
            .compactMap { $0.cut(at: "=") }.first { $0.before.lowercased() == "charset" }
            .map { $0.after.trimmingCharacters(in: CharacterSet(charactersIn: "\"")) }
    }
}

/// The style of the output: colours and layout.
struct Style: Sendable, Equatable {
    let isForTerminal: Bool
    let isColored: Bool
    let formats: Bool

    /// - Parameters:
    ///   - prettiness: The user's choice; nil for the default.
    ///   - isTerminal: Whether the output is a terminal.
    ///   - environment: The environment. `NO_COLOR` in it turns off colours, unless the user has requested them.
    init(_ prettiness: Invocation.Prettiness?, isTerminal: Bool, environment: [String: String]) {
        isForTerminal = isTerminal
        let choice = prettiness ?? (isTerminal ? .all : .plain)
        let hasNoColor = prettiness == nil && environment["NO_COLOR"]?.isEmpty == false
        isColored = (choice == .all || choice == .colors) && !hasNoColor
        formats = choice == .all || choice == .format
    }
}
