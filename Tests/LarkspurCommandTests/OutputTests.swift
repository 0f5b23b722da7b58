import Foundation
import Larkspur
import Testing

@testable import LarkspurCommand

@Suite("Output")
struct OutputTests {
    @Test(
        "Text from a server cannot control the terminal",
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
        var chunks = ""
        if !text.contains("\r") {
            for byte in text.utf8 { chunks += converter.text(of: Data([byte])) ?? "?" }
            #expect(chunks + converter.finish() == expected)
        }
    }

    @Test("Invalid bytes are replaced, and the charset is used")
    func encodings() {
        var converter = TerminalText()
        #expect(converter.text(of: Data([0x61, 0xFF, 0x62, 0xE4, 0xB8])) == "a\u{FFFD}b")
        #expect(converter.finish() == "\u{FFFD}")
        var latin = TerminalText(charset: "ISO-8859-1")
        #expect(latin.text(of: Data([0xE9, 0x9B, 0x41])) == "é?A")
    }

    @Test(
        "Each charset is decoded, however its bytes are split",
        arguments: [
            ("windows-1252", [0x80, 0x93, 0xE9, 0x94], "€“é”"),
            ("windows-1252", [0x61, 0x81, 0x62], "a\u{FFFD}b"),
            ("Shift_JIS", [0x93, 0xFA, 0x96, 0x7B, 0x0A, 0x41, 0xB1], "日本\nAｱ"),
            ("Shift_JIS", [0x93, 0xFA, 0x93, 0x0A, 0x96, 0x7B], "日\u{FFFD}\n本"),
            ("EUC-JP", [0xC6, 0xFC, 0xCB, 0xDC], "日本"),
            ("ISO-2022-JP", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42, 0x61], "日a"),
            ("GB18030", [0xD6, 0xD0, 0x81, 0x39, 0xEF, 0x30, 0x61], "中㐁a"),
            ("KOI8-R", [0xF0, 0xD2, 0xC9], "При"),
            ("UTF-16", [0xFE, 0xFF, 0x04, 0x1F, 0xD8, 0x3D, 0xDE, 0x00], "П😀"),
            ("utf-16le", [0x1F, 0x04, 0x3D, 0xD8, 0x00, 0xDE, 0x41], "П😀\u{FFFD}"),
            ("utf-16be", [0x04, 0x1F, 0xD8, 0x3D, 0x00, 0x41], "П\u{FFFD}A"),
            ("utf-8", [0xFF, 0xFE, 0x1F, 0x04], "П"), ("utf-8", [0xEF, 0xBB, 0xBF, 0xC3, 0xA9], "é"),
            ("no-charset", [0xC3, 0xA9, 0xE9], "é\u{FFFD}"), ("utf-8", [0xEF], "\u{FFFD}"), ("utf-16", [], ""),
        ] as [(String, [UInt8], String)]
    )
    func charsets(name: String, bytes: [UInt8], expected: String) {
        var whole = TerminalText(charset: name)
        #expect((whole.text(of: Data(bytes)) ?? "binary") + whole.finish() == expected)
        var single = TerminalText(charset: name)
        var text = ""
        for byte in bytes { text += single.text(of: Data([byte])) ?? "binary" }
        #expect(text + single.finish() == expected)
    }

    @Test("A zero character is binary content, but a zero byte within a wide character is text")
    func zeros() {
        var narrow = TerminalText(charset: "utf-8")
        #expect(narrow.text(of: Data([0x61, 0, 0x62])) == nil)
        var wide = TerminalText(charset: "utf-16le")
        #expect(wide.text(of: Data([0x61, 0, 0x62, 0])) == "ab")
        #expect(wide.text(of: Data([0, 0])) == nil)
    }

    @Test(
        "Long lines continue in their column, and a long word stays whole",
        arguments: [
            ("a", "a"), ("", ""), ("one two three four", "one two\n   three\n   four"),
            ("  ab cd ef", "  ab cd\n   ef"),
            ("abcdefghijkl mn", "abcdefghijkl\n   mn"), ("日本 日本 日本", "日本\n   日本\n   日本"),
        ]
    )
    func wrapped(line: String, expected: String) {
        #expect(TableText.wrapped(line, indent: 3, width: 8) == expected)
    }

    @Test(
        "A text is cut to its number of columns",
        arguments: [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"), ("日本語", 6, "日本語")]
    )
    func cut(text: String, columns: Int, expected: String) { #expect(TableText.cut(text, to: columns) == expected) }

    @Test(
        "Colours depend on the option, the terminal and NO_COLOR",
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
        "A number has the given number of decimal digits",
        arguments: [
            (0.04, 1, "0.0"), (0.05, 1, "0.1"), (12.345, 3, "12.345"), (-1.25, 1, "-1.3"), (3, 0, "3"),
            (.infinity, 1, "-"),
        ]
    )
    func decimals(number: Double, digits: Int, text: String) {
        #expect(number.decimal(digits: digits) == text)
    }

    @Test("The columns of a table are aligned")
    func table() {
        #expect(TableText.text([["a", "1"], ["bcd", "100"]]) == "a      1\nbcd  100\n")
    }

    @Test("The table of latencies has their percentiles")
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
