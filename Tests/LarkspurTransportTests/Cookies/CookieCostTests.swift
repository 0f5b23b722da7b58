#if canImport(FoundationNetworking)
import Foundation
import LarkspurTesting
import Testing

@testable import LarkspurTransport

/// Each parser of cookies with 1 MiB of its worst: the cost grows with the length.
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

    @Test("A Set-Cookie value", arguments: cookies)
    func setCookie(shape: Shape) {
        #expect(isLinear(shape) { _ = SetCookie($0) })
    }

    @Test("Set-Cookie values as one", arguments: cookies)
    func setCookieList(shape: Shape) {
        #expect(isLinear(shape) { _ = SetCookieList([$0]) })
        let lists = { (size: Int) in Array(repeating: shape.text(64), count: size / 64) }
        #expect(Growth.factor(of: lists) { _ = SetCookieList($0) } < Growth.linear)
    }

    @Test(
        "A date",
        arguments: [
            Shape("", "1"), Shape("", "1:"), Shape("", ":"), Shape("", "1:1:1 "), Shape("", "jan "), Shape("", " "),
            Shape("", "a"), Shape("", "1 "), Shape("1:1:", "1"), Shape("", "1999a"),
        ]
    )
    func date(shape: Shape) {
        #expect(isLinear(shape) { _ = CookieDate.parse($0) })
    }
}
#endif
