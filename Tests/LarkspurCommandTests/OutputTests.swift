import Foundation
import Testing

@testable import LarkspurCommand

@Suite("Output")
struct OutputTests {
    @Test(
        "Text of a server controls no terminal",
        arguments: [
            ("a\u{1B}[31mb", "a?[31mb"), ("a\tb\nc", "a\tb\nc"), ("a\r\nb", "a\nb"), ("a\rb", "a?b"),
            ("\u{9B}1m", "?1m"),
            ("\u{202E}abc", "?abc"), ("👩‍🔬", "👩‍🔬"), ("a\u{2028}b", "a?b"), ("\u{7}\u{8}\u{7F}", "???"), ("é中", "é中"),
        ]
    )
    func printable(text: String, expected: String) {
        #expect(TerminalText.printable(text) == expected)
        var converter = TerminalText()
        // Each byte arrives by itself, also those of one character.
        var pieces = ""
        if !text.contains("\r") {
            for byte in text.utf8 { pieces += converter.text(of: Data([byte])) }
            #expect(pieces + converter.finish() == expected)
        }
    }

    @Test("Bytes that are no text are replaced, and encodings are observed")
    func encodings() {
        var converter = TerminalText()
        #expect(converter.text(of: Data([0x61, 0xFF, 0x62, 0xE4, 0xB8])) == "a\u{FFFD}b")
        #expect(converter.finish() == "\u{FFFD}")
        var latin = TerminalText(charset: "ISO-8859-1")
        #expect(latin.text(of: Data([0xE9, 0x9B, 0x41])) == "é?A")
    }

    @Test(
        "Colours follow the choice, the terminal and NO_COLOR",
        arguments: [
            (nil, true, [:], true, true), (nil, false, [:], false, false), (nil, true, ["NO_COLOR": "1"], false, true),
            (nil, true, ["NO_COLOR": ""], true, true), (.all, false, [:], true, true),
            (.colors, true, [:], true, false),
            (.format, true, [:], false, true), (.plain, true, [:], false, false),
            (.all, true, ["NO_COLOR": "1"], true, true),
        ] as [(Invocation.Prettiness?, Bool, [String: String], Bool, Bool)]
    )
    func style(
        choice: Invocation.Prettiness?,
        isTerminal: Bool,
        environment: [String: String],
        isColored: Bool,
        formats: Bool
    ) {
        let style = Style(choice, isTerminal: isTerminal, environment: environment)
        #expect(style.isColored == isColored)
        #expect(style.formats == formats)
    }

    @Test(
        "Numbers have a fixed number of digits",
        arguments: [
            (0.04, 1, "0.0"), (0.05, 1, "0.1"), (12.345, 3, "12.345"), (-1.25, 1, "-1.3"), (3, 0, "3"),
            (.infinity, 1, "-"),
        ]
    )
    func decimals(number: Double, digits: Int, text: String) {
        #expect(TableText.decimal(number, digits: digits) == text)
    }

    @Test("Columns stand below each other")
    func table() {
        #expect(TableText.text([["a", "1"], ["bcd", "100"]]) == "a      1\nbcd  100\n")
    }

    @Test("Latencies are ranked")
    func latencies() {
        var summary = LatencySummary()
        for number in 1...100 { summary.add(.milliseconds(number), status: number > 98 ? 500 : 200) }
        summary.addError()
        let table = summary.table(elapsed: .seconds(2))
        let rows = table.split(separator: "\n").map {
            $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
        }
        #expect(
            rows == [
                "requests 101", "errors 1", "status 200 98", "status 500 2", "requests/s 50.0", "min ms 1.0",
                "mean ms 50.5",
                "p50 ms 50.0", "p90 ms 90.0", "p99 ms 99.0", "max ms 100.0",
            ]
        )
        #expect(LatencySummary().table(elapsed: .zero).contains("-"))
    }
}
