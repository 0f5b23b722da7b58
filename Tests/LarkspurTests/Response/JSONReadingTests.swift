import Foundation
import JSONSyntax
import TestSupport
import Testing

@testable import Larkspur

@Suite("Reading of JSON")
struct JSONReadingTests {
    @Test("Order, digits and positions are preserved, and escapes are decoded")
    func nodes() throws {
        let node = try JSONNode(Array(#" {"b": 1.50, "a": [true, null, "\u00e9\ud83d\ude00\n"], "b": -0e5} "#.utf8))

        #expect(node.members?.map(\.name) == ["b", "a", "b"] && node.offset == 1)
        #expect(node["b"]?.kind == .number("1.50") && node["b"]?.offset == 7)
        #expect(node["a"]?.array?.map(\.kind) == [.bool(true), .null, .string("é😀\n")])
        #expect(String(decoding: node.compact, as: UTF8.self) == #"{"b":1.50,"a":[true,null,"é😀\n"],"b":-0e5}"#)
        #expect(String(decoding: node.canonical, as: UTF8.self).hasPrefix(#"{"a":["#))
        #expect(try JSONNode(Array(" 1".utf8)) == JSONNode(.number("1")))
    }

    @Test(
        "An error has its position and its reason",
        arguments: [
            ("", 0, "the document ends too early"), ("[1", 2, "the document ends too early"),
            ("[1,]", 3, "a value is missing"), ("{,}", 1, "the name of a member is missing"),
            ("{\"a\" 1}", 5, "a colon is missing"), ("[1 2]", 3, "a comma or the end of an array is missing"),
            ("{\"a\":1]", 6, "a comma or the end of an object is missing"),
            ("1 x", 2, "there is something after the end of the document"), ("01", 1, "a number begins with a zero"),
            ("-", 1, "a value is missing"), ("1.", 2, "a digit is missing"), ("1e+", 3, "a digit is missing"),
            ("+1", 0, "a value is missing"), ("tru", 0, "a value is missing"),
            ("\"a", 2, "the document ends within a string"), ("\"\t\"", 1, "a string has a control character"),
            ("\"\\x\"", 2, "an escape is not known"), ("\"\\u12g4\"", 2, "four hexadecimal digits are missing"),
            ("\"\\ud800\"", 3, "half of a pair is missing"), ("\"\\udc00\"", 3, "half of a pair is missing"),
            ("\"\\ud800\\n0000\"", 3, "half of a pair is missing"),
        ]
    )
    func failures(text: String, offset: Int, reason: String) {
        #expect(throws: JSONFailure(reason: reason, offset: offset)) { try JSONNode(Array(text.utf8)) }
    }

    @Test("A string must be UTF-8, and the depth of nesting is limited")
    func limits() throws {
        #expect(throws: JSONFailure(reason: "a string is not UTF-8", offset: 1)) {
            try JSONNode([0x5B, 0x22, 0xFF, 0x22, 0x5D])
        }
        let nested = { (depth: Int) in
            Array(String(repeating: "[", count: depth).utf8) + Array(repeating: 0x5D, count: depth)
        }
        _ = try JSONNode(nested(JSONNode.maximumDepth))
        #expect(throws: JSONFailure(reason: "the document is nested too deeply", offset: JSONNode.maximumDepth)) {
            try JSONNode(nested(JSONNode.maximumDepth + 1))
        }
        #expect(throws: JSONFailure(reason: "the document is nested too deeply", offset: 2)) {
            try JSONNode(nested(3), maximumDepth: 2)
        }
    }

    @Test("Random JSON, also with changed bytes, has the same value as from JSONDecoder", arguments: 0..<40)
    func sameAsFoundation(seed: UInt64) throws {
        var generator = RandomJSON(seed: seed)
        for _ in 0..<100 {
            let text = generator.document()
            let mutated = generator.mutated(text)
            try compare(text, seed)
            try compare(mutated, seed)
        }
    }

    /// Compares what the reader and Foundation make of a text. A text that the reader rejects goes to Foundation.
    private func compare(_ text: [UInt8], _ seed: UInt64) throws {
        let decoded = try? JSONDecoder().decode(JSONValue.self, from: Data(text))
        let comment = Comment("seed \(seed): \(String(decoding: text, as: UTF8.self))")
        if let value = JSONValue(json: Data(text)) {
            #expect(decoded.map(value.difference) == .some(nil), comment)
        } else if let node = try? JSONNode(text) {
            #expect(node.numbers.contains { Double($0)?.isFinite != true }, comment)
        }
    }

    @Test("A value uses its decoder if the decoder has other settings, or if the content is not UTF-8")
    func decoders() throws {
        let serializer = DecodableResponseSerializer<JSONValue>()
        #expect(try serializer.serialize(Data(#"{"a":[1,2.5]}"#.utf8), response: nil) == ["a": [1, 2.5]])
        #expect(try serializer.serialize(#require("[1]".data(using: .utf16)), response: nil) == [1])
        #expect(throws: LarkspurError.self) { try serializer.serialize(Data("[1e999]".utf8), response: nil) }
        // JSONDecoder has no number here, and not the nearest one.
        #expect(try serializer.serialize(Data("[1e-999]".utf8), response: nil) == [0])

        let lenient = JSONDecoder()
        lenient.allowsJSON5 = true
        #expect(
            try DecodableResponseSerializer<JSONValue>(decoder: lenient).serialize(Data("{a: 1}".utf8), response: nil)
                == ["a": 1]
        )
        let other = DecodableResponseSerializer<JSONValue>(decoder: Constant())
        #expect(try other.serialize(Data("[]".utf8), response: nil) == "constant")
    }

    private struct Constant: DataDecoder {
        let contentTypes: Set<MediaRange> = .json
        func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
            try JSONDecoder().decode(type, from: Data(#""constant""#.utf8))
        }
    }
}

extension JSONValue {
    /// The first values that differ, but for the last digit of numbers beyond 2⁵³: of 9007199254740993.0 Foundation
    /// makes the integer, and it drops fractions of such numbers.
    fileprivate func difference(from other: JSONValue) -> String? {
        switch (self, other) {
        case (.array(let left), .array(let right)) where left.count == right.count:
            return zip(left, right).lazy.compactMap { $0.difference(from: $1) }.first
        case (.object(let left), .object(let right)) where left.count == right.count:
            return left.lazy.compactMap { $1.difference(from: right[$0] ?? .null) }.first
        case (.number(let left), _):
            if let right = other.double, left.magnitude >= 0x1p53, abs(left - right) <= left.ulp { return nil }
        default: break
        }
        return self == other ? nil : "\(self) and not \(other)"
    }
}

extension JSONNode {
    fileprivate var numbers: [String] {
        switch kind {
        case .number(let digits): [digits]
        case .array(let elements): elements.flatMap(\.numbers)
        case .object(let members): members.flatMap(\.value.numbers)
        case .null, .bool, .string: []
        }
    }
}

/// A maker of JSON in unusual forms, and of texts that are almost JSON.
private struct RandomJSON {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func document() -> [UInt8] { Array((blank() + value(depth: 0) + blank()).utf8) }

    /// Returns a text with one byte that is changed, added or removed.
    mutating func mutated(_ text: [UInt8]) -> [UInt8] {
        var text = text
        let index = Int.random(in: 0..<text.count, using: &random)
        let byte = Array("{}[]:,\"\\0123456789.eE+-tfnu \u{0}\t\u{7F}".utf8).randomElement(using: &random) ?? 0
        switch Int.random(in: 0..<4, using: &random) {
        case 0: text[index] = byte
        case 1: text.insert(byte, at: index)
        case 2: text.remove(at: index)
        default: text[index] = UInt8.random(in: 0...255, using: &random)
        }
        return text
    }

    private mutating func value(depth: Int) -> String {
        switch Int.random(in: 0..<(depth < 5 ? 10 : 6), using: &random) {
        case 0: return ["null", "true", "false"].randomElement(using: &random) ?? ""
        case 1, 2: return string()
        case 3, 4, 5: return number()
        case 6, 7:
            let elements = (0..<Int.random(in: 0...4, using: &random)).map { _ in
                blank() + value(depth: depth + 1) + blank()
            }
            return "[" + elements.joined(separator: ",") + (elements.isEmpty ? blank() : "") + "]"
        default:
            let members = (0..<Int.random(in: 0...4, using: &random)).map { _ in
                blank() + string() + blank() + ":" + blank() + value(depth: depth + 1) + blank()
            }
            return "{" + members.joined(separator: ",") + (members.isEmpty ? blank() : "") + "}"
        }
    }

    private mutating func number() -> String {
        let whole = [
            "0", "1", "12", "-0", "-7", "9007199254740993", "9223372036854775807", "9223372036854775808",
            "18446744073709551615", "18446744073709551616", "-9223372036854775808", "-9223372036854775809",
            "123456789012345678901234567890", "\(UInt64.random(in: 0...(.max), using: &random))",
        ]
        let fraction = ["", "", ".0", ".5", ".10", ".000000000000000000001", ".3333333333333333333333"]
        let exponent = ["", "", "", "e0", "E+2", "e-7", "e15", "e19", "e308", "e400"]
        return (whole.randomElement(using: &random) ?? "") + (fraction.randomElement(using: &random) ?? "")
            + (exponent.randomElement(using: &random) ?? "")
    }

    private mutating func string() -> String {
        let parts = [
            "a", "b", "name", " ", "é", "😀", "e\u{301}", "\u{7F}", "\u{2028}", "/", "\\/", "\\\"", "\\\\", "\\n", "\\t",
            "\\b", "\\f", "\\r", "\\u0041", "\\u00e9", "\\u00E9", "\\ud83d\\ude00", "\\u0000", "\\uFFFF", "\\u2028",
        ]
        let text = (0..<Int.random(in: 0...3, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }
        return "\"" + text.joined() + "\""
    }

    private mutating func blank() -> String {
        ["", "", "", " ", "\n", "\r\n", "\t  "].randomElement(using: &random) ?? ""
    }
}
