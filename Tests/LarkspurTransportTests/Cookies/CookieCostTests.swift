#if canImport(FoundationNetworking)
import Foundation
import HTTPSyntax
import TestSupport
import Testing

@testable import LarkspurTransport

/// Each parser of cookies with 512 KiB of its worst: the cost grows with the length.
@Suite("Costs of cookies", .enabled(if: Growth.isMeasured), .serialized, .timeLimit(.minutes(5)))
struct CookieCostTests {
    /// Texts as long as they have to be, by what repeats in them.
    struct Shape: Sendable, CustomTestStringConvertible {
        let start: String
        let unit: String

        init(_ start: String, _ unit: String) {
            self.start = start
            self.unit = unit
        }

        var testDescription: String { (start + unit).debugDescription }

        func text(_ length: Int) -> String { start + String(repeating: unit, count: length / unit.utf8.count) }
    }

    private func isLinear(_ shape: Shape, _ work: (String) -> Void) -> Bool {
        Growth.factor(of: shape.text, work) < Growth.linear
    }

    static let cookies = [
        Shape("a=b", "; "), Shape("a=b", ";Path=/"), Shape("a=b", "; Expires=Wed, 09 Jun 2049 10:18:14 GMT"),
        Shape("a=b; Max-Age=", "9"), Shape("a=", "x"), Shape("", " "), Shape("", ";"), Shape("a=b;", " "),
        Shape("a=b;", "="), Shape("a=b; Path=/", "\t"), Shape("", "\u{1F600}"), Shape("a=b; Expires=", "1:"),
        Shape("a=", "\u{301}"), Shape("a=", ",b"), Shape("a=b; Domain=", "."),
    ]

    @Test("A Set-Cookie value is parsed in linear time", arguments: cookies)
    func setCookie(shape: Shape) {
        #expect(isLinear(shape) { _ = SetCookie($0) })
    }

    @Test("A list of Set-Cookie values is joined in linear time", arguments: cookies)
    func setCookieList(shape: Shape) {
        #expect(isLinear(shape) { _ = SetCookieList([$0]) })
        let lists = { (size: Int) in Array(repeating: shape.text(64), count: size / 64) }
        #expect(Growth.factor(of: lists) { _ = SetCookieList($0) } < Growth.linear)
    }

    @Test(
        "A date is parsed in linear time",
        arguments: [
            Shape("", "1"), Shape("", "1:"), Shape("", ":"), Shape("", "1:1:1 "), Shape("", "jan "), Shape("", " "),
            Shape("", "a"), Shape("", "1 "), Shape("1:1:", "1"), Shape("", "1999a"),
        ]
    )
    func date(shape: Shape) {
        #expect(isLinear(shape) { _ = HTTPDate.parse($0) })
    }

    // MARK: Storages

    private static func cookie(_ name: String, path: String = "/", domain: String = "a.example.com") -> HTTPCookie? {
        HTTPCookie(properties: [.name: name, .value: "v", .domain: domain, .path: path, .secure: "TRUE"])
    }

    struct Stored: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let cookie: @Sendable (Int) -> HTTPCookie?
    }

    static let stored = [
        Stored(testDescription: "names") { cookie("n\($0)") },
        Stored(testDescription: "paths") { cookie("a", path: "/p/\($0)") },
        Stored(testDescription: "folders") { cookie("a\($0)", path: "/" + String(repeating: "p/", count: $0 % 500)) },
        Stored(testDescription: "hosts") { cookie("a", domain: "h\($0).a.example.com") },
        Stored(testDescription: "domains") { cookie("a\($0)", domain: ".example.com") },
        Stored(testDescription: "long names") { cookie(String(repeating: "n", count: 200) + "\($0)") },
    ]

    @Test("The cost of a Cookie field is linear in the number of stored cookies", arguments: stored)
    func field(_ stored: Stored) throws {
        let url = try #require(URL(string: "https://a.example.com/" + String(repeating: "p/", count: 1000)))
        let jars = { (count: Int) -> CookieJar in
            let storage = URLSessionConfiguration.ephemeral.httpCookieStorage
            for cookie in (0..<count).compactMap(stored.cookie) { storage?.setCookie(cookie) }
            return CookieJar(storage: storage, acceptPolicy: .always)
        }
        #expect(Growth.factor(of: jars, upTo: 1 << 12) { _ = $0.field(for: url) } < Growth.linear)
    }

    @Test("The cost of storing one cookie is linear in the number of stored cookies", arguments: stored)
    func scan(_ stored: Stored) throws {
        let context = try #require(URL(string: "https://a.example.com/p/").flatMap(CookieJar.Context.init))
        let cookies = { (count: Int) in (0..<count).compactMap(stored.cookie) }
        let growth = Growth.factor(of: cookies, upTo: 1 << 13) { cookies in
            let update = CookieUpdate(["new=v", "a=v; Max-Age=0"], from: context, stored: cookies, now: Date())
            #expect(!update.isEmpty)
            _ = update.applied(to: cookies)
        }
        #expect(growth < Growth.linear)
    }

    struct Values: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: @Sendable (Int) -> String
    }

    static let values = [
        Values(testDescription: "names") { "n\($0)=v" },
        Values(testDescription: "one name") { _ in "a=v" },
        Values(testDescription: "one name, paths") { "a=v; Path=/p/\($0)" },
        Values(testDescription: "ends") { "n\($0)=v; Max-Age=0" },
        Values(testDescription: "beginnings and ends") { $0 % 2 == 0 ? "a=v" : "a=v; Max-Age=0" },
        Values(testDescription: "domains") { "n\($0)=v; Domain=example.com" },
        Values(testDescription: "labels") { "n\($0)=v; Domain=" + String(repeating: "a.", count: 100) + "example.com" },
    ]

    /// A head of 512 KiB has about 2^15 of them.
    @Test(
        "The cost of storing a response's cookies is linear in their number, in a full storage",
        arguments: values,
        ["https", "http"]
    )
    func response(_ values: Values, scheme: String) throws {
        let context = try #require(URL(string: "\(scheme)://a.example.com/p/").flatMap(CookieJar.Context.init))
        let stored = (0..<CookieLimits.perSite).compactMap { Self.cookie("a", path: "/p/\($0)") }
        let texts = { (count: Int) in (0..<count).map(values.text) }
        let growth = Growth.factor(of: texts, upTo: 1 << 13) {
            _ = CookieUpdate($0, from: context, stored: stored, now: Date())
        }
        #expect(growth < Growth.linear)
    }
}
#endif
