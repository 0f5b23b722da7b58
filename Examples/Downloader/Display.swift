import Larkspur
import LarkspurActivity
import Synchronization

/// A display of the progress of downloads: on a terminal moving bars, elsewhere one line for each important event.
final class Display: Sendable {
    private let downloads: [Download]
    private let isTerminal = ProgressBar.terminalWidth() != nil
    private let isDrawn = Mutex(false)

    init(_ downloads: [Download]) { self.downloads = downloads }

    /// Prints a message about a download, unless bars are shown.
    func say(_ text: String, of download: Download) {
        if !isTerminal { write("\(download.name): \(text)\n") }
    }

    /// Draws all bars over the previous ones.
    func draw() {
        guard let width = ProgressBar.terminalWidth() else { return }
        isDrawn.withLock { isDrawn in
            var text = isDrawn ? "\u{1B}[\(downloads.count)A" : ""
            isDrawn = true
            for download in downloads { text += "\r\u{1B}[K\(line(of: download, width: width - 1))\n" }
            write(text)
        }
    }

    private func line(of download: Download, width: Int) -> String {
        switch download.state {
        case .waiting, .running: download.bar.line(width: width)
        default: download.bar.line(Self.text(of: download), width: width)
        }
    }

    static func text(of download: Download) -> String {
        switch download.state {
        case .waiting: "waits"
        case .running: "is under way"
        case .done: "done, \(download.bar.completed) bytes"
        case .present: "is there already"
        case .failed(let reason): "failed: \(reason)"
        case .interrupted: "interrupted; run the same command again to go on"
        }
    }

    private func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }
}
