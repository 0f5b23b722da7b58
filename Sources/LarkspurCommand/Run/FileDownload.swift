import HTTPSyntax
import LarkspurActivity
import Synchronization

/// The receiver that writes the content of a response to a file, and shows the progress.
final class FileDownload: RequestExchange.Receiver {
    fileprivate struct State {
        var sink: Sink?
        var name: String?
        var received: Int64 = 0
        var offset: Int64 = 0
        var total: Int64 = -1
        /// The part of the file that the response has; nil if the response has the whole content.
        var part: ContinuedPart?
        var isComplete = false
        var failure: String?
        var began = ContinuousClock.now
        var drawn: ContinuousClock.Instant?
    }

    private let target: Target
    private let printer: ResponsePrinter
    private let showsProgress: Bool
    private let state: Mutex<State>

    /// The destination of the content.
    enum Target: Sendable {
        /// An existing file. If the server sends only the rest, the first `offset` bytes stay.
        case file(Sink, path: String, offset: Int64)
        /// A new file in the current folder, with the name that the response suggests.
        case suggested
        case standardOutput
    }

    init(to target: Target, printer: ResponsePrinter, showsProgress: Bool) {
        self.target = target
        self.printer = printer
        self.showsProgress = showsProgress
        state = Mutex(State())
    }

    /// The reason why the response could not be used; nil if there is none.
    var failure: String? { state.withLock { $0.failure } }

    /// Whether the file is complete: the response was written, or the file was already complete.
    var isComplete: Bool { state.withLock { $0.isComplete } }

    func redirect(_ response: HTTPURLResponse, to request: URLRequest) throws(Sink.Failure) {
        try printer.redirect(response, to: request)
    }

    func begin(_ response: HTTPURLResponse) throws(Sink.Failure) -> Bool {
        _ = try printer.begin(response)
        guard (200..<300).contains(response.statusCode) else {
            noteRefusal(response)
            return false
        }
        let length = response.value(forHTTPHeaderField: "Content-Length").flatMap(Int64.init) ?? -1
        var offset: Int64 = 0
        var part: ContinuedPart?
        if response.statusCode == 206 {
            if case .file(_, _, let existing) = target { offset = existing }
            do throws(UsageError) {
                part = try ContinuedPart(response, at: offset)
            } catch {
                state.withLock { $0.failure = error.message }
                return false
            }
        }
        let sink: Sink
        var name = "standard output"
        switch target {
        case .standardOutput: sink = .standardOutput
        case .suggested:
            do throws(UsageError) {
                (sink, name) = try Self.createFile(for: response)
            } catch {
                state.withLock { $0.failure = error.message }
                return false
            }
        case .file(let file, let path, _):
            (sink, name) = (file, path)
            try sink.truncate(to: offset)
        }
        state.withLock { [name, offset, part] state in
            state.sink = sink
            state.part = part
            state.name = name
            state.offset = offset
            state.total = length >= 0 ? offset + length : -1
            state.began = .now
        }
        return true
    }

    func receive(_ data: Data) throws(Sink.Failure) -> Bool {
        let (sink, excess) = state.withLock { state in
            (state.sink, state.part.map { state.received + Int64(data.count) > $0.length } ?? false)
        }
        guard let sink else { return false }
        if excess {
            // The content that was appended earlier may not belong to the file either.
            try sink.truncate(to: state.withLock { $0.offset })
            state.withLock { $0.failure = "The server sends more than the part of the content that it names." }
            return false
        }
        try sink.write(data)
        let bar = state.withLock { state -> ProgressBar? in
            state.received += Int64(data.count)
            let now = ContinuousClock.now
            guard showsProgress, state.drawn.map({ $0.duration(to: now) >= .milliseconds(100) }) ?? true else {
                return nil
            }
            state.drawn = now
            return state.bar
        }
        bar?.draw()
        return true
    }

    /// Shows the end of the download.
    func finish(hasFailed: Bool) {
        let (bar, line) = state.withLock { state -> (ProgressBar?, String?) in
            guard state.sink != nil else { return (nil, nil) }
            if !hasFailed, let part = state.part, state.failure == nil {
                if state.received < part.length {
                    state.failure = "The server sends less than the part of the content that it names."
                } else if !part.isRest {
                    state.failure = "The server has sent only a part of the rest; --continue asks for the next one."
                }
            }
            let hasFailed = hasFailed || state.failure != nil
            state.isComplete = !hasFailed
            let seconds = TableText.seconds(state.began.duration(to: .now))
            let name = state.name ?? ""
            let line = hasFailed ? nil : "Done: \(state.received) bytes in \(seconds) s, in \(name)"
            return (showsProgress ? state.bar : nil, line)
        }
        bar?.draw(isLast: true)
        if let line, showsProgress { Sink.standardError.report(line) }
    }

    private func noteRefusal(_ response: HTTPURLResponse) {
        guard case .file(_, _, let offset) = target, offset > 0, response.statusCode == 416,
            response.value(forHTTPHeaderField: "Content-Range") == "bytes */\(offset)"
        else { return }
        // The file has all of the content already.
        state.withLock { $0.isComplete = true }
        if showsProgress { Sink.standardError.report("The file is complete already.") }
    }

    /// Creates a new file with the response's name. If that name is in use, a number is appended.
    private static func createFile(for response: HTTPURLResponse) throws(UsageError) -> (Sink, name: String) {
        let base = DownloadDestination.fileName(for: response) ?? "index"
        for number in 0..<10_000 {
            let name = number == 0 ? base : "\(base)-\(number)"
            let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            if descriptor >= 0 { return (Sink(descriptor), name) }
            guard errno == EEXIST else { throw UsageError("\(name): \(Sink.reason(errno))") }
        }
        throw UsageError("There are too many files with the name \(base).")
    }
}

extension FileDownload.State {
    fileprivate var bar: ProgressBar {
        let seconds = began.duration(to: .now) / .seconds(1)
        return ProgressBar(
            label: TerminalText.line(name ?? ""),
            completed: offset + received,
            total: total,
            rate: seconds > 0.2 ? Double(received) / seconds : nil
        )
    }
}
