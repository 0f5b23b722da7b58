import Synchronization

/// Shows on a terminal that something goes on, by a sign that turns; where there is no terminal it is silent.
///
///     let spinner = Spinner(label: "Loading")
///     spinner.start()
///     // ⠹ Loading
///     spinner.stop()
///
/// It draws over one line, and leaves nothing of it when it stops or is released.
public final class Spinner: Sendable {
    private struct Storage {
        var label: String
        var frame = 0
        var isSpinning = false
        var timer: Task<Void, Never>?
    }

    /// How long each sign is shown.
    static let interval: Duration = .milliseconds(100)

    private let file: FileHandle
    private let clock: any Clock<Duration>
    /// The lock is held while a line is drawn, so that no line is drawn after it was removed.
    private let storage: Mutex<Storage>

    /// Makes a spinner that does not spin yet.
    /// - Parameters:
    ///   - label: What goes on. Default: nothing. Control characters are shown as question marks.
    ///   - file: Where to draw. Default: the standard error.
    ///   - clock: What it turns by. Default: the continuous clock.
    public init(
        label: String = "",
        on file: FileHandle = .standardError,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.file = file
        self.clock = clock
        storage = Mutex(Storage(label: label))
    }

    deinit { stop() }

    /// What goes on; shown with the next sign.
    public var label: String {
        get { storage.withLock { $0.label } }
        set { storage.withLock { $0.label = newValue } }
    }

    /// Begins to spin, if there is a terminal; without effect while it does.
    public func start() {
        storage.withLock { storage in
            guard !storage.isSpinning, draw(&storage) else { return }
            storage.isSpinning = true
            storage.timer = Task { [weak self, clock] in
                while (try? await clock.sleep(for: Self.interval)) != nil, let self, turn() {}
            }
        }
    }

    /// Ends spinning, and removes the line; without effect if it does not spin.
    public func stop() {
        let timer = storage.withLock { storage -> Task<Void, Never>? in
            guard storage.isSpinning else { return nil }
            storage.isSpinning = false
            write("\r\u{1B}[K")
            return storage.timer.take()
        }
        // Outside the lock, as a clock of the caller's hears of it.
        timer?.cancel()
    }

    private func turn() -> Bool {
        storage.withLock { storage in
            guard storage.isSpinning else { return false }
            storage.frame += 1
            return draw(&storage)
        }
    }

    /// Draws over what was drawn before; false if there is no terminal, or no more.
    private func draw(_ storage: inout Storage) -> Bool {
        guard let width = Platform.terminalWidth(of: file.fileDescriptor) else { return false }
        // A line that fills the last column would begin another one.
        write("\r\u{1B}[K" + Self.line(frame: storage.frame, label: storage.label, width: width - 1))
        return true
    }

    /// What cannot be written is not missed.
    private func write(_ text: String) { try? file.write(contentsOf: Data(text.utf8)) }

    private static let frames: [Character] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]

    /// One of its lines.
    static func line(frame: Int, label: String, width: Int) -> String {
        let sign = String(frames[frame % frames.count])
        return (label.isEmpty ? sign : "\(sign) \(label.printable)").prefix(columns: width)
    }
}
