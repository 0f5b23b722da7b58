import Foundation
import HTTPSyntax
import TestSupport
import Testing

@Suite("Fields about rate limits") struct RateLimitFieldsTests {
    typealias Limit = AnnouncedRateLimit

    /// 2026-11-28 12:00:00 GMT.
    private static let now = Date(timeIntervalSince1970: 1_795_867_200)
    private static let date = "Sat, 28 Nov 2026 12:00:00 GMT"

    private func read(_ fields: [String: String], status: Int = 200, now: Date = Self.now) -> [Limit] {
        RateLimitFields.limits(status: status, now: now) { fields[$0] }
    }

    static let forms: [(fields: [String: String], limits: [Limit])] = [
        // Version 11 of the draft.
        (["RateLimit": #""default";r=50;t=30"#], [Limit(name: "default", remaining: 50, reset: .seconds(30))]),
        (
            [
                "RateLimit": #""burst";r=5;t=3, "daily";r=900;t=3600;pk=:AQI=:"#,
                "RateLimit-Policy": #""burst";q=100;w=60,"daily";q=1000;w=86400;x=?1"#,
            ],
            [
                Limit(name: "burst", quota: 100, window: .seconds(60), remaining: 5, reset: .seconds(3)),
                Limit(
                    name: "daily",
                    partitionKey: Data([1, 2]),
                    quota: 1000,
                    window: .seconds(86_400),
                    remaining: 900,
                    reset: .seconds(3600)
                ),
            ]
        ),
        // Without a time, the window is the time.
        (
            ["RateLimit": #""a";r=0, "b";r=1"#, "RateLimit-Policy": #""a";q=9;w=60;qu="requests""#],
            [Limit(name: "a", quota: 9, window: .seconds(60), remaining: 0, reset: .seconds(60))]
        ),
        // The policy of another partition does not apply.
        (
            ["RateLimit": #""a";r=1;t=2;pk=:AQ==:"#, "RateLimit-Policy": #""a";q=3;pk=:Ag==:, "a";q=4;pk=:AQ==:"#],
            [Limit(name: "a", partitionKey: Data([1]), quota: 4, remaining: 1, reset: .seconds(2))]
        ),
        // Limits of bytes are not limits of requests.
        (
            ["RateLimit": #""a";r=1;t=2, "b";r=3;t=4"#, "RateLimit-Policy": #""a";q=3;qu="content-bytes""#],
            [Limit(name: "b", remaining: 3, reset: .seconds(4))]
        ),
        // A malformed policy is ignored.
        (
            ["RateLimit": #""a";r=1;t=2"#, "RateLimit-Policy": #""a";q=3;;"#],
            [Limit(name: "a", remaining: 1, reset: .seconds(2))]
        ),
        // Version 07 of the draft.
        (
            ["RateLimit": "limit=100, remaining=50, reset=30", "RateLimit-Policy": "10;w=1, 100;w=60"],
            [Limit(quota: 100, window: .seconds(60), remaining: 50, reset: .seconds(30))]
        ),
        // Earlier versions.
        (
            ["RateLimit-Limit": "100, 100;w=60", "RateLimit-Remaining": "50", "RateLimit-Reset": "30"],
            [Limit(quota: 100, remaining: 50, reset: .seconds(30))]
        ),
        // GitLab.
        (
            [
                "RateLimit-Limit": "60", "RateLimit-Name": "throttle_authenticated_web", "RateLimit-Observed": "67",
                "RateLimit-Remaining": "0", "RateLimit-Reset": "1795867230",
                "RateLimit-ResetTime": "Sat, 28 Nov 2026 12:00:30 GMT", "Date": date,
            ],
            [Limit(name: "throttle_authenticated_web", quota: 60, remaining: 0, reset: .seconds(30))]
        ),
        (
            ["RateLimit-Remaining": "0", "RateLimit-ResetTime": "Sat, 28 Nov 2026 12:00:30 GMT", "Date": date],
            [Limit(remaining: 0, reset: .seconds(30))]
        ),
        // GitHub.
        (
            [
                "X-RateLimit-Limit": "5000", "X-RateLimit-Remaining": "4999", "X-RateLimit-Reset": "1795870800",
                "X-RateLimit-Used": "1", "X-RateLimit-Resource": "core", "Date": date,
            ],
            [Limit(name: "core", quota: 5000, remaining: 4999, reset: .seconds(3600))]
        ),
        // Discord.
        (
            [
                "X-RateLimit-Limit": "5", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1795867201.5",
                "X-RateLimit-Reset-After": "1.25", "X-RateLimit-Bucket": "abcd1234", "Date": date,
            ],
            [Limit(name: "abcd1234", quota: 5, remaining: 0, reset: .milliseconds(1250))]
        ),
        // Others.
        (
            ["X-Rate-Limit-Limit": "15", "X-Rate-Limit-Remaining": "14.5", "X-Rate-Limit-Reset": "1795867201500"],
            [Limit(quota: 15, remaining: 14, reset: .milliseconds(1500))]
        ),
        (
            ["X-RateLimit-Remaining": " 1 ", "X-RateLimit-Reset": "2026-11-28T13:00:01.5+01:00"],
            [Limit(remaining: 1, reset: .milliseconds(1500))]
        ),
        // A date in the past.
        (["X-RateLimit-Remaining": "1", "X-RateLimit-Reset": "1795867000"], [Limit(remaining: 1, reset: .zero)]),
        // The first form that announces a limit counts.
        (
            ["RateLimit": "a", "RateLimit-Remaining": "1", "X-RateLimit-Remaining": "2", "X-RateLimit-Reset": "3"],
            [Limit(remaining: 2, reset: .seconds(3))]
        ),
        ([:], []),
    ]

    @Test("The forms of the draft and of known services are read", arguments: forms)
    func reading(fields: [String: String], limits: [Limit]) { #expect(read(fields) == limits) }

    @Test("Dates are compared with the server's date")
    func serverDate() {
        let fields = ["X-RateLimit-Remaining": "1", "X-RateLimit-Reset": "1795867230", "Date": Self.date]
        let wrong = Self.now.addingTimeInterval(-1_000_000)
        #expect(read(fields, now: wrong) == [Limit(remaining: 1, reset: .seconds(30))])
    }

    static let absurd: [[String: String]] =
        ["-1", "1000000001", "1e3", "NaN", "inf", "", "a", "1.", "0x1", "1, 1", "99999999999999999999999999"].map {
            ["X-RateLimit-Remaining": $0, "X-RateLimit-Reset": "1"]
        }
        + ["-1", "NaN", "", "2678401", "500000000", "1895867200", "99999999999", "1e9", "2026-13-01T00:00:00Z", "soon"]
        .map { ["X-RateLimit-Remaining": "1", "X-RateLimit-Reset": $0] }
        + [
            #""a";r=-1;t=1"#, #""a";r=1.5;t=1"#, #""a";r="1";t=1"#, #""a";t=1"#, #""a";r=1"#, #""a";r=1;t=-1"#,
            #""a";r=1;t=2678401"#, #""a";r=1;t=1;pk="a""#, #""a";r=1000000001;t=1"#, "a;r=1;t=1", "1;r=1;t=1",
            #"("a");r=1;t=1"#, #""a";r=1;t=1,"#, "remaining=1", "remaining=1, reset=a", "remaining=-1, reset=1",
            "limit=-1, remaining=1, reset=1", #""\#(String(repeating: "a", count: 201))";r=1;t=1"#,
        ].map { ["RateLimit": $0] }
        + [
            ["X-RateLimit-Remaining": "1"],
            ["X-RateLimit-Remaining": "1", "X-RateLimit-Reset": "1", "X-RateLimit-Limit": "-1"],
        ]

    @Test("Impossible and malformed values are ignored", arguments: absurd)
    func ignored(fields: [String: String]) { #expect(read(fields) == []) }

    @Test("The limits of a stored response are ignored")
    func stored() {
        let fields = ["X-RateLimit-Remaining": "1", "X-RateLimit-Reset": "1"]
        #expect(read(fields.merging(["Age": "1"]) { $1 }) == [] && read(fields.merging(["Age": "0"]) { $1 }).count == 1)
    }

    @Test("Retry-After sets a limit with 429 and 503, and takes precedence over the time of a reset")
    func retryAfter() {
        let limit = Limit(name: RateLimitFields.retryAfterName, remaining: 0, reset: .seconds(7))
        for status in [429, 503] { #expect(read(["Retry-After": "7"], status: status) == [limit]) }
        #expect(read(["Retry-After": "7"], status: 500) == [])
        #expect(read(["Retry-After": "9999999"], status: 429) == [])
        let date = ["Retry-After": "Sat, 28 Nov 2026 12:00:07 GMT", "Date": Self.date]
        #expect(read(date, status: 429, now: .distantPast) == [limit])
        #expect(
            read(["Retry-After": "7", "RateLimit": #""a";r=0;t=5, "b";r=1;t=5"#], status: 429)
                == [
                    Limit(name: "a", remaining: 0, reset: .seconds(7)),
                    Limit(name: "b", remaining: 1, reset: .seconds(5)),
                ]
        )
        #expect(
            read(["Retry-After": "7", "RateLimit": #""b";r=1;t=5"#], status: 429)
                == [Limit(name: "b", remaining: 1, reset: .seconds(5)), limit]
        )
    }

    @Test("Dates of RFC 3339 are read")
    func internetDates() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01t00:00:01.250z", 1.25), ("1970-01-01 01:00:00+01:00", 0),
            ("1969-12-31T23:59:60.5-00:00", -0.5), ("1970-01-01T00:00:00-05:30", 19_800),
            ("2026-11-28T12:00:00.1234567891Z", 1_795_867_200.123456789),
        ] {
            let read = HTTPDate.parseRFC3339(text)?.timeIntervalSince1970
            #expect(read.map { abs($0 - seconds) < 0.000001 } == true, "\(text)")
        }
        for text in [
            "", "1970-01-01", "1970-01-01T00:00:00", "1970-01-01T00:00:00.Z", "1970-02-30T00:00:00Z",
            "1970-01-01T24:00:00Z",
            "1970-01-01T00:00:00+1:00", "1970-01-01T00:00:00+24:00", "1970-01-01T00:00:00+01:60",
            "1970-13-01T00:00:00Z",
            "1970-01-01T00:00:00ZZ", "1970/01/01T00:00:00Z", "1970-01-01T00-00-00Z", "1970-01-01T00:00:00é",
        ] { #expect(HTTPDate.parseRFC3339(text) == nil, "\(text)") }
    }

    @Test("Random fields announce no limit with impossible values", .seeded)
    func randomFields() {
        var generator = SeededGenerator()
        let names = [
            "RateLimit", "RateLimit-Policy", "Retry-After", "Date", "Age",
            "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "RateLimit-ResetTime", "RateLimit-Name",
            "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-RateLimit-Reset-After",
            "X-Rate-Limit-Remaining", "X-Rate-Limit-Reset",
        ]
        let parts = [
            "\"a\"", ";r=", ";t=", ";q=", ";w=", ";pk=:AQ==:", ";qu=\"requests\"", ", ", "limit=", "remaining=",
            "reset=",
            "0", "1", "9", "60", "999999999999999", "1795867260", ".5", "-", "NaN", "inf", "é", "\u{0}", Self.date,
            "2026-11-28T12:00:00Z", ":", "T", "Z", " ",
        ]
        for _ in 0..<20_000 {
            var fields: [String: String] = [:]
            for name in names where Bool.random(using: &generator) {
                let count = Int.random(in: 0...7, using: &generator)
                fields[name] = (0..<count).map { _ in parts.randomElement(using: &generator) ?? "" }.joined()
            }
            for limit in read(fields, status: [200, 429].randomElement(using: &generator) ?? 200) {
                #expect((0...1_000_000_000).contains(limit.remaining), "\(fields)")
                #expect((Duration.zero ... .seconds(31 * 86_400)).contains(limit.reset), "\(fields)")
                #expect(limit.quota.map { $0 >= 0 } != false && limit.window.map { $0 >= .zero } != false, "\(fields)")
            }
        }
    }

    @Test(
        "The cost of reading grows with the length",
        .enabled(if: Growth.isMeasured),
        arguments: ["RateLimit", "RateLimit-Remaining", "X-RateLimit-Reset"],
        ["\"a\";r=1;t=1,", "1", "a=1,", "9.", "2026-11-28T12:00:00Z"]
    )
    func cost(name: String, unit: String) {
        let inputs = { (size: Int) in String(repeating: unit, count: size / unit.utf8.count) }
        let growth = Growth.factor(of: inputs) { text in
            _ = RateLimitFields.limits(status: 429, now: Self.now) {
                $0 == name || $0.hasSuffix("Remaining") ? text : nil
            }
        }
        #expect(growth < Growth.linear)
    }
}
