import Foundation
import HTTPSyntax
import TestSupport
import Testing

@Suite struct StructuredFieldTests {
    static let items: [(text: String, value: StructuredField.BareItem)] = [
        ("0", .integer(0)), ("-0", .integer(0)), ("042", .integer(42)),
        ("-999999999999999", .integer(-999_999_999_999_999)),
        ("999999999999999", .integer(999_999_999_999_999)),
        ("1.5", .decimal(1.5)), ("-0.125", .decimal(-0.125)), ("123456789012.125", .decimal(123_456_789_012.125)),
        (#""""#, .string("")), (#""a b,;=""#, .string("a b,;=")), (#""\"\\""#, .string(#""\"#)),
        ("a", .token("a")), ("*/x:y!#$%&'*+-.^_`|~1", .token("*/x:y!#$%&'*+-.^_`|~1")), ("A:/", .token("A:/")),
        ("::", .bytes(Data())), (":AQI=:", .bytes(Data([1, 2]))), (":AQI:", .bytes(Data([1, 2]))),
        ("?1", .boolean(true)), ("?0", .boolean(false)),
        ("@1659578233", .date(1_659_578_233)), ("@-1", .date(-1)),
        (#"%"a %c3%bc %22""#, .displayString("a ü \"")),
        ("  1  ", .integer(1)),
    ]

    @Test("A bare item of each type is read", arguments: items)
    func bareItems(text: String, value: StructuredField.BareItem) {
        #expect(StructuredField.item(text) == .init(value))
        #expect(StructuredField.list(text) == [.item(.init(value))])
        #expect(
            StructuredField.dictionary("a=" + text.trimmingCharacters(in: .whitespaces)) == ["a": .item(.init(value))]
        )
    }

    @Test(
        "A malformed item is not read",
        arguments: [
            "", " ", "-", "--1", "+1", "1234567890123456", "1234567890123.1", "1.", ".5", "1.2345", "1.2.3", "1e3",
            "- 1",
            "\"", "\"a", "\"a\\\"", #""\a""#, "\"\u{7F}\"", "\"é\"", "\"\t\"", "é", ":AQI=", ":A:", ":AQI==:", ":A Q:",
            ":AQ_-:", "?", "?2", "?true", "@", "@1.5", "@a", "%", "%a", #"%"%C3%BC""#, #"%"%c3""#, #"%"%4""#, #"%"ü""#,
            "1 2", "1,2", "\t1", "1\t", "(1 2)", "a;", "a;B", "a;b=", "a ;b", "a;b =1", "a;b= 1", "a=1", "!a",
        ]
    )
    func malformedItems(text: String) { #expect(StructuredField.item(text) == nil) }

    @Test("Parameters are read, and the last one of a name counts")
    func parameters() {
        let item = StructuredField.item(#"a;b;  c=1.5;*d-_.*9="x";b=?0;e=:AQ==:"#)
        #expect(
            item?.parameters == [
                "b": .boolean(false), "c": .decimal(1.5), "*d-_.*9": .string("x"), "e": .bytes(Data([1])),
            ]
        )
        #expect(item?.value == .token("a"))
    }

    @Test("Lists and inner lists are read")
    func lists() {
        #expect(StructuredField.list("") == [] && StructuredField.list("  ") == [])
        #expect(StructuredField.list("1\t ,\t 2 ") == [.item(.init(.integer(1))), .item(.init(.integer(2)))])
        let inner = StructuredField.list(#"( "a"  b;c );d=1, ()"#)
        #expect(
            inner == [
                .innerList(
                    [.init(.string("a")), .init(.token("b"), ["c": .boolean(true)])],
                    parameters: ["d": .integer(1)]
                ),
                .innerList([], parameters: [:]),
            ]
        )
        #expect(inner?.first?.item == nil)
    }

    @Test(
        "A malformed list is not read",
        arguments: [
            "1,", "1, ", ",1", "1,,2", "1 2", "(1", "(1,2)", "(1\t2)", "(\"a\"b)", "((1))", "(1)a", "1;a=(2)", "a=1",
        ]
    )
    func malformedLists(text: String) { #expect(StructuredField.list(text) == nil) }

    @Test("Dictionaries are read, and the last member of a key counts")
    func dictionaries() {
        #expect(StructuredField.dictionary("") == [:])
        #expect(
            StructuredField.dictionary("a=1;x, b;y=2, a=(2 3), *c=?0")
                == [
                    "a": .innerList([.init(.integer(2)), .init(.integer(3))], parameters: [:]),
                    "b": .item(.init(.boolean(true), ["y": .integer(2)])), "*c": .item(.init(.boolean(false))),
                ]
        )
    }

    @Test(
        "A malformed dictionary is not read",
        arguments: ["A=1", "1=1", "a=", "a= 1", "a =1", "a=1,", "a=1 b=2", "=1", "\"a\"=1", "a=1;", "a;=1"]
    )
    func malformedDictionaries(text: String) { #expect(StructuredField.dictionary(text) == nil) }

    @Test("Random texts of the syntax's characters are read in the same way with blanks around their commas", .seeded)
    func randomTexts() {
        var generator = SeededGenerator()
        let parts = [
            "1", "-", ".", "\"", "\\", "a", "=", ";", ",", " ", "(", ")", ":", "AQ==", "?1", "@", "%", "*", "é",
        ]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...12, using: &generator)
            let text = (0..<count).map { _ in parts.randomElement(using: &generator) ?? "" }.joined()
            let list = StructuredField.list(text)
            let dictionary = StructuredField.dictionary(text)
            // A member of a dictionary in the form `a=1` is no item.
            if let item = StructuredField.item(text) { #expect(list == [.item(item)], "\(text)") }
            if list?.isEmpty == false { #expect(StructuredField.list(text + " ,  1")?.count == (list?.count ?? 0) + 1) }
            if dictionary?.isEmpty == false {
                #expect(StructuredField.dictionary(text + ",zz=1")?["zz"] == .item(.init(.integer(1))), "\(text)")
            }
        }
    }

    @Test(
        "The cost of reading grows with the length",
        .enabled(if: Growth.isMeasured),
        arguments: ["a,", "a;b", "a;b=1,", "(a ", "\"\\\"", "(a),", ":AQ==:,", "a=1,", "%\"a\","]
    )
    func cost(unit: String) {
        let inputs = { (size: Int) in String(repeating: unit, count: size / unit.utf8.count) }
        let growth = Growth.factor(of: inputs) { text in
            _ = StructuredField.list(text)
            _ = StructuredField.dictionary(text)
            _ = StructuredField.item(text)
        }
        #expect(growth < Growth.linear)
    }
}
