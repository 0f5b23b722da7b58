import Foundation
import Testing

@testable import Larkspur
@testable import LarkspurActivity

@Suite("Progress bars", .timeLimit(.minutes(5)))
struct ProgressBarTests {
    private static let bar = ProgressBar(label: "disk.iso", completed: 12_300_000, total: 49_200_000, rate: 3_400_000)

    static let lines: [(bar: ProgressBar, width: Int, line: String)] = [
        (bar, 72, "disk.iso [#######----------------------]  25%  12.3 MB/49.2 MB  3.4 MB/s"),
        (bar, 50, "disk.iso [####-------------]  25%  12.3 MB/49.2 MB"),
        (bar, 30, "disk.iso [###-----------]  25%"),
        (bar, 12, "disk.is  25%"),
        (bar, 3, "  2"),
        (bar, 0, ""),
        (ProgressBar(label: "a", completed: 5, total: 5), 24, "a [###############] 100%"),
        (ProgressBar(label: "a", completed: 0, total: 0), 24, "a [###############] 100%"),
        (ProgressBar(completed: 1, total: 2), 40, "[############------------]  50%  1 B/2 B"),
        (ProgressBar(label: "a", completed: 9, total: 3), 30, "a [############] 100%  9 B/3 B"),
        // Without a length there is nothing to draw a bar of.
        (ProgressBar(label: "a", completed: 1_500, rate: 20), 40, "a  1.5 kB  20 B/s"),
        (ProgressBar(label: "a", completed: 1_500, rate: 20), 10, "a  1.5 kB"),
        (ProgressBar(label: "a", completed: 1, rate: .nan), 40, "a  1 B"),
        (ProgressBar(label: "a", completed: 1, rate: .infinity), 40, "a  1 B"),
        (ProgressBar(label: "a\u{1B}[2J\nb", completed: 1), 40, "a?[2J?b  1 B"),
        (ProgressBar(label: "a\u{200D}\r\nb", completed: 1), 40, "??b  1 B"),
        // These signs take two columns each.
        (ProgressBar(label: "東京.iso", completed: 5, total: 5), 27, "東京.iso [###########] 100%"),
        (ProgressBar(label: "東京.iso", completed: 5, total: 5), 23, "東京.iso 100%"),
        (ProgressBar(label: "東京.iso", completed: 5, total: 5), 8, "東 100%"),
        (ProgressBar(label: "🦊", completed: 1_500), 10, "🦊  1.5 kB"),
        (ProgressBar(label: "🦊", completed: 1_500), 9, "🦊 1.5 kB"),
        (ProgressBar(label: "e\u{301}", completed: 1_500), 9, "e\u{301}  1.5 kB"),
        (bar, .min, ""),
    ]

    @Test("Items other than bytes are counted one by one")
    func units() {
        func line(_ bar: ProgressBar, _ name: String, width: Int) -> String {
            var bar = bar
            bar.unit = .items(name)
            return bar.line(width: width)
        }
        let bar = ProgressBar(label: "all", completed: 3, total: 12)
        #expect(line(bar, "files", width: 40) == "all [####-------------]  25%  3/12 files")
        let endless = ProgressBar(label: "a", completed: 3, rate: 2)
        #expect(line(endless, "冊\n", width: 30) == "a  3 冊?  2 冊?/s")
        let half = ProgressBar(completed: 1, total: 2)
        #expect(line(half, "東京", width: 25) == "[####----]  50%  1/2 東京")
        #expect(line(half, "東京", width: 24) == "[########---------]  50%")
    }

    @Test(
        "A message replaces the bar, and is cut to the width",
        arguments: [
            ("a.iso", "done", 80, "a.iso: done"), ("", "done", 80, "done"), ("a.iso", "done", 8, "a.iso: d"),
            ("東京.iso", "done", 9, "東京.iso:"), ("東京.iso", "done", 3, "東"), ("a", "b\n\u{1B}c", 80, "a: b??c"),
            ("a", "b", -1, ""),
        ]
    )
    func messages(label: String, message: String, width: Int, line: String) {
        #expect(ProgressBar(label: label).line(message, width: width) == line)
    }

    @Test(
        "A character counts at least as many columns as a terminal gives it",
        arguments: [
            ("a", 1), ("é", 1), ("e\u{301}", 1), ("\u{301}", 1), ("東", 2), ("ア", 2), ("ｱ", 1), ("Ａ", 2), ("한", 2),
            ("🦊", 2), ("✈", 1), ("✈\u{FE0F}", 2), ("👍\u{1F3FD}", 4), ("#", 1), ("█", 1), ("⠋", 1),
        ] as [(Character, Int)]
    )
    func columns(_ character: Character, _ columns: Int) { #expect(character.columns == columns) }

    @Test("A line contains the parts that fit into its width", arguments: lines)
    func line(_ test: (bar: ProgressBar, width: Int, line: String)) {
        #expect(test.bar.line(width: test.width) == test.line)
    }

    @Test("No line exceeds its width, whatever the contents")
    func width() {
        for width in 0...120 {
            for (bar, _, _) in Self.lines { #expect(bar.line(width: width).columns <= width) }
            let extreme = ProgressBar(label: "x", completed: .max, total: .max, rate: .greatestFiniteMagnitude)
            #expect(extreme.line(width: width).count <= width)
            #expect(ProgressBar(completed: .min, total: .min, rate: -1).line(width: width).count <= width)
        }
    }

    @Test(
        "Sizes have decimal units and one decimal digit",
        arguments: [
            (Int64(0), "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (999_949, "999.9 kB"), (1_000_000, "1.0 MB"),
            (123_456_789, "123.4 MB"), (.max, "9.2 EB"), (-5, "0 B"),
        ]
    )
    func sizes(_ bytes: Int64, _ text: String) { #expect(ByteCount.text(bytes) == text) }

    @Test("A bar shows the progress of a task, also of unknown length")
    func progress() {
        let progress = Progress(totalUnitCount: 10)
        progress.completedUnitCount = 5
        #expect(ProgressBar(progress, label: "a") == ProgressBar(label: "a", completed: 5, total: 10))
        progress.totalUnitCount = -1
        #expect(ProgressBar(progress, rate: 2).line(width: 30) == "5 B  2 B/s")
        #expect(ProgressBar(progress).fraction == nil)
    }

    @Test("On a terminal, the bar has the terminal's width and overwrites its last line")
    func terminal() async throws {
        let terminal = try PseudoTerminal(columns: 31)
        #expect(ProgressBar.terminalWidth(of: terminal.file.fileDescriptor) == 31)
        Self.bar.draw(on: terminal.file)
        Self.bar.draw(on: terminal.file, isLast: true)
        let line = "\r\u{1B}[Kdisk.iso [###-----------]  25%"
        #expect(try await terminal.read(until: "25%\r\n") == line + line + "\r\n")
    }

    @Test("Without a terminal, no bar is drawn")
    func noTerminal() throws {
        let pipe = Pipe()
        #expect(ProgressBar.terminalWidth(of: pipe.fileHandleForWriting.fileDescriptor) == nil)
        Self.bar.draw(on: pipe.fileHandleForWriting, isLast: true)
        try pipe.fileHandleForWriting.close()
        #expect(try pipe.fileHandleForReading.readToEnd() ?? Data() == Data())
    }
}
