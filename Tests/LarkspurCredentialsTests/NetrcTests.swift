import HTTPSyntax
import LarkspurCredentials
import TestSupport
import Testing

@Suite("netrc files")
struct NetrcTests {
    /// The host, login and password of each entry; a dash for none.
    private static func summary(_ netrc: Netrc) -> [String] {
        netrc.entries.map { entry in
            [entry.host, entry.login, entry.password].map { $0 ?? "-" }.joined(separator: "|")
        }
    }

    @Test(
        "A text has the entries that curl reads",
        arguments: [
            ("", []), ("\n \t\r\n", []), ("machine h.test login ada password pw", ["h.test|ada|pw"]),
            ("machine\nh.test\n\tlogin\r\nada\n\npassword pw\n", ["h.test|ada|pw"]),
            ("MACHINE h.test Login ada PassWord pw", ["h.test|ada|pw"]),
            ("machine h.test password pw login ada account x", ["h.test|ada|pw"]),
            ("machine a.test login ada", ["a.test|ada|-"]), ("machine a.test password pw", ["a.test|-|pw"]),
            ("machine a.test machine b.test login b", ["a.test|-|-", "b.test|b|-"]),
            ("machine a.test login a default login b password c", ["a.test|a|-", "-|b|c"]),
            ("machine default login machine password login account password", ["default|machine|login"]),
            // Quotation marks and escapes.
            (#"machine "h.test" login "a b" password "\"\\\n\r\t\x#""#, ["h.test|a b|\"\\\n\r\tx#"]),
            (#"machine h.test login "" password """#, ["h.test||"]),
            (#"machine h.test login a"b\n password \"c"#, [#"h.test|a"b\n|\"c"#]),
            ("machine h.test login \u{301}a password \"\u{301}\"", ["h.test|\u{301}a|\u{301}"]),
            // Comments.
            ("# machine x\n  #machine y\nmachine h.test # z login b\nlogin a#b # c", ["h.test|a#b|-"]),
            ("machine h.test login\n# c\na password #pw", ["h.test|a|#pw"]),
            ("machine h.test password \"#pw\" #\"", ["h.test|-|#pw"]),
            // Macros.
            ("macdef m\nmachine x\nlogin \"\n \n\nmachine h.test login a", ["h.test|a|-"]),
            ("macdef m machine x\r\nlogin y\r\n\r\nmachine h.test login a", ["h.test|a|-"]),
            ("machine h.test login a macdef m\nmachine x login y", ["h.test|a|-"]),
        ] as [(String, [String])]
    )
    func grammar(text: String, entries: [String]) throws {
        #expect(Self.summary(try Netrc(text: text)) == entries)
    }

    @Test(
        "An error names the line, and no word of the text",
        arguments: [
            ("machine h.test login ada password secret words", 1, "none of machine"),
            ("\nmachine h.test\nlogin ada secret\n", 3, "none of machine"),
            ("machine h.test login ada\nmachin secret login ada", 2, "none of machine"),
            ("machine h.test \"login\" secret", 1, "none of machine"),
            ("# c\nlogin secret\n", 2, "The login follows no machine"),
            ("macdef m\n\npassword secret", 3, "The password follows no machine"),
            ("machine h.test login ada\nmacdef secret\n\npassword secret", 4, "The password follows no machine"),
            ("machine h.test login ada\nlogin secret", 2, "second login"),
            ("machine h.test password secret\npassword secret", 2, "second password"),
            ("machine", 1, "machine has no value"), ("machine secret\nlogin ada\npassword\n\n", 3, "no value"),
            ("machine h.test\nlogin \"secret\npassword x\"", 2, "quotation mark"),
            ("machine h.test\nlogin \"secret\\", 2, "quotation mark"),
            ("machine h.test\nlogin \"secret\\\n\"", 2, "quotation mark"),
            ("machine h.test password \"secret\"word", 1, "no blank"),
            ("machine h.test\npassword sec\u{1}ret", 2, "control character"),
            ("machine h.test\npassword \"sec\0ret\"", 2, "zero byte"), ("machine h.test\nmacdef \n\n", 2, "no name"),
            ("\u{FEFF}machine h.test login secret", 1, "none of machine"),
        ]
    )
    func errors(text: String, line: Int, sentence: String) {
        let error = #expect(throws: NetrcError.self) { try Netrc(text: text) }
        #expect(error?.reason == .malformed && error?.line == line && error?.path == nil)
        #expect(error?.message.hasPrefix("Line \(line): ") == true)
        #expect(error?.message.contains(sentence) == true, "\(error?.message ?? "")")
        #expect(error.map { "\($0) \($0.localizedDescription)" }?.contains("secret") == false)
    }

    @Test(
        "An entry is for its host alone, in the canonical form",
        arguments: [
            ("h.test", "http://h.test/", true), ("H.Test", "https://h.TEST:8443/x?y", true),
            ("h.test", "ws://h.test", true), ("h.test", "http://x.h.test/", false), ("h.test", "http://test/", false),
            ("h.test", "http://h.test.evil/", false), ("h.test", "http://evil-h.test/", false),
            ("h.test", "http://h.test.:80/", false), ("h.test.", "http://h.test./", true),
            ("h.test", "http://h.test@evil/", false), ("h.test", "http://evil/h.test", false),
            ("h.test:80", "http://h.test:80/", false), ("127.0.0.1", "http://127.0.0.1/", true),
            ("127.0.0.1", "http://127.0.0.2/", false), ("::1", "http://[::1]:80/", true),
            ("[0:0::1]", "http://[::1]/", true), ("bücher.test", "http://xn--bcher-kva.test/", true),
            ("*", "http://h.test/", false), ("", "http://h.test/", false), ("h.test", "file:///h.test", false),
        ]
    )
    func hosts(host: String, text: String, isFound: Bool) throws {
        let url = try #require(URL(string: text))
        let entry = try Netrc(text: "machine \"\(host)\" login ada password pw").entry(for: url)
        #expect((entry != nil) == isFound)
        #expect(entry == nil || entry?.login == "ada" && entry?.password == "pw")
    }

    @Test("The first suitable entry with a login or a password counts, in the order of the file")
    func order() throws {
        let text = """
            machine a.test
            machine a.test login first password 1
            machine a.test login second password 2
            machine b.test password any
            machine c.test login only
            default login default password 3
            machine d.test login late password 4
            """
        let netrc = try Netrc(text: text)
        func found(_ host: String, _ login: String? = nil) -> String? {
            netrc.entry(forHost: host, login: login).map { "\($0.login ?? "-"):\($0.password ?? "-")" }
        }
        #expect(found("a.test") == "first:1")
        #expect(found("a.test", "second") == "second:2")
        #expect(found("a.test", "default") == "default:3")
        #expect(found("a.test", "third") == nil)
        #expect(found("b.test") == "-:any")
        #expect(found("b.test", "third") == "-:any")
        #expect(found("c.test") == "only:-")
        #expect(found("c.test", "only") == nil)
        #expect(found("d.test") == "default:3")
        #expect(found("no host") == nil)
        #expect(
            netrc.entry(forHost: "b.test")?.authorization.value == "Basic " + Data(":any".utf8).base64EncodedString()
        )
    }

    @Test("Descriptions and mirrors contain neither logins nor passwords")
    func descriptions() throws {
        let netrc = try Netrc(text: "machine h.test login ada password secret default login ada password secret")
        var text = "\(netrc) \(netrc.entries) \(String(reflecting: netrc))"
        dump(netrc, to: &text)
        dump(netrc.entries, to: &text)
        #expect(text.contains("h.test") && !text.contains("ada") && !text.contains("secret"), "\(text)")
    }

    // MARK: A model

    /// The random text of an entry, and its summary.
    private struct Sample {
        private static let characters = Array("abcAZ09#\"\\ \t-._:/@%ä😀\u{301}\n\r")
        private static let separators = [" ", "\t", "\n", "\r\n", "  \n\n\t", "\n# machine \"x\n", "\n#\n"]
        var generator: SeededGenerator

        mutating func pick<Element>(_ elements: [Element], _ otherwise: Element) -> Element {
            elements.randomElement(using: &generator) ?? otherwise
        }

        private mutating func separator() -> String { pick(Self.separators, " ") }

        /// Returns a value, and its notation.
        private mutating func value() -> (value: String, notation: String) {
            let count = Int.random(in: 0...8, using: &generator)
            let value = String((0..<count).map { _ in pick(Self.characters, "x") })
            let isPlain = !value.isEmpty && value.first != "\"" && !value.unicodeScalars.contains { $0.value <= 0x20 }
            // A value that begins with # in a new line would be a comment.
            if isPlain, !value.hasPrefix("#"), Bool.random(using: &generator) { return (value, value) }
            var notation = ""
            for scalar in value.unicodeScalars {
                switch scalar {
                case "\n": notation += "\\n"
                case "\r": notation += pick(["\\r", "\r"], "\\r")
                case "\t": notation += pick(["\\t", "\t"], "\\t")
                case "\"", "\\": notation += "\\\(scalar)"
                default: notation.unicodeScalars.append(scalar)
                }
            }
            return (value, "\"\(notation)\"")
        }

        private mutating func word(_ keyword: String) -> String {
            (Bool.random(using: &generator) ? keyword : keyword.uppercased()) + separator()
        }

        mutating func entry() -> (text: String, summary: String) {
            let host = pick(["h.test", "192.0.2.1", "::1", nil], nil)
            var text = host.map { word("machine") + $0 } ?? "default"
            var values = ["login": "-", "password": "-"]
            for keyword in ["login", "password", "account"].shuffled(using: &generator)
            where Int.random(in: 0..<4, using: &generator) > 0 {
                let (content, notation) = value()
                text += separator() + word(keyword) + notation
                if keyword != "account" { values[keyword] = content }
            }
            if Int.random(in: 0..<6, using: &generator) == 0 {
                text += separator() + "macdef m\(pick(["\n", "\r\n"], " "))machine x login \"\n\n"
            }
            let parts = [host ?? "-", values["login"] ?? "-", values["password"] ?? "-"]
            return (text + separator(), parts.joined(separator: "|"))
        }
    }

    @Test("Random entries are read as they were written, in each notation", .seeded)
    func model() throws {
        var sample = Sample(generator: SeededGenerator(48))
        for _ in 0..<2000 {
            let entries = (0..<Int.random(in: 0...5, using: &sample.generator)).map { _ in sample.entry() }
            let text = entries.map(\.text).joined()
            let summary = Self.summary(try Netrc(text: text))
            guard summary == entries.map(\.summary) else {
                Issue.record("\(text.debugDescription): \(summary), and not \(entries.map(\.summary))")
                return
            }
        }
    }
}
