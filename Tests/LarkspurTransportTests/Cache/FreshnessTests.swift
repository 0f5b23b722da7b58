#if canImport(FoundationNetworking)
import Testing

@testable import LarkspurTransport

@Suite("Age and lifetime of stored responses")
struct FreshnessTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let rule: String
        let entry: CacheEntry
        let lifetime: TimeInterval

        init(_ rule: String, _ fields: [String: String], _ lifetime: TimeInterval, status: Int = 200) {
            self.rule = rule
            self.entry = .made(fields, status: status)
            self.lifetime = lifetime
        }

        var testDescription: String { rule }
    }

    // 1,700,000,000 is Tue, 14 Nov 2023 22:13:20 GMT.
    private static let date = "Tue, 14 Nov 2023 22:13:20 GMT"

    @Test(
        "The lifetime follows from the fields (RFC 9111, section 4.2.1)",
        arguments: [
            Row("4.2.1 max-age", ["Cache-Control": "max-age=60"], 60),
            Row("5.2.2.10 s-maxage is for shared caches", ["Cache-Control": "s-maxage=600, max-age=60"], 60),
            Row("5.2.2.10 s-maxage alone is nothing", ["Cache-Control": "s-maxage=600"], 0),
            Row(
                "5.3 max-age before Expires",
                ["Cache-Control": "max-age=60", "Expires": "Tue, 14 Nov 2023 23:13:20 GMT"],
                60
            ),
            Row("5.3 Expires minus Date", ["Date": date, "Expires": "Tue, 14 Nov 2023 22:14:20 GMT"], 60),
            Row("5.3 Expires without Date", ["Expires": "Tue, 14 Nov 2023 22:14:20 GMT"], 60),
            Row("5.3 Expires in RFC 850 form", ["Expires": "Tuesday, 14-Nov-23 22:14:20 GMT"], 60),
            Row("5.3 Expires in asctime form", ["Expires": "Tue Nov 14 22:14:20 2023"], 60),
            Row("5.3 Expires in another case", ["Expires": "TUE, 14 nov 2023 22:14:20 gmt"], 60),
            Row("5.3 Expires in another zone", ["Expires": "Tue, 14 Nov 2023 22:14:20 UTC"], 0),
            Row("5.3 Expires without its comma", ["Expires": "Tue 14 Nov 2023 22:14:20 GMT"], 0),
            Row("5.3 Expires with dashes", ["Expires": "Tue, 14-Nov-2023 22:14:20 GMT"], 0),
            Row("5.3 Expires with two digits for the year", ["Expires": "Tue, 14 Nov 23 22:14:20 GMT"], 0),
            Row("5.3 Expires with two blanks", ["Expires": "Tue, 14 Nov  2023 22:14:20 GMT"], 0),
            Row("5.3 Expires with one digit for the hour", ["Expires": "Tue, 14 Nov 2023 2:14:20 GMT"], 0),
            Row(
                "4.2.1 two lines of Expires",
                ["Expires": "Tue, 14 Nov 2023 22:14:20 GMT, Tue, 14 Nov 2023 22:14:20 GMT"],
                0
            ),
            Row("5.3 Expires before Date", ["Expires": "Tue, 14 Nov 2023 22:00:00 GMT"], 0),
            Row("5.3 Expires: 0", ["Expires": "0"], 0),
            Row("5.3 Expires: -1", ["Expires": "-1", "Last-Modified": "Tue, 14 Nov 2023 12:13:20 GMT"], 0),
            Row("4.2.2 a tenth since the last change", ["Last-Modified": "Tue, 14 Nov 2023 12:13:20 GMT"], 3600),
            Row("4.2.2 a day at most", ["Last-Modified": "Tue, 14 Nov 2003 12:13:20 GMT"], 86_400),
            Row("4.2.2 a change in the future", ["Last-Modified": "Wed, 15 Nov 2023 12:13:20 GMT"], 0),
            Row("4.2.2 not with any status", ["Last-Modified": "Tue, 14 Nov 2023 12:13:20 GMT"], 0, status: 302),
            Row(
                "4.2.2 with any status if public",
                ["Last-Modified": "Tue, 14 Nov 2023 12:13:20 GMT", "Cache-Control": "public"],
                3600,
                status: 302
            ),
            Row("4.2.1 nothing said", [:], 0),
            Row("5.2 a max-age that is no number", ["Cache-Control": "max-age=1e9"], 0),
        ]
    )
    func lifetime(row: Row) { #expect(Freshness(of: row.entry, at: CacheEntry.now).lifetime == row.lifetime) }

    struct AgeRow: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let fields: [String: String]
        /// When the request was sent and the response came, in seconds before now.
        let times: (request: TimeInterval, response: TimeInterval)
        let age: TimeInterval

        init(
            _ rule: String,
            _ fields: [String: String] = [:],
            sent: TimeInterval,
            came: TimeInterval,
            _ age: TimeInterval
        ) {
            testDescription = rule
            self.fields = fields
            times = (sent, came)
            self.age = age
        }
    }

    @Test(
        "The age follows from the fields and times (RFC 9111, section 4.2.3)",
        arguments: [
            AgeRow("resident time", sent: 10, came: 10, 10),
            AgeRow("response delay", sent: 15, came: 10, 15),
            AgeRow("stated age", ["Age": "30"], sent: 10, came: 10, 40),
            AgeRow("stated age and delay", ["Age": "30"], sent: 15, came: 10, 45),
            AgeRow("the first of several ages", ["Age": "30, 50"], sent: 10, came: 10, 40),
            AgeRow("an age that is no number", ["Age": "old"], sent: 10, came: 10, 10),
            AgeRow("an age with more after the number", ["Age": "30;x=1"], sent: 10, came: 10, 10),
            AgeRow("an age that is a fraction", ["Age": "30.5"], sent: 10, came: 10, 10),
            AgeRow("an age of two numbers", ["Age": "30 50"], sent: 10, came: 10, 10),
            AgeRow("an age before one that is no number", ["Age": "30 , old"], sent: 10, came: 10, 40),
            AgeRow("an age after one that is no number", ["Age": "old, 30"], sent: 10, came: 10, 10),
            AgeRow("an age before an accent", ["Age": "30,\u{301}"], sent: 10, came: 10, 40),
            AgeRow("a negative age", ["Age": "-5"], sent: 10, came: 10, 10),
            AgeRow("apparent age by Date", ["Date": "Tue, 14 Nov 2023 22:11:20 GMT"], sent: 10, came: 10, 120),
            AgeRow("a Date in the future", ["Date": "Tue, 14 Nov 2023 23:11:20 GMT"], sent: 10, came: 10, 10),
            AgeRow("the larger of apparent and stated", ["Age": "500", "Date": date], sent: 0, came: 0, 500),
            AgeRow("a clock that was set back", sent: -1000, came: -1000, 1000),
        ]
    )
    func age(row: AgeRow) {
        var entry = CacheEntry.made(row.fields)
        entry.requestTime = CacheEntry.now - row.times.request
        entry.responseTime = CacheEntry.now - row.times.response
        #expect(Freshness(of: entry, at: CacheEntry.now).age == row.age)
    }

    @Test(
        "A response is stale when its age equals its lifetime (RFC 9111, section 4.2)",
        arguments: [(59, true), (60, false), (61, false)]
    )
    func border(age: Int, isFresh: Bool) {
        let entry = CacheEntry.made(["Cache-Control": "max-age=60"], ago: TimeInterval(age))
        #expect(Freshness(of: entry, at: CacheEntry.now).isFresh == isFresh)
    }
}
#endif
