import Synchronization

/// A turning character on a terminal that shows that work is in progress. If the file is not a terminal, nothing is
/// drawn.
///
///     let spinner = Spinner(label: "Loading")
///     spinner.start()
///     // ⠹ Loading
///     spinner.stop()
///
/// It uses one line, and clears that line when it stops or is released.
public final class Spinner: Sendable {
    private struct Storage {
        var label: String
        var frame = 0
        var isSpinning = false
        var timer: Task<Void, Never>?
    }

    /// The time for which each character is shown.
    static let interval: Duration = .milliseconds(100)

    private let file: FileHandle
    private let clock: any Clock<Duration>
    /// The lock is held while a line is drawn, so that no line is drawn after it was cleared.
    private let storage: Mutex<Storage>

    /// Creates a spinner that does not spin yet.
    /// - Parameters:
    ///   - label: The description of the work. Control characters are shown as question marks. Default: empty.
    ///   - file: The file to draw on. Default: the standard error.
    ///   - clock: The clock by which the spinner turns. Default: the continuous clock.
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

    /// The description of the work. A new value is shown with the next character.
    public var label: String {
        get { storage.withLock { $0.label } }
        set { storage.withLock { $0.label = newValue } }
    }

    /// Begins to spin if the file is a terminal. Has no effect if it already spins.
    public func start() {
        storage.withLock { storage in
            guard !storage.isSpinning, draw(&storage) else { return }
            storage.isSpinning = true
            storage.timer = Task { [weak self, clock] in
                while (try? await clock.sleep(for: Self.interval)) != nil, let self, turn() {}
            }
        }
    }

    /// Stops spinning, and clears the line. Has no effect if it does not spin.
    public func stop() {
        let timer = storage.withLock { storage -> Task<Void, Never>? in
            guard storage.isSpinning else { return nil }
            storage.isSpinning = false
            write("\r\u{1B}[K")
            return storage.timer.take()
        }
        // Cancelled outside the lock, because a cancellation calls the caller's clock.
        timer?.cancel()
    }

    private func turn() -> Bool {
        storage.withLock { storage in
            guard storage.isSpinning else { return false }
            storage.frame += 1
            return draw(&storage)
        }
    }

    /// Draws over the previous line. Returns false if the file is not a terminal, or is not a terminal any more.
    private func draw(_ storage: inout Storage) -> Bool {
        guard let width = Terminal.width(of: file.fileDescriptor) else { return false }
        // The line is one column shorter, because a line that fills the last column would wrap.
        write("\r\u{1B}[K" + Self.line(frame: storage.frame, label: storage.label, width: width - 1))
        return true
    }

    /// Writes to the file. A failure is ignored, because the spinner is only a display.
    private func write(_ text: String) { try? file.write(contentsOf: Data(text.utf8)) }

    private static let frames: [Character] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]

    /// Returns the line of one frame.
    static func line(frame: Int, label: String, width: Int) -> String {
        let sign = String(frames[frame % frames.count])
        return (label.isEmpty ? sign : "\(sign) \(label.printable)").prefix(columns: width)
    }
}
