import Foundation
import TestSupport
import Testing

@testable import Larkspur

/// Contents, URLs and fields of every class of bytes: hiding secrets costs as much as they are long.
@Suite("Costs of hiding secrets", .enabled(if: Growth.isMeasured), .serialized, .timeLimit(.minutes(10)))
struct RedactionCostTests {
    private static let units = [
        "a", "=", "&", ";", "?", "#", "/", "//", "@", "%", "%25", "%3D", "%7B", ",", "\"", "=\"", "\\", "\\\"", "<",
        " ", "\r",
        "\n", "\r\n", "{", "[", "[]", "{\"a\":", "\"a\",", "\"=\",", "data:", "data: {\n", "data:[]\n\n", "\u{1E}",
        "a=b&",
        "a=b;", "a;b/", "token=", "token=a/", ";token=a/", "token=a&", "://a@", "name=", "name", "n", "--b\n",
        "--b\r\n\r\n",
        "--", "é", "\u{301}", "\u{FEFF}", "\u{1F600}", "\u{0}", "0", "1e9,", "code", "A",
    ]

    /// The types of content, and what stands before the units.
    private static let types = [
        ("application/json", starts), ("application/x-ndjson", starts), ("application/json-seq", starts),
        ("text/event-stream", starts + ["data: "]), ("text/plain", [""]), ("application/x-www-form-urlencoded", [""]),
        ("multipart/mixed; boundary=b", [""]), ("multipart/mixed; boundary=----------------", [""]),
    ]

    private static let starts = ["", "[\"", "{\"a\":\""]

    @Test("Contents are redacted in linear time", arguments: types, units)
    func contents(type: (name: String, starts: [String]), unit: String) {
        for start in type.starts {
            let contents = { (size: Int) in
                Data((start + String(repeating: unit, count: size / unit.utf8.count)).utf8)
            }
            #expect(
                Growth.factor(of: contents, upTo: 1 << 12) { _ = Redaction.standard.content($0, type: type.name) }
                    < Growth.linear,
                "\(start.debugDescription)"
            )
        }
    }

    @Test(
        "XML is redacted in linear time",
        arguments: [
            "a", "<", ">", "<a>", "</a>", "<a/>", "<a ", "<a b=", "<a b='1' ", "b=c ", "b='<a>' ", "\"", "'", "/", "=",
            "&",
            "&lt;", "&amp;", "&#", "&#1", "&#x41;", "<!--", "-->", "--", "<![CDATA[", "]]>", "]]", "<?a ",
            "<!DOCTYPE a",
            "<!DOCTYPE a>", "<token>", "</token>", "<token/>", "<key>", "<key>pin</key>", "<value>", "<value>1</value>",
            "<a key='pin' value='1'/>", "<value>1</value><name>pin</name>", "&lt;a&gt;", "<![CDATA[<a>]]>", "<!--a-->",
            "{", "[",
        ],
        ["", "<token>", "<a b=\"", "<a ", "<!--", "<![CDATA[", "<a>", "<t><name>pin</name>"]
    )
    func xml(unit: String, start: String) {
        let contents = { (size: Int) in
            Data((start + String(repeating: unit, count: size / unit.utf8.count)).utf8)
        }
        let work = { (content: Data) in _ = Redaction.standard.content(content, type: "text/xml") }
        #expect(Growth.factor(of: contents, upTo: 1 << 14, work) < Growth.linear)
    }

    @Test("JSON with strings of each kind is redacted in linear time", arguments: units)
    func strings(unit: String) {
        let contents = { (size: Int) in
            (try? JSONSerialization.data(
                withJSONObject: ["a": String(repeating: unit, count: size / unit.utf8.count)]
            )) ?? Data()
        }
        let work = { (content: Data) in _ = Redaction.standard.content(content, type: "application/json") }
        #expect(Growth.factor(of: contents, upTo: 1 << 14, work) < Growth.linear)
    }

    @Test("URLs and fields are redacted in linear time", arguments: units, ["", "https://h/", "/a?b=", "a=\""])
    func texts(unit: String, start: String) {
        let texts = { (size: Int) in start + String(repeating: unit, count: size / unit.utf8.count) }
        #expect(Growth.factor(of: texts, upTo: 1 << 14) { _ = Redaction.standard.text($0) } < Growth.linear)
        let protocols = { (text: String) in
            _ = Redaction.standard.value(of: .init(name: "Sec-WebSocket-Protocol", value: text))
        }
        #expect(Growth.factor(of: texts, upTo: 1 << 14, protocols) < Growth.linear)
    }

    @Test("Nested encodings are redacted in linear time", arguments: ["token=a&", "[", "a"])
    func nested(unit: String) {
        let texts = { (size: Int) in
            var text = String(repeating: unit, count: size / unit.utf8.count / 27)
            for _ in 0..<3 { text = "u=" + text.utf8.map { String(format: "%%%02x", $0) }.joined() }
            return text
        }
        #expect(Growth.factor(of: texts, upTo: 1 << 14) { _ = Redaction.standard.text($0) } < Growth.linear)
    }
}
