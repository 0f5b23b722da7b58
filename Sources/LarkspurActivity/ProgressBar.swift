/// A progress bar for terminals: the state of a transfer, and the line that shows it.
///
///     ProgressBar(label: "disk.iso", completed: 12_300_000, total: 49_200_000, rate: 3_400_000).line(width: 72)
///     // disk.iso [#######----------------------]  25%  12.3 MB/49.2 MB  3.4 MB/s
///
/// If the total is unknown, there is no bar and no percentage, but only the number of bytes so far. Other things than
/// bytes are counted with a ``Unit-swift.struct``:
///
///     var bar = ProgressBar(label: "all", completed: 3, total: 12)
///     bar.unit = .items("files")
///     bar.line(width: 40)    // all [####-------------]  25%  3/12 files
public struct ProgressBar: Sendable, Hashable {
    /// The unit of the numbers of a bar.
    public struct Unit: Sendable, Hashable {
        fileprivate let name: String?

        /// Bytes, in decimal units such as MB.
        public static let bytes = Unit(name: nil)

        /// Returns the unit for things that are counted one by one.
        /// - Parameter name: The name of the things in the plural, such as `files`.
        public static func items(_ name: String) -> Unit { Unit(name: name.printable) }

        /// Returns a number with its unit.
        fileprivate func text(_ number: Int64) -> String { name.map { "\(number) \($0)" } ?? ByteCount.text(number) }

        /// Returns a number and the number that it is a part of.
        fileprivate func text(_ number: Int64, of total: Int64) -> String {
            name.map { "\(number)/\(total) \($0)" } ?? "\(ByteCount.text(number))/\(ByteCount.text(total))"
        }
    }

    /// The name of the transfer. Control characters are shown as question marks, because a name may come from a server.
    public var label: String
    /// The number of bytes so far.
    public var completed: Int64
    /// The total number of bytes; negative if it is unknown.
    public var total: Int64
    /// The rate in bytes per second, or in other units; nil to leave it out.
    public var rate: Double?
    /// The unit of the numbers. Default: bytes.
    public var unit = Unit.bytes

    /// Creates a bar.
    /// - Parameters:
    ///   - label: The name of the transfer. Default: empty.
    ///   - completed: The number of bytes so far. Default: 0.
    ///   - total: The total number of bytes. Default: −1, for an unknown number.
    ///   - rate: The rate in bytes per second. Default: nil, which leaves it out.
    public init(label: String = "", completed: Int64 = 0, total: Int64 = -1, rate: Double? = nil) {
        self.label = label
        self.completed = completed
        self.total = total
        self.rate = rate
    }

    /// Creates a bar from the progress that a task reports.
    /// - Parameters:
    ///   - progress: The progress in bytes, as the tasks' progress closures and properties provide it. If the total is
    ///     unknown, it is negative.
    ///   - label: The name of the transfer. Default: empty.
    ///   - rate: The rate in bytes per second. Default: nil, which leaves it out.
    public init(_ progress: Progress, label: String = "", rate: Double? = nil) {
        self.init(label: label, completed: progress.completedUnitCount, total: progress.totalUnitCount, rate: rate)
    }

    /// The completed fraction of the transfer, from 0 to 1; nil if it is unknown.
    public var fraction: Double? {
        if total == 0 { return 1 }
        return total > 0 ? min(1, max(0, Double(completed) / Double(total))) : nil
    }

    /// Returns the line, without a line break.
    /// - Parameter width: The number of columns. Parts that do not fit are left out: first the rate, then the sizes.
    ///   Default: 80.
    public func line(width: Int = 80) -> String {
        let width = max(0, width)
        let label = label.printable
        let labelWidth = label.columns
        for columns in columns {
            let rest = columns.joined(separator: "  ")
            // The bar needs one blank on each side and its brackets.
            let room = width - labelWidth - rest.columns - (label.isEmpty ? 3 : 4)
            if fraction == nil {
                let line = label.isEmpty ? rest : label + "  " + rest
                if line.columns <= width { return line }
            } else if room >= Self.shortestBar {
                return (label.isEmpty ? "" : label + " ") + "[\(bar(min(room, Self.longestBar)))] " + rest
            }
        }
        let rest = columns.last?.joined() ?? ""
        return (label.prefix(columns: width - rest.columns - 1) + " " + rest).prefix(columns: width)
    }

    /// Returns a line with a message in place of the bar, without a line break.
    ///
    ///     bar.line("failed: The connection was lost.", width: 60)    // disk.iso: failed: The connection was lost.
    ///
    /// - Parameters:
    ///   - message: The message. Control characters are shown as question marks.
    ///   - width: The number of columns. A longer line is cut, because it would wrap, and the next line that is drawn
    ///     over it would scroll the terminal. Wide characters, such as those of Chinese, take two columns. Default: 80.
    public func line(_ message: String, width: Int = 80) -> String {
        let text = label.isEmpty ? message : "\(label): \(message)"
        return text.printable.prefix(columns: max(0, width))
    }

    private static let shortestBar = 8
    private static let longestBar = 40

    /// The selections of the columns after the bar, in the order in which they are tried: all columns first, then
    /// fewer.
    private var columns: [[String]] {
        var columns: [String] = []
        if let fraction {
            let percentage = "\(Int(fraction * 100))%"
            columns.append(String(repeating: " ", count: 4 - percentage.count) + percentage)
            columns.append(unit.text(completed, of: total))
        } else {
            columns.append(unit.text(completed))
        }
        if let rate, rate.isFinite, rate >= 0 { columns.append(unit.text(Int64(min(rate, 1e18))) + "/s") }
        return (1...columns.count).reversed().map { Array(columns.prefix($0)) }
    }

    private func bar(_ width: Int) -> String {
        let filled = Int((fraction ?? 0) * Double(width))
        return String(repeating: "#", count: filled) + String(repeating: "-", count: width - filled)
    }
}

extension ProgressBar {
    /// Returns the number of columns of a terminal. If the file descriptor is not a terminal, the result is nil, and no
    /// bar should be drawn.
    /// - Parameter descriptor: The file descriptor. Default: the standard output's.
    public static func terminalWidth(of descriptor: Int32 = FileHandle.standardOutput.fileDescriptor) -> Int? {
        Terminal.width(of: descriptor)
    }

    /// Draws the line over the previously drawn line. Does nothing if the file is not a terminal.
    /// - Parameters:
    ///   - file: The file to draw on. Default: the standard error.
    ///   - isLast: True to end with a line break. Default: false.
    public func draw(on file: FileHandle = .standardError, isLast: Bool = false) {
        guard let width = Self.terminalWidth(of: file.fileDescriptor) else { return }
        // The line is one column shorter, because a line that fills the last column would wrap. A failure to write is
        // ignored, because the bar is only a display.
        try? file.write(contentsOf: Data("\r\u{1B}[K\(line(width: width - 1))\(isLast ? "\n" : "")".utf8))
    }
}
