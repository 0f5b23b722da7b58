import Foundation
import HTTPSyntax
import TestSupport
import Testing

@Suite("The text of structured fields")
struct StructuredFieldTextTests {
    @Test("A bare item of each type has the text of the RFC")
    func bareItems() {
        for (item, text) in [
            (.integer(-42), "-42"), (.integer(999_999_999_999_999), "999999999999999"),
            (.integer(1_000_000_000_000_000), nil), (.decimal(1), "1.0"), (.decimal(-0.25), "-0.25"),
            (.decimal(1.0625), "1.062"), (.decimal(0.1239), "0.124"),
            (.decimal(123_456_789_012.125), "123456789012.125"),
            (.decimal(1e12), nil), (.decimal(.nan), nil), (.string(#"a"b\c"#), #""a\"b\\c""#), (.string("é"), nil),
            (.string("a\n"), nil), (.token("*a/b:c"), "*a/b:c"), (.token("1a"), nil), (.token(""), nil),
            (.token("a b"), nil), (.bytes(Data([1, 2])), ":AQI=:"), (.boolean(true), "?1"), (.boolean(false), "?0"),
            (.date(-1), "@-1"), (.displayString("a ü\" %"), "%\"a %c3%bc%22 %25\""),
        ] as [(StructuredField.BareItem, String?)] {
            #expect(item.text == text)
        }
    }

    @Test("Members have their parameters, in their order and without blanks")
    func members() {
        for (text, expected) in [
            ("a=1,    b=2;x=1;y=2,   c=(a   b   c)", "a=1, b=2;x=1;y=2, c=(a b c)"),
            ("b, a;z;y=?1;x=?0, c=?1, d=?0, b=(1;q=2  2);r, a=3", "b=(1;q=2 2);r, a=3, c, d=?0"),
            ("a;b=1;c;b=2", "a;b=2;c"), ("a=:AQI:", "a=:AQI=:"), ("a=1.50, b=-0, c=007", "a=1.5, b=0, c=7"), ("", ""),
        ] {
            #expect(
                StructuredField.orderedDictionary(text).flatMap { StructuredField.text(ofDictionary: $0) } == expected
            )
        }
        let list = StructuredField.list("( ), (\"a\" );b ,\t1;*c")
        #expect(list.flatMap { StructuredField.text(ofList: $0) } == "(), (\"a\");b, 1;*c")
        #expect(StructuredField.Item(.integer(1), ["A": .integer(1)]).text == nil)
        #expect(StructuredField.text(ofDictionary: ["a b": .item(.init(.integer(1)))]) == nil)
    }

    @Test("Keys that occur twice are noted, keep their first place and have their last value")
    func repeatedKeys() {
        let members = StructuredField.orderedDictionary("a=1, b=2, a=3")
        #expect(members?.hasRepeatedKeys == true && members?.keys == ["a", "b"])
        #expect(members?["a"] == .item(.init(.integer(3))) && members?["c"] == nil)
        #expect(StructuredField.orderedDictionary("a=1, b=2")?.hasRepeatedKeys == false)
    }

    @Test("What was read from random text is the same when it was written and read again", .seeded)
    func roundTrip() throws {
        var generator = SeededGenerator()
        let parts = [
            "1", "-", "1.5", "\"b\"", "\\", "a", "=", ";c", ", ", " ", "(", ")", ":AQ==:", "?1", "@1", "%\"%c3%a9\"",
            "*",
        ]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...10, using: &generator)
            let text = (0..<count).map { _ in parts.randomElement(using: &generator) ?? "" }.joined()
            if let list = StructuredField.list(text) {
                let written = try #require(StructuredField.text(ofList: list), "\(text)")
                #expect(StructuredField.list(written) == list, "\(text)")
            }
            if let dictionary = StructuredField.orderedDictionary(text) {
                let written = try #require(StructuredField.text(ofDictionary: dictionary), "\(text)")
                let again = StructuredField.orderedDictionary(written)
                #expect(again == dictionary && again?.keys == dictionary.keys, "\(text)")
                #expect(again.flatMap { StructuredField.text(ofDictionary: $0) } == written)
            }
        }
    }
}
