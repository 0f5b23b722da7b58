#if canImport(FoundationNetworking)
import Foundation
import HTTPSyntax
import Testing

@testable import LarkspurTransport

/// Two texts with different bytes that Unicode takes for the same text.
struct EquivalentTexts: Sendable, CustomTestStringConvertible {
    let one: String
    let other: String

    var testDescription: String { one.unicodeScalars.map { String($0.value, radix: 16) }.joined(separator: " ") }

    static let all = [
        Self(one: "Jos\u{E9}", other: "Jose\u{301}"), Self(one: "\u{212A}", other: "K"),
        Self(one: "\u{37E}", other: ";"), Self(one: "\u{1FEF}", other: "`"),
        Self(one: "a\u{323}\u{307}", other: "a\u{307}\u{323}"),
    ]
}

@Suite("The equality of text") struct TextEqualityTests {
    private struct Record: Hashable {
        var name = ""
        var nickname: String?
        var parts: [String] = []
        var fields: [String: String] = [:]
    }

    private enum Choice: Equatable {
        case named(String)
        case unnamed
    }

    @Test("Texts are equal if their bytes are equal", arguments: ["", "a", "K", "Jos\u{E9}", "the same long text"])
    func equal(_ text: String) {
        let copy = String(decoding: Array(text.utf8), as: UTF8.self)
        #expect((text == copy) == true)
        #expect((text != copy) == false)
        #expect(text[...].hasSameBytes(as: copy))
        #expect(TextKey(text) == TextKey(copy) && TextKey(text).hashValue == TextKey(copy).hashValue)
        #expect(Record(name: text, nickname: text, parts: [text]) == Record(name: copy, nickname: copy, parts: [copy]))
        #expect((String?.none == nil) == true && (Optional(text) == nil) == false)
    }

    @Test(
        "Texts that are only canonically equivalent in Unicode differ, wherever they are used",
        arguments: EquivalentTexts.all
    )
    func different(_ texts: EquivalentTexts) {
        let (one, other) = (texts.one, texts.other)
        #expect((one == other) == false)
        #expect((one != other) == true)
        #expect((one[...] == other[...]) == false)
        #expect((one[...] == other) == false)
        let (optional, otherOptional): (String?, String?) = (one, other)
        #expect((optional == otherOptional) == false)
        #expect((optional == other) == false)
        #expect(([one] == [other]) == false)
        #expect([one].contains(other) == false && [one].firstIndex(of: other) == nil)
        #expect((["a": one] == ["a": other]) == false)
        #expect(([one: "a"] == [other: "a"]) == false)
        #expect([one: 1][other] == nil && [one: 1][one] == 1)
        #expect(Set<TextKey>([TextKey(one), TextKey(other)]).count == 2)
        #expect(Record(name: one) != Record(name: other))
        #expect(Record(nickname: one) != Record(nickname: other))
        #expect(Record(parts: [one]) != Record(parts: [other]))
        #expect(Record(fields: ["a": one]) != Record(fields: ["a": other]))
        #expect(Choice.named(one) != .named(other))
        switch Choice.named(one) {
        case .named(other): Issue.record("The pattern of a case has matched.")
        default: break
        }
        switch one {
        case other: Issue.record("The pattern has matched.")
        default: break
        }
    }

    @Test("The conversion of a field name to lower case changes ASCII letters only")
    func lowercase() {
        #expect("X-KEY".inLowercase == "x-key")
        #expect("\u{212A}EY".inLowercase == "\u{212A}ey")
        #expect(FieldParameters("a; \u{212A}ey=1").values["key"] == nil)
    }

    @Test("Identities and credentials are compared by their bytes", arguments: EquivalentTexts.all)
    func identities(_ texts: EquivalentTexts) {
        let (one, other) = (texts.one, texts.other)
        func cookie(_ name: String, _ path: String = "/") -> CookieIdentity {
            CookieIdentity(name: name, domain: "a.example", path: path)
        }
        #expect(cookie(one) != cookie(other))
        #expect(cookie("a", one) != cookie("a", other))
        #expect(UserCredential(user: one, password: "") != UserCredential(user: other, password: ""))
        #expect(UserCredential(user: "", password: one) != UserCredential(user: "", password: other))
        #expect(EasyHandle.Credentials(proxyField: one) != EasyHandle.Credentials(proxyField: other))
        #expect(ProxyServer(host: "a", user: one) != ProxyServer(host: "a", user: other))
        #expect(ProxyServer(host: "a", password: one) != ProxyServer(host: "a", password: other))
        #expect(Set([ProxyServer(host: "a", user: one), ProxyServer(host: "a", user: other)]).count == 2)
        let server = ProtectionSpace.Server(scheme: "http", host: "a", port: 80)
        #expect(
            ProtectionSpace(server: server, realm: one, scheme: .basic)
                != ProtectionSpace(server: server, realm: other, scheme: .basic)
        )
        #expect(
            ChallengeField(scheme: "Digest", parameters: ["realm": one])
                != ChallengeField(scheme: "Digest", parameters: ["realm": other])
        )
        #expect(Origin(scheme: "http", host: one, port: 80) != Origin(scheme: "http", host: other, port: 80))
    }

    @Test("The values of fields in Vary are compared by their bytes", arguments: EquivalentTexts.all)
    func variants(_ texts: EquivalentTexts) {
        let entry = CacheEntry.made(varying: [CacheEntry.VaryingField(name: "x-user", value: texts.one)])
        #expect(entry.matches(CacheRequestFields(own: ["X-User": texts.one])))
        #expect(!entry.matches(CacheRequestFields(own: ["X-User": texts.other])))
    }
}
#endif
