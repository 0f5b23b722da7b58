#if canImport(FoundationNetworking)
import TestSupport
import Testing

@testable import LarkspurTransport

/// Resume data of up to 512 KiB, of the 1 MiB that is read: the cost grows with the length.
@Suite("Costs of resume data", .enabled(if: Growth.isMeasured), .serialized, .timeLimit(.minutes(5)))
struct ResumeDataCostTests {
    /// A member of the object in place of one that there is, or beside them: the start, units, and the end.
    struct Shape: Sendable, CustomTestStringConvertible {
        let start: String
        let unit: @Sendable (Int) -> String
        let end: String

        init(_ start: String, _ end: String, _ unit: @escaping @Sendable (Int) -> String) {
            (self.start, self.unit, self.end) = (start, unit, end)
        }

        var testDescription: String { start + unit(1) + end }
        private var name: Substring { start.prefix { $0 != ":" } }

        func data(_ size: Int) -> Data {
            // What the test adds to the text has room too.
            let size = size - 1024
            var text = "{"
            for member in ResumeDataCostTests.members where !member.hasPrefix(name) { text += member + ", " }
            text += start
            var index = 0
            while text.utf8.count < size {
                text += unit(index)
                index += 1
            }
            return Data((text + end + "}").utf8)
        }
    }

    private static let members = [
        #""format": "Larkspur resume data""#, #""version": 1"#, #""url": "http://localhost/""#, #""fields": {}"#,
        #""entityTag": "\"a\"""#, #""file": "/tmp/Larkspur-1-\#(UUID().uuidString).tmp""#, #""received": 1"#,
        #""date": 1"#,
    ]

    static let shapes = [
        Shape(#""fields": {"a": "b""#, "}") { ",\"a\($0)\":\"\"" },
        Shape(#""fields": {"a": "b""#, "}") { _ in ",\"a\":\"\"" },
        Shape(#""fields": {"a": "b""#, "}") { ",\"cooki\($0)\":\"\"" },
        Shape(#""fields": {""#, "\": \"\"}") { _ in "a" },
        Shape(#""fields": {""#, "\": \"\"}") { _ in "sessiosignatur" },
        Shape(#""fields": {"a": ""#, "\"}") { _ in "\\u0301" },
        Shape(#""fields": {"a": ""#, "\"}") { _ in "\\n" }, Shape(#""url": "http://localhost/"#, "\"") { _ in "a/" },
        Shape(#""url": "http://localhost/"#, "\"") { _ in "../" },
        Shape(#""url": "http://localhost/"#, "\"") { _ in "%" },
        Shape(#""url": "http://"#, "\"") { _ in "a." }, Shape(#""url": "http://"#, "\"") { _ in "a@" },
        Shape(#""url": "http://"#, "\"") { _ in ":" }, Shape(#""url": "http://["#, "\"") { _ in "1:" },
        Shape(#""url": ""#, "\"") { _ in "a" }, Shape(#""url": "http://localhost/"#, "\"") { _ in "\u{E9}" },
        Shape(#""url": "http://"#, "/\"") { _ in "\u{E9}" },
        Shape(#""entityTag": "\""#, "\\\"\"") { _ in "x" }, Shape(#""entityTag": ""#, "\"") { _ in "\\\"" },
        Shape(#""file": "/tmp/"#, "\"") { _ in "/" }, Shape(#""file": "/tmp/Larkspur-"#, ".tmp\"") { _ in "1" },
        Shape(#""file": "/tmp/"#, "\"") { _ in "../" }, Shape(#""received": 1"#, "") { _ in "0" },
        Shape(#""date": 0."#, "") { _ in "1" }, Shape(#""x": "#, "") { _ in "[" },
        Shape(#""x": [0"#, "]") { _ in ",[]" },
        Shape(#""x": [0"#, "]") { _ in ",{\"a\":1}" }, Shape(#""x": ""#, "\"") { _ in "\\uD83D\\uDE00" },
        Shape(#""x": 1"#, "") { ",\"x\($0)\":1" }, Shape(#""x": 1"#, "") { _ in " " },
    ]

    @Test("Resume data is parsed in linear time", arguments: shapes)
    func reading(shape: Shape) {
        #expect(Growth.factor(of: shape.data) { _ = ResumeData($0) } < Growth.linear)
    }

    @Test("The date of a version is parsed in linear time", arguments: ["1 ", "Sun, ", "1:1:1 "])
    func date(unit: String) {
        let data = { (size: Int) -> Data in
            let text = String(decoding: Shape(#""lastModified": ""#, "\"") { _ in unit }.data(size), as: UTF8.self)
            return Data(text.replacing(#""entityTag": "\"a\"", "#, with: "").utf8)
        }
        #expect(Growth.factor(of: data) { _ = ResumeData($0) } < Growth.linear)
    }

    @Test("Resume data is written in linear time")
    func writing() throws {
        let url = try #require(URL(string: "http://localhost/"))
        let data = { (size: Int) in
            ResumeData(
                url: url,
                fields: Dictionary(uniqueKeysWithValues: (0..<size / 32).map { ("X-\($0)", "\"\u{E9}\"") }),
                validator: .entityTag("\"" + String(repeating: "a", count: size / 2) + "\""),
                file: "/folder/file",
                total: nil,
                received: 1,
                date: Date()
            )
        }
        let growth = Growth.factor(of: data) { data in
            #expect(data.encoded != nil)
        }
        #expect(growth < Growth.linear)
    }
}
#endif
