#if canImport(FoundationNetworking)
import Testing

@testable import LarkspurTransport

@Suite("Decisions of a cache about a request")
struct CacheDecisionTests {
    /// A decision by its name.
    enum Outcome: String, Sendable {
        case bypass, miss, missWithFallback, hit, staleHit, revalidated, failure, gatewayTimeout

        init(_ decision: CacheDecision) {
            switch decision {
            case .bypass: self = .bypass
            case .load(let fallback): self = fallback == nil ? .miss : .missWithFallback
            case .use: self = .hit
            case .useWhileRevalidating: self = .staleHit
            case .revalidate: self = .revalidated
            case .fail: self = .failure
            case .gatewayTimeout: self = .gatewayTimeout
            }
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let stored: [CacheEntry]
        let request: CacheRequest
        let expected: Outcome

        /// - Parameter ago: The age of what is stored; nil if there is nothing.
        init(
            _ rule: String,
            storing fields: [String: String] = ["Cache-Control": "max-age=60", "Etag": "\"a\""],
            ago: TimeInterval? = 10,
            asking wishes: String? = nil,
            sending request: [String: String] = [:],
            method: String = "GET",
            policy: URLRequest.CachePolicy = .useProtocolCachePolicy,
            _ expected: Outcome
        ) {
            testDescription = rule
            stored = ago.map { [.made(fields, ago: $0)] } ?? []
            self.request = .made(
                request.merging(wishes.map { ["Cache-Control": $0] } ?? [:]) { $1 },
                method: method,
                policy: policy
            )
            self.expected = expected
        }
    }

    private static func tagged(_ control: String) -> [String: String] {
        ["Cache-Control": control, "Etag": "\"a\""]
    }

    @Test(
        "The decision about a request follows RFC 9111 and RFC 5861",
        arguments: [
            Row("4 nothing stored", ago: nil, .miss),
            Row("4.2 fresh", .hit),
            Row("4.2 stale, with a validator", ago: 61, .revalidated),
            Row("4.2 stale, without one", storing: ["Cache-Control": "max-age=60"], ago: 61, .missWithFallback),
            Row(
                "4.3.1 a date is a validator",
                storing: ["Last-Modified": "Tue, 14 Nov 2023 22:13:10 GMT"],
                .revalidated
            ),
            Row("5.2.2.4 no-cache", storing: tagged("max-age=60, no-cache"), .revalidated),
            Row("5.2.2.4 no-cache for some fields", storing: tagged("max-age=60, no-cache=\"a\""), .revalidated),
            Row("5.4 Pragma of HTTP/1.0", storing: ["Pragma": "no-cache", "Etag": "\"a\""], .revalidated),
            Row(
                "5.4 Pragma does not count beside Cache-Control",
                storing: tagged("max-age=60").merging(["Pragma": "no-cache"]) { $1 },
                .hit
            ),
            Row("5.2.2.2 must-revalidate, fresh", storing: tagged("max-age=60, must-revalidate"), .hit),
            Row(
                "5.2.2.2 must-revalidate, stale",
                storing: tagged("max-age=60, must-revalidate"),
                ago: 61,
                .revalidated
            ),
            Row("5.2.1.1 max-age of the request", asking: "max-age=5", .revalidated),
            Row("5.2.1.1 max-age of the request, young enough", asking: "max-age=20", .hit),
            Row("5.2.1.2 max-stale", ago: 70, asking: "max-stale=20", .hit),
            Row("5.2.1.2 max-stale without a number", ago: 7000, asking: "max-stale", .hit),
            Row("5.2.1.2 max-stale exceeded", ago: 90, asking: "max-stale=20", .revalidated),
            Row(
                "5.2.1.2 max-stale, must-revalidate",
                storing: tagged("max-age=60, must-revalidate"),
                ago: 70,
                asking: "max-stale",
                .revalidated
            ),
            Row("5.2.1.3 min-fresh", asking: "min-fresh=50", .hit),
            Row("5.2.1.3 min-fresh, not enough", asking: "min-fresh=51", .revalidated),
            Row("5.2.1.4 no-cache of the request", asking: "no-cache", .revalidated),
            Row(
                "5.4 Pragma of the request",
                storing: tagged("max-age=60"),
                ago: 10,
                sending: ["Pragma": "no-cache"],
                .revalidated
            ),
            Row("5.2.1.5 no-store of the request does not forbid a hit", asking: "no-store", .hit),
            Row("5.2.1.7 only-if-cached, fresh", asking: "only-if-cached", .hit),
            Row("5.2.1.7 only-if-cached, stale", ago: 61, asking: "only-if-cached", .gatewayTimeout),
            Row("5.2.1.7 only-if-cached, max-stale", ago: 61, asking: "only-if-cached, max-stale", .hit),
            Row("5.2.1.7 only-if-cached, nothing stored", ago: nil, asking: "only-if-cached", .gatewayTimeout),
            Row(
                "5861-3 stale-while-revalidate",
                storing: tagged("max-age=60, stale-while-revalidate=20"),
                ago: 70,
                .staleHit
            ),
            Row("5861-3 stale-while-revalidate, fresh", storing: tagged("max-age=60, stale-while-revalidate=20"), .hit),
            Row(
                "5861-3 stale-while-revalidate, over",
                storing: tagged("max-age=60, stale-while-revalidate=20"),
                ago: 90,
                .revalidated
            ),
            Row(
                "5861-3 not with must-revalidate",
                storing: tagged("max-age=60, stale-while-revalidate=20, must-revalidate"),
                ago: 70,
                .revalidated
            ),
            Row("5861-3 not with no-cache", storing: tagged("no-cache, stale-while-revalidate=20"), .revalidated),
            Row(
                "5861-3 not against the request's max-age",
                storing: tagged("max-age=60, stale-while-revalidate=20"),
                ago: 70,
                asking: "max-age=65",
                .revalidated
            ),
            Row("4 HEAD, fresh", method: "HEAD", .hit),
            Row("4 HEAD, stale", ago: 61, method: "HEAD", .missWithFallback),
            Row("4 other methods", method: "POST", .bypass),
            Row(
                "4.3 conditions of the caller's own",
                storing: ["Cache-Control": "max-age=60"],
                ago: 10,
                sending: ["If-None-Match": "\"x\""],
                .bypass
            ),
            Row(
                "4.3 dates of the caller's own",
                storing: ["Cache-Control": "max-age=60"],
                ago: 10,
                sending: ["if-modified-since": "x"],
                .bypass
            ),
            Row("4 another host", sending: ["Host": "b.test"], .bypass),
            Row(
                "3.4 ranges",
                storing: ["Cache-Control": "max-age=60"],
                ago: 10,
                sending: ["Range": "bytes=0-1"],
                .bypass
            ),
        ]
    )
    func protocolPolicy(row: Row) {
        #expect(Outcome(.decide(row.stored, for: row.request, at: CacheEntry.now)) == row.expected)
    }

    @Test(
        "The decision about a request follows its cache policy",
        arguments: [
            Row("reload, fresh", policy: .reloadIgnoringLocalCacheData, .miss),
            Row("reload everywhere, fresh", policy: .reloadIgnoringLocalAndRemoteCacheData, .miss),
            Row("else load, fresh", policy: .returnCacheDataElseLoad, .hit),
            Row("else load, stale", ago: 1000, policy: .returnCacheDataElseLoad, .hit),
            Row(
                "else load, no-cache",
                storing: tagged("no-cache, must-revalidate"),
                policy: .returnCacheDataElseLoad,
                .hit
            ),
            Row("else load, nothing stored", ago: nil, policy: .returnCacheDataElseLoad, .miss),
            Row("don't load, stale", ago: 1000, policy: .returnCacheDataDontLoad, .hit),
            Row("don't load, nothing stored", ago: nil, policy: .returnCacheDataDontLoad, .failure),
            Row("don't load, POST", method: "POST", policy: .returnCacheDataDontLoad, .failure),
            Row("revalidate, fresh", policy: .reloadRevalidatingCacheData, .revalidated),
            Row(
                "revalidate, without validator",
                storing: ["Cache-Control": "max-age=60"],
                policy: .reloadRevalidatingCacheData,
                .missWithFallback
            ),
            Row("revalidate, nothing stored", ago: nil, policy: .reloadRevalidatingCacheData, .miss),
            Row(
                "8246-2 revalidate, immutable and fresh",
                storing: tagged("max-age=60, immutable"),
                policy: .reloadRevalidatingCacheData,
                .hit
            ),
            Row(
                "8246-2 revalidate, immutable and stale",
                storing: tagged("max-age=60, immutable"),
                ago: 61,
                policy: .reloadRevalidatingCacheData,
                .revalidated
            ),
            Row(
                "8246-2 revalidate, immutable, no-cache wished",
                storing: tagged("max-age=60, immutable"),
                asking: "no-cache",
                policy: .reloadRevalidatingCacheData,
                .revalidated
            ),
        ]
    )
    func policies(row: Row) {
        #expect(Outcome(.decide(row.stored, for: row.request, at: CacheEntry.now)) == row.expected)
    }

    @Test("Of several entries, the latest is used (RFC 9111, section 4)")
    func latest() throws {
        let older = CacheEntry.made(["Cache-Control": "max-age=60", "Etag": "\"old\""], ago: 20)
        let newer = CacheEntry.made(["Cache-Control": "max-age=60", "Etag": "\"new\""], ago: 10)
        let decision = CacheDecision.decide([newer, older], for: .made(), at: CacheEntry.now)
        guard case .use(let entry) = decision else {
            Issue.record("\(decision)")
            return
        }
        #expect(entry == newer)
    }

    struct FallbackRow: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let control: String
        let wishes: String?
        let isAllowed: Bool
        var policy = URLRequest.CachePolicy.useProtocolCachePolicy

        init(_ rule: String, _ control: String, asking wishes: String? = nil, _ isAllowed: Bool) {
            testDescription = rule
            self.control = control
            self.wishes = wishes
            self.isAllowed = isAllowed
        }
    }

    @Test(
        "A response that is stale by 100 seconds replaces a failure if its fields allow that",
        arguments: [
            FallbackRow("5861-4 not of itself", "max-age=60", false),
            FallbackRow("5861-4 stale-if-error", "max-age=60, stale-if-error=40", true),
            FallbackRow("5861-4 over", "max-age=60, stale-if-error=39", false),
            FallbackRow("5861-4 by wish of the request", "max-age=60", asking: "stale-if-error=40", true),
            FallbackRow(
                "5861-4 the request's word before the response's",
                "max-age=60, stale-if-error=40",
                asking: "stale-if-error=5",
                false
            ),
            FallbackRow("5.2.2.2 must-revalidate", "max-age=60, stale-if-error=40, must-revalidate", false),
            FallbackRow("5.2.2.4 no-cache", "max-age=60, stale-if-error=40, no-cache", false),
            FallbackRow("5.2.1.4 no-cache of the request", "max-age=60, stale-if-error=40", asking: "no-cache", false),
        ]
    )
    func fallback(row: FallbackRow) {
        let entry = CacheEntry.made(["Cache-Control": row.control], ago: 100)
        let request = CacheRequest.made(row.wishes.map { ["Cache-Control": $0] } ?? [:])
        #expect(CacheDecision.allowsFallback(to: entry, for: request, at: CacheEntry.now) == row.isAllowed)
    }
}
#endif
