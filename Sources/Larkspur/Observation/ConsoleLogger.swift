internal import HTTPSyntax

/// An observer that writes a line about each call, for the development and the operation of a program.
///
///     manager.observers = [ConsoleLogger()]
///     // GET https://api.example.com/users?page=2 → 200, 1.2 kB in 45.1 ms, h2
///     // POST https://api.example.com/login → timed-out after 10.0 s: The call took longer than 10.0 seconds in all.
///
/// A ``Redaction`` hides secrets. Characters that a terminal would interpret are shown as question marks.
public struct ConsoleLogger: CallObserver {
    /// The amount of text that is logged. Each level includes the text of the previous levels.
    public struct Level: Sendable, Hashable, CustomStringConvertible {
        fileprivate let rank: Int
        /// The name of the level, such as `calls`.
        public let description: String

        private init(_ rank: Int, _ description: String) {
            self.rank = rank
            self.description = description
        }

        /// Nothing.
        public static let off = Self(0, "off")
        /// A line for each call that failed.
        public static let failures = Self(1, "failures")
        /// A line for each call.
        public static let calls = Self(2, "calls")
        /// Also a line for each retry, each redirect, and each wait of more than a second for a connection.
        public static let attempts = Self(3, "attempts")
        /// Also the header fields of request and response.
        public static let fields = Self(4, "fields")
        /// Also the content of request and response, if it is text, up to a limit.
        public static let content = Self(5, "content")

        fileprivate func includes(_ other: Self) -> Bool { rank >= other.rank }
    }

    /// The kinds of events that the level needs.
    public let kinds: Set<CallEvent.Kind>

    private let level: Level
    private let redaction: Redaction
    private let contentLimit: Int
    private let style: TerminalStyle
    private let write: @Sendable (String) -> Void

    /// Creates a logger.
    /// - Parameters:
    ///   - level: The amount of text that is logged. Default: a line for each call.
    ///   - redaction: The rule by which secrets are hidden. Default: ``Redaction/standard``.
    ///   - contentLimit: The maximum number of characters of content that are logged at the level `content`. Default:
    ///     1,000.
    ///   - usesColors: Whether failures are red, retries yellow and details dimmed. Default: nil, for colours only if
    ///     lines are written to standard error, standard error is a terminal, and the environment has no variable
    ///     `NO_COLOR`.
    ///   - write: A closure that writes lines. It is called on the completion queue of the session manager. Default: a
    ///     closure that writes to standard error.
    public init(
        level: Level = .calls,
        redaction: Redaction = .standard,
        contentLimit: Int = 1000,
        usesColors: Bool? = nil,
        write: (@Sendable (String) -> Void)? = nil
    ) {
        self.level = level
        self.redaction = redaction
        self.contentLimit = max(0, contentLimit)
        style = TerminalStyle(
            isEnabled: usesColors ?? (write == nil && TerminalStyle.isWanted(on: FileHandle.standardError))
        )
        self.write = write ?? UnhandledFailure.writer
        // Other kinds are omitted, so that their events are not created for this observer.
        kinds =
            switch level {
            case .off: []
            case .attempts, .fields, .content: [.completed, .retryScheduled, .redirected, .waitingForConnection]
            default: [.completed]
            }
    }

    /// Writes the lines of an event.
    public func observe(_ event: CallEvent) {
        switch event.kind {
        case .completed where event.error != nil || level.includes(.calls): write(lines(about: event))
        case .retryScheduled:
            let delay = event.delay.map { " in \($0.inSeconds)" } ?? ""
            write(style.yellow("  \(target(of: event)): another attempt\(delay), because of \(event.reason ?? "")"))
        case .waitingForConnection:
            let reason = (event.reason ?? "").printable
            write(style.yellow("  \(target(of: event)): waits for a connection, because \(reason)"))
        case .redirected:
            let status = event.httpResponse.map { "\($0.statusCode)" } ?? ""
            let target = event.request?.url.map { "to " + redaction.text(of: $0).printable } ?? "is not followed"
            write(style.yellow("  redirect \(status) \(target)"))
        default: break
        }
    }

    private func lines(about event: CallEvent) -> String {
        let summary = "\(target(of: event)) → \(outcome(of: event))"
        var lines = [event.error == nil ? summary : style.red(summary)]
        guard level.includes(.fields) else { return lines[0] }
        let request = event.request
        append(request?.allHTTPHeaderFields, "> ", to: &lines)
        append(request?.httpBody, request?.value(forHTTPHeaderField: "Content-Type"), "> ", to: &lines)
        append(event.httpResponse?.allHeaderFields as? [String: String], "< ", to: &lines)
        append(event.completion?.data, event.httpResponse?.contentType, "< ", to: &lines)
        return lines.joined(separator: "\n")
    }

    private func target(of event: CallEvent) -> String {
        let request = event.request ?? event.task?.currentRequest ?? event.task?.originalRequest
        let url = request?.url.map { redaction.text(of: $0).printable } ?? "no URL"
        return "\((request?.httpMethod ?? "GET").printable) \(url)"
    }

    private func outcome(of event: CallEvent) -> String {
        let timeline = event.completion?.timeline
        let duration = (timeline?.totalDuration ?? timeline?.requestDuration)?.brief
        var facts: [String] = []
        if let error = event.error {
            let status = event.httpResponse.map { "\($0.statusCode) " } ?? ""
            let after = duration.map { " after \($0)" } ?? ""
            facts.append("\(status)\(error.code.label)\(after): \(error.message.printable)")
        } else {
            let status = event.httpResponse.map { "\($0.statusCode)" } ?? "done"
            let size = event.completion?.data.map { ", " + ByteCount.text(Int64($0.count)) } ?? ""
            facts.append(status + size + (duration.map { " in \($0)" } ?? ""))
        }
        if event.attempt > 1 { facts.append("\(event.attempt) attempts") }
        if let wait = timeline?.connectionWait, wait >= Self.loggedWait {
            facts.append("of which \(wait.brief) waiting for a connection")
        }
        if let last = timeline?.transactions.last {
            if last.isFromCache {
                facts.append("from the cache (\(last.cacheUse.map { "\($0)" } ?? "\(last.source)"))")
            }
            if let name = last.protocolName { facts.append(name) }
            if last.isReusedConnection { facts.append("reused connection") }
        }
        return facts.joined(separator: ", ")
    }

    /// The shortest wait for a connection that a line mentions.
    private static let loggedWait = Duration.milliseconds(100)

    private func append(_ fields: [String: String]?, _ prefix: String, to lines: inout [String]) {
        for (name, value) in (fields ?? [:]).sorted(by: { $0.key < $1.key }) {
            let field = HTTPHeaders.Field(name: name, value: value)
            lines.append(style.dim("\(prefix)\(name.printable): \(redaction.value(of: field).printable)"))
        }
    }

    private func append(_ content: Data?, _ type: String?, _ prefix: String, to lines: inout [String]) {
        guard level.includes(.content), let content, !content.isEmpty else { return }
        guard let text = String(validating: redaction.content(content, type: type), as: UTF8.self) else {
            return lines.append(style.dim("\(prefix)(\(content.count) bytes that are not text)"))
        }
        let shown = text.prefix(contentLimit)
        for line in shown.parts(separatedBy: "\n", omittingEmptyParts: false) {
            let line = line.ends(with: "\r") ? Substring(line.utf8.dropLast()) : line
            lines.append(style.dim(prefix + String(line).printable))
        }
        if shown.count < text.count { lines.append(style.dim("\(prefix)… (\(content.count) bytes in all)")) }
    }
}

/// The colours of lines on a terminal.
struct TerminalStyle: Sendable {
    /// Whether colours are used.
    let isEnabled: Bool

    /// Returns whether a file is a terminal, and its user has not disabled colours (no-color.org).
    static func isWanted(on file: FileHandle) -> Bool {
        let environment = ProcessInfo.processInfo.environment
        guard environment["NO_COLOR", default: ""].isEmpty, environment["TERM"] != "dumb" else { return false }
        return Terminal.width(of: file.fileDescriptor) != nil
    }

    func red(_ text: String) -> String { styled(text, 31) }
    func yellow(_ text: String) -> String { styled(text, 33) }
    func dim(_ text: String) -> String { styled(text, 2) }

    private func styled(_ text: String, _ code: Int) -> String {
        isEnabled ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
