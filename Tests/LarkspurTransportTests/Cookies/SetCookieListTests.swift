#if canImport(FoundationNetworking)

import Foundation
import Testing

@testable import LarkspurTransport

@Suite("Set-Cookie values as Foundation reads them")
struct SetCookieListTests {
    /// Chunks of cookies, and characters that are several UTF-16 units, or join with their neighbours.
    static let chunks = [
        "a", "=", ";", ",", " ", "\t", "\"", "x", "b=c", "GMT", "Expires=Wed, 09 Jun 2049 10:18:14 GMT", "Expires=",
        "Domain=", "Path=/", "Path=", "Max-Age=1", "Max-Age=", "Version=1", "Port=\"80,443\"", "Comment=",
        "CommentURL=http://", "Secure", "HttpOnly", "Discard", "e\u{301}", "\u{301}", "\u{200D}", "\u{1F600}",
        "\u{600}",
        "\u{E4}", "\u{4E2D}", "\u{1F1E6}", "\u{E33}", "\u{1100}", "\u{1161}", "\u{FE0F}", "\u{FEFF}", "\u{2028}",
        "\u{AD}", "\u{130}", "\u{345}", "\u{915}\u{94D}\u{937}", "\u{85}", "\u{A0}", "\u{3000}", "\u{E0001}",
    ]

    /// Values made at random, the same ones for the same seed.
    static func values(_ count: Int, seed: UInt64) -> [String] {
        var state = seed
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        return (0..<count).map { _ in
            let start = ["", "a=b", "sid=x; Path=/", "a=b; Expires=Wed, 09 Jun 2049 10:18:14 GMT; Secure"][next(4)]
            return (0...next(6)).reduce(start) { value, _ in
                var value = value
                let index = value.unicodeScalars.index(value.startIndex, offsetBy: next(value.unicodeScalars.count + 1))
                value.unicodeScalars.insert(contentsOf: chunks[next(chunks.count)].unicodeScalars, at: index)
                return value
            }
        }
    }

    @Test("Values that are passed to Foundation's parser do not end the process")
    func parsing() async {
        await #expect(processExitsWith: .success) {
            guard let url = URL(string: "https://www.example.com/a") else { exit(1) }
            let named = [
                "a=b; Expires=Wed, 09 Jun 2049 10:18:14 GMT\u{301}", "a\u{200D}=b", "\u{1F600}x3=a", "a=b, c\u{200D}=d",
            ]
            let values = named + SetCookieListTests.values(8_000, seed: 1)
            for start in values.indices {
                for count in 1...3 {
                    guard let text = SetCookieList(Array(values[start...].prefix(count))).text else { continue }
                    _ = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": text], for: url)
                }
            }
            exit(0)
        }
    }

    @Test("A value that is withheld from Foundation's parser would end the process")
    func trap() async {
        await #expect(processExitsWith: .failure) {
            guard let url = URL(string: "https://www.example.com/a") else { exit(0) }
            let text = "a=b; Expires=Wed, 09 Jun 2049 10:18:14 GMT\u{301}"
            _ = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": text], for: url)
        }
    }

    @Test(
        "A cookie value may have any character, and a cookie whose name or date has such characters is left out",
        arguments: [
            ("a=\u{1F600}; Path=/", true), ("a=e\u{301}; Comment=\u{1F600}", true), ("\u{E4}=\u{E4}", true),
            ("a=b; Path=/\u{1F600}; Expires=Wed, 09 Jun 2049 10:18:14 GMT", true), ("\u{1F600}=a", false),
            ("a=b; \u{1F600}=c", false), ("a=b; Expires=Wed, 09 Jun 2049 10:18:14 GMT\u{301}", false),
            ("a=\u{301}", false), ("\u{301}a=b", false), ("a=b, c\u{200D}=d", false), ("a=b;\u{301}", false),
        ]
    )
    func shown(value: String, isShown: Bool) {
        #expect(SetCookieList([value]).text == (isShown ? value : nil))
        #expect(SetCookieList(["x=y", value]).text == (isShown ? "x=y, " + value : "x=y"))
    }
}

#endif
