#if canImport(FoundationNetworking)
import Testing

@testable import LarkspurTransport

@Suite("Decisions about storing responses")
struct StoreDecisionTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let lines: [String]
        let status: Int
        let request: CacheRequest
        let expected: StoreDecision

        init(
            _ rule: String,
            _ lines: [String],
            status: Int = 200,
            asking request: CacheRequest = .made(),
            _ expected: StoreDecision
        ) {
            testDescription = rule
            self.lines = lines
            self.status = status
            self.request = request
            self.expected = expected
        }
    }

    private static let length = "Content-Length: 5"
    private static let fresh = "Cache-Control: max-age=60"
    private static let kept = StoreDecision.store(varying: [])

    @Test(
        "A response is stored if its fields and the request allow that (RFC 9111, section 3)",
        arguments: [
            Row("3 max-age", [length, fresh], kept),
            Row("3 Expires", [length, "Expires: Tue, 14 Nov 2023 22:14:20 GMT"], kept),
            Row("3 a validator", [length, "ETag: \"a\""], kept),
            Row("3 Last-Modified", [length, "Last-Modified: Tue, 14 Nov 2023 22:14:20 GMT"], kept),
            Row("3 nothing to use it by, but a success", [length], kept),
            Row("3 stale, and nothing to ask by, but a success", [length, "Cache-Control: max-age=0"], kept),
            Row(
                "3 no-cache, and nothing to ask by, but a success",
                [length, "Cache-Control: no-cache, max-age=60"],
                kept
            ),
            Row("3 no-cache with a validator", [length, "Cache-Control: no-cache", "ETag: \"a\""], kept),
            Row("3 private is for private caches", [length, "Cache-Control: private, max-age=60"], kept),
            Row(
                "5.2.2.10 s-maxage says nothing",
                [length, "Cache-Control: s-maxage=60"],
                status: 404,
                .refuse(.useless)
            ),
            Row("3 no success, and nothing to use it by", [length], status: 404, .refuse(.useless)),
            Row("3 no success, and stale", [length, "Cache-Control: max-age=0"], status: 410, .refuse(.useless)),
            Row(
                "3 useful to a policy that takes anything",
                [length],
                asking: .made(policy: .returnCacheDataElseLoad),
                kept
            ),
            Row("5.2.2.5 no-store", [length, "Cache-Control: no-store, max-age=60"], .refuse(.noStore)),
            Row("5.2.2.5 no-store in a second line", [length, fresh, "Cache-Control: no-store"], .refuse(.noStore)),
            Row(
                "5.2.2.5 no-store whatever the policy",
                [length, "Cache-Control: no-store"],
                asking: .made(policy: .returnCacheDataElseLoad),
                .refuse(.noStore)
            ),
            Row(
                "5.2.1.5 no-store of the request",
                [length, fresh],
                asking: .made(["Cache-Control": "no-store"]),
                .refuse(.request)
            ),
            Row("3 POST", [length, fresh], asking: .made(method: "POST"), .refuse(.request)),
            Row("3 HEAD", [length, fresh], asking: .made(method: "HEAD"), .refuse(.request)),
            Row("3.4 a range asked for", [length, fresh], asking: .made(["Range": "bytes=0-1"]), .refuse(.request)),
            Row(
                "3 conditions of the caller's own",
                [length, fresh],
                asking: .made(["If-None-Match": "x"]),
                .refuse(.request)
            ),
            Row("3.3 206", [length, fresh, "Content-Range: bytes 0-4/9"], status: 206, .refuse(.partial)),
            Row("3.3 Content-Range with another status", [length, fresh, "Content-Range: bytes 0-4/9"], kept),
            Row("4.3.3 304", [fresh], status: 304, .refuse(.partial)),
            Row("3.3 ended by the connection", [fresh], .refuse(.openEnded)),
            Row("3.3 chunked", [fresh, "Transfer-Encoding: chunked"], kept),
            Row("3 404 is heuristically cacheable", [length, "ETag: \"a\""], status: 404, kept),
            Row("3 302 is not", [length, "ETag: \"a\""], status: 302, .refuse(.status)),
            Row("3 302 with a lifetime", [length, fresh], status: 302, kept),
            Row("3 500 with a validator", [length, "ETag: \"a\""], status: 500, .refuse(.status)),
            Row("5.2.2.3 must-understand", [length, "Cache-Control: must-understand, max-age=60"], kept),
            Row(
                "5.2.2.3 must-understand, unknown status",
                [length, "Cache-Control: must-understand, max-age=60"],
                status: 299,
                .refuse(.status)
            ),
            Row("3 an unknown status with a lifetime", [length, fresh], status: 299, kept),
            Row("4.1 Vary", [length, fresh, "Vary: B, a , B"], .store(varying: ["a", "b"])),
            Row("4.1 Vary: *", [length, fresh, "Vary: *"], .refuse(.variesByAnything)),
            Row("4.1 Vary: a, *", [length, fresh, "Vary: a", "Vary: *"], .refuse(.variesByAnything)),
            Row("4.1 a Vary that is no list of names", [length, fresh, "Vary: a b"], .refuse(.variesByAnything)),
        ]
    )
    func storing(row: Row) throws {
        let head = try #require(try ResponseHead.reading(row.lines, status: row.status))
        #expect(StoreDecision.decide(head, for: row.request) == row.expected)
    }

    @Test("A response over HTTP/2 may be stored without a length")
    func framed() throws {
        var parser = ResponseHeadParser()
        let head = try #require(try parser.heads(["HTTP/2 200", Self.fresh, ""]).first)
        #expect(StoreDecision.decide(head, for: .made()) == Self.kept)
    }
}
#endif
