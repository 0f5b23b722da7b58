import HTTPSyntax
import Testing

@testable import Larkspur

@Suite("Origins")
struct OriginTests {
    @Test(
        "An origin consists of scheme, host and port",
        arguments: [
            ("http://a/x", "http://a/y?z", true), ("http://a", "http://A:80/", true),
            ("https://a", "https://a:443", true), ("HTTP://a", "http://a", true),
            ("http://a", "https://a", false), ("http://a", "http://b", false), ("http://a", "http://a:8080", false),
            ("http://local%68ost", "http://localhost", true), ("http://127.1", "http://127.0.0.1", true),
            ("http://[::1]", "http://[0::1]", true),
            ("http://a:443", "https://a", false), ("http://a", "http://a.b", false),
        ]
    )
    func equality(_ row: (left: String, right: String, areSame: Bool)) throws {
        let left = Origin(try #require(URL(string: row.left)))
        let right = Origin(try #require(URL(string: row.right)))

        #expect((left == right) == row.areSame)
    }
}
