#if canImport(FoundationNetworking)
import Foundation
import HTTPSyntax
import TestSupport
import Testing

@Suite("Dates, beside email.utils and aiohttp", .needsServers, .seeded, .differentialLimit)
struct DateDifferentialTests {
    private struct Cases: Decodable {
        struct Read: Decodable {
            let text: String
            let valid: Bool
            let email: Int?
            let cookie: Int?
            let isRolled: Bool
        }

        struct Written: Decodable {
            let seconds: Int
            let text: String
        }

        let cases: [Read]
        let written: [Written]
    }

    private func seconds(_ date: Date?) -> Int? { date.map { Int($0.timeIntervalSince1970) } }

    @Test("Valid and mutated dates are read as email.utils and aiohttp read them")
    func reading() throws {
        let count = DifferentialRun.count(6000)
        let cases: Cases = try DifferentialRun.cases(of: "differential_dates", count)
        try #require(cases.cases.count == count)
        var http = DifferentialRun("Dates of HTTP")
        var cookies = DifferentialRun("Dates of cookies")
        for date in cases.cases {
            let strict = seconds(HTTPDate.parseStrictly(date.text))
            if date.valid ? strict == date.email : strict == nil || strict == date.email {
                if strict != nil { http.agree() }
            } else {
                http.differ(nil, "\(date.text): \(strict ?? 0), email \(date.email ?? 0)")
            }
            let own = seconds(HTTPDate.parse(date.text))
            if own == date.cookie {
                if own != nil { cookies.agree() }
            } else {
                let reason =
                    own == nil && date.isRolled
                    ? "aiohttp takes a day that its month does not have for one of the next month, where RFC 6265 fails (5.1.1)"
                    : nil
                cookies.differ(reason, "\(date.text): \(own ?? 0), aiohttp \(date.cookie ?? 0)")
            }
        }
        http.finish(agreeing: count / 4)
        cookies.finish(agreeing: count / 4)
    }

    @Test("Dates are written as email.utils writes them")
    func writing() throws {
        let count = DifferentialRun.count(6000)
        let cases: Cases = try DifferentialRun.cases(of: "differential_dates", count)
        var run = DifferentialRun("Written dates")
        for date in cases.written {
            let text = HTTPDate.string(from: Date(timeIntervalSince1970: TimeInterval(date.seconds)))
            if text == date.text { run.agree() } else { run.differ(nil, "\(text) and \(date.text)") }
        }
        run.finish(agreeing: count / 4)
    }
}
#endif
