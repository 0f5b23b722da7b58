#if canImport(FoundationNetworking)
import Testing

@testable import LarkspurTransport

@Suite("Cache-Control")
struct CacheControlTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let text: String
        let expected: CacheControl

        init(_ text: String, _ change: (inout CacheControl) -> Void) {
            self.text = text
            var expected = CacheControl()
            change(&expected)
            self.expected = expected
        }

        var testDescription: String { text }
    }

    @Test(
        "Directives are parsed as in RFC 9111, section 5.2, and malformed ones are tolerated",
        arguments: [
            Row("") { _ in },
            Row(" , ,") { _ in },
            Row("no-store") { $0.noStore = true },
            Row("No-Cache, MUST-Revalidate") { ($0.noCache, $0.mustRevalidate) = (true, true) },
            Row("no-cache=\"set-cookie, x\", max-age=5") { ($0.noCache, $0.maxAge) = (true, 5) },
            Row("private=\"a,max-age=1\", max-age=9") { ($0.isPrivate, $0.maxAge) = (true, 9) },
            Row("public,immutable,only-if-cached,must-understand") {
                ($0.isPublic, $0.isImmutable, $0.onlyIfCached, $0.mustUnderstand) = (true, true, true, true)
            },
            Row("max-age=60") { $0.maxAge = 60 },
            Row("max-age = 60") { $0.maxAge = 60 },
            Row("max-age=\"60\"") { $0.maxAge = 60 },
            Row("max-age=60, max-age=10") { $0.maxAge = 10 },
            Row("max-age=abc") { $0.maxAge = 0 },
            Row("max-age=-1") { $0.maxAge = 0 },
            Row("max-age=1.5") { $0.maxAge = 0 },
            Row("max-age") { $0.maxAge = 0 },
            Row("max-age=99999999999999999999999999") { $0.maxAge = 1 << 31 },
            Row("max-age=\"60") { $0.maxAge = 60 },
            Row("max-stale") { $0.maxStale = 1 << 31 },
            Row("max-stale=30, max-stale=10") { $0.maxStale = 10 },
            Row("max-stale=x") { $0.maxStale = 0 },
            Row("min-fresh=5, min-fresh=7") { $0.minFresh = 7 },
            Row("min-fresh=x") { $0.minFresh = 1 << 31 },
            Row("stale-while-revalidate=5, stale-if-error=7") {
                ($0.staleWhileRevalidate, $0.staleIfError) = (5, 7)
            },
            Row("stale-if-error=x") { $0.staleIfError = 0 },
            Row("s-maxage=5, proxy-revalidate, no-transform, foo=bar") { _ in },
            Row("=, ==5, \"x\"") { _ in },
        ]
    )
    func reading(row: Row) { #expect(CacheControl(row.text) == row.expected) }
}
#endif
