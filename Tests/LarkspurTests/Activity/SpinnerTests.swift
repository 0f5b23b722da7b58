import LarkspurTesting
import Testing

@testable import Larkspur
@testable import LarkspurActivity

@Suite("Spinners", .timeLimit(.minutes(5)))
struct SpinnerTests {
    private let clock = TestClock()
    private let erase = "\r\u{1B}[K"

    static let lines: [(frame: Int, label: String, width: Int, line: String)] = [
        (0, "", 80, "⠋"), (1, "", 80, "⠙"), (10, "", 80, "⠋"), (9, "Loading", 80, "⠏ Loading"),
        (0, "Loading", 4, "⠋ Lo"), (0, "Loading", 0, ""), (0, "Loading", -1, ""), (0, "a\u{1B}[2J\n", 80, "⠋ a?[2J?"),
        (0, "東京", 6, "⠋ 東京"), (0, "東京", 5, "⠋ 東"), (0, "a", .min, ""),
    ]

    @Test("A line has a sign and as much of the label as fits", arguments: lines)
    func line(_ test: (frame: Int, label: String, width: Int, line: String)) {
        #expect(Spinner.line(frame: test.frame, label: test.label, width: test.width) == test.line)
    }

    @Test("On a terminal, a spinner turns, and its end clears the line")
    func terminal() async throws {
        let terminal = try PseudoTerminal(columns: 20)
        let spinner = Spinner(label: "Loading", on: terminal.file, clock: clock)
        spinner.start()
        spinner.start()
        try await clock.waitForSleeps()
        clock.advance(by: Spinner.interval)
        try await clock.waitForSleeps(2)
        spinner.label = "A label that is too long for it"
        #expect(spinner.label == "A label that is too long for it")
        clock.advance(by: Spinner.interval)
        try await clock.waitForSleeps(3)
        spinner.stop()
        spinner.stop()
        clock.advance(by: Spinner.interval)

        let frames = ["⠋ Loading", "⠙ Loading", "⠹ A label that is t", ""].map { erase + $0 }
        #expect(try await terminal.read(until: frames[2] + frames[3]) == frames.joined())
    }

    @Test("A spinner that is released clears the line")
    func release() async throws {
        let terminal = try PseudoTerminal(columns: 20)
        var spinner: Spinner? = Spinner(on: terminal.file, clock: clock)
        spinner?.start()
        try await clock.waitForSleeps()
        spinner = nil
        #expect(try await terminal.read(until: "⠋" + erase) == erase + "⠋" + erase)
    }

    @Test("Without a terminal, no spinner is drawn")
    func noTerminal() throws {
        let pipe = Pipe()
        let spinner = Spinner(label: "Loading", on: pipe.fileHandleForWriting, clock: clock)
        spinner.start()
        spinner.stop()
        try pipe.fileHandleForWriting.close()
        #expect(try pipe.fileHandleForReading.readToEnd() ?? Data() == Data())
        #expect(clock.sleeps.isEmpty)
    }
}
