#if canImport(FoundationNetworking)
import Foundation
import TestSupport
import Testing

@testable import LarkspurTransport

/// The cookies that requests get after responses with random domains, paths and attributes.
@Suite("Cookies, beside aiohttp and http.cookiejar", .needsServers, .seeded, .differentialLimit)
struct CookieDifferentialTests {
    private struct Case: Decodable {
        struct Response: Decodable {
            let url: String
            let fields: [String]
        }

        let responses: [Response]
        let requests: [String]
        let aiohttp: [[[String]]]
        let cookiejar: [[[String]]]
    }

    @Test("Requests have the cookies that other cookie jars send")
    func jars() throws {
        let count = DifferentialRun.count(1500)
        let cases: [Case] = try DifferentialRun.cases(of: "differential_cookies", count)
        try #require(cases.count == count)
        var run = DifferentialRun("Cookies")
        for sample in cases {
            let storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
            let jar = CookieJar(storage: storage, acceptPolicy: .always)
            for response in sample.responses {
                let url = try #require(URL(string: response.url))
                jar.store(response.fields, from: url, mainDocumentURL: nil)
            }
            jar.finishWriting()
            for (index, request) in sample.requests.enumerated() {
                let field = jar.field(for: try #require(URL(string: request))) ?? ""
                let pairs = field.split(separator: "; ", omittingEmptySubsequences: true).map {
                    $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                }.sorted { $0.lexicographicallyPrecedes($1) }
                if isSame(pairs, asAiohttp: sample.aiohttp[index]) || pairs == sample.cookiejar[index] {
                    if !pairs.isEmpty { run.agree() }
                } else {
                    run.differ(reason(sample), "\(sample.responses), \(request): \(pairs), \(sample.aiohttp[index])")
                }
            }
        }
        run.finish(agreeing: count / 10)
    }

    /// Why the jars may differ; nil if there is no good reason.
    private func reason(_ sample: Case) -> String? {
        let names = sample.responses.flatMap(\.fields).map { $0.prefix { $0 != "=" && $0 != " " } }
        guard Set(names).count == names.count else {
            return
                "aiohttp has one cookie for a name and a domain, http.cookiejar has none for one host alone, where RFC 6265 has two (5.3)"
        }
        return nil
    }

    /// Whether aiohttp sends the same cookies, except that it sends only one of each name, and removes quotation marks
    /// (RFC 6265, sections 5.4 and 5.2).
    private func isSame(_ pairs: [[String]], asAiohttp theirs: [[String]]) -> Bool {
        let cut = pairs.map { [$0[0], $0[1].replacing("\"", with: "")] }
        return Set(cut.map { $0[0] }) == Set(theirs.map { $0[0] }) && Set(theirs).isSubset(of: cut)
    }
}
#endif
