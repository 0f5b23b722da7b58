#if canImport(FoundationNetworking)
import HTTPSyntax
import Testing

@testable import LarkspurTransport

@Suite("Content-Range")
struct ContentRangeTests {
    static let values: [(String, ContentRange?)] = [
        ("bytes 0-9/10", .part(first: 0, last: 9, total: 10)),
        ("Bytes 5-5/6", .part(first: 5, last: 5, total: 6)),
        ("bytes 5-9/*", .part(first: 5, last: 9, total: nil)),
        ("bytes */10", .unsatisfied(total: 10)),
        ("bytes */0", .unsatisfied(total: 0)),
        ("bytes */*", nil),
        ("bytes 5-4/10", nil),
        ("bytes 5-10/10", nil),
        ("bytes 5-9/", nil),
        ("bytes 5-9", nil),
        ("bytes 5-/10", nil),
        ("bytes -5/10", nil),
        ("bytes +5-9/10", nil),
        ("bytes 5-9 /10", nil),
        ("bytes=5-9/10", nil),
        ("items 5-9/10", nil),
        ("bytes 0-99999999999999999999/*", nil),
        ("bytes 0-9223372036854775807/*", nil),
        ("", nil),
        (" ", nil),
        ("/", nil),
    ]

    @Test("A Content-Range value with contradictions is rejected", arguments: values)
    func read(_ value: String, _ expected: ContentRange?) { #expect(ContentRange(value) == expected) }
}
#endif
