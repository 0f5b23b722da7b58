/// A progress bar for terminals: what is known of a transfer, and the line that shows it.
///
///     ProgressBar(label: "disk.iso", completed: 12_300_000, total: 49_200_000, rate: 3_400_000).line(width: 72)
///     // disk.iso [#######----------------------]  25%  12.3 MB/49.2 MB  3.4 MB/s
///
/// Where the length is unknown there is no bar and no percentage, only what has come.
public struct ProgressBar: Sendable, Hashable {
    /// What is being transferred. Control characters are shown as question marks, as a name may come from a server.
    public var label: String
    /// How many bytes have come.
    public var completed: Int64
    /// How many bytes there are in all; negative where that is unknown.
    public var total: Int64
    /// Bytes a second; nil leaves it out.
    public var rate: Double?

    /// Makes a bar.
    /// - Parameters:
    ///   - label: What is being transferred. Default: nothing.
    ///   - completed: How many bytes have come. Default: 0.
    ///   - total: How many bytes there are in all. Default: −1, unknown.
    ///   - rate: Bytes a second. Default: nil, which leaves it out.
    public init(label: String = "", completed: Int64 = 0, total: Int64 = -1, rate: Double? = nil) {
        self.label = label
        self.completed = completed
        self.total = total
        self.rate = rate
    }

    /// Makes a bar of what a task reports.
    /// - Parameters:
    ///   - progress: How far it is, in bytes, with a negative total where that is unknown, as the tasks' progress
    ///     closures and properties have it.
    ///   - label: What is being transferred. Default: nothing.
    ///   - rate: Bytes a second. Default: nil, which leaves it out.
    public init(_ progress: Progress, label: String = "", rate: Double? = nil) {
        self.init(label: label, completed: progress.completedUnitCount, total: progress.totalUnitCount, rate: rate)
    }

    /// How much of it is there, from 0 to 1; nil where that is unknown.
    public var fraction: Double? {
        if total == 0 { return 1 }
        return total > 0 ? min(1, max(0, Double(completed) / Double(total))) : nil
    }

    /// The line, without a line break.
    /// - Parameter width: How many columns there are; what does not fit is left out, the rate first, then the sizes.
    ///   Default: 80.
    public func line(width: Int = 80) -> String {
        let width = max(0, width)
        let label = label.printable
        let labelWidth = label.columns
        for columns in columns {
            let rest = columns.joined(separator: "  ")
            // One blank on each side of the bar, and its brackets.
            let room = width - labelWidth - rest.count - (label.isEmpty ? 3 : 4)
            if fraction == nil {
                let line = label.isEmpty ? rest : label + "  " + rest
                if line.columns <= width { return line }
            } else if room >= Self.shortestBar {
                return (label.isEmpty ? "" : label + " ") + "[\(bar(min(room, Self.longestBar)))] " + rest
            }
        }
        let rest = columns.last?.joined() ?? ""
        return (label.prefix(columns: width - rest.count - 1) + " " + rest).prefix(columns: width)
    }

    private static let shortestBar = 8
    private static let longestBar = 40

    /// What stands behind the bar, in full and with less and less.
    private var columns: [[String]] {
        var columns: [String] = []
        if let fraction {
            let percentage = "\(Int(fraction * 100))%"
            columns.append(String(repeating: " ", count: 4 - percentage.count) + percentage)
            columns.append("\(Self.text(completed))/\(Self.text(total))")
        } else {
            columns.append(Self.text(completed))
        }
        if let rate, rate.isFinite, rate >= 0 { columns.append(Self.text(Int64(min(rate, 1e18))) + "/s") }
        return (1...columns.count).reversed().map { Array(columns.prefix($0)) }
    }

    private func bar(_ width: Int) -> String {
        let filled = Int((fraction ?? 0) * Double(width))
        return String(repeating: "#", count: filled) + String(repeating: "-", count: width - filled)
    }

    /// A number of bytes in decimal units, as in "12.3 MB".
    static func text(_ bytes: Int64) -> String {
        let units = ["kB", "MB", "GB", "TB", "PB", "EB"]
        guard bytes >= 1000 else { return "\(max(0, bytes)) B" }
        var tenths = bytes / 100
        var unit = 0
        // What would be rounded to 1000 is the next unit's 1.
        while tenths >= 10_000, unit < units.count - 1 {
            tenths /= 1000
            unit += 1
        }
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }
}

extension ProgressBar {
    /// How many columns a terminal has; nil where a file descriptor is no terminal, on which a bar should not be drawn.
    /// - Parameter descriptor: The file descriptor. Default: that of the standard output.
    public static func terminalWidth(of descriptor: Int32 = FileHandle.standardOutput.fileDescriptor) -> Int? {
        Platform.terminalWidth(of: descriptor)
    }

    /// Draws the line over the one that was drawn before; does nothing where there is no terminal.
    /// - Parameters:
    ///   - file: Where to. Default: the standard error.
    ///   - isLast: Whether a line break follows. Default: false.
    public func draw(on file: FileHandle = .standardError, isLast: Bool = false) {
        guard let width = Self.terminalWidth(of: file.fileDescriptor) else { return }
        // A line that fills the last column would begin another one. What cannot be written is not missed.
        try? file.write(contentsOf: Data("\r\u{1B}[K\(line(width: width - 1))\(isLast ? "\n" : "")".utf8))
    }
}
