#if canImport(FoundationNetworking)
import Foundation
import Larkspur
import TestSupport

/// A request with content over HTTP/2, and what the server does while it arrives, with the outcome that follows.
struct GeneratedUpload: Sendable, CustomStringConvertible {
    /// The ends of a call besides a success with all of the content on the server. A connection may be lost, and
    /// the request repeated, before the server gets to the fault.
    enum Outcome: Sendable {
        case none
        /// The server has responded although the content was not complete.
        case early
        case failed
    }

    let seed: UInt64
    let kind: UploadedContent
    let method: HTTPMethod
    let headers: HTTPHeaders
    let content: Data
    let key: String
    let steps: [String]
    let outcome: Outcome
    /// Whether the fault ends the connection, and with it other streams.
    let endsConnection: Bool

    init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        self.seed = seed
        kind = UploadedContent.allCases.randomElement(using: &random) ?? .data
        method = random.next() % 2 == 0 ? .put : .post
        let hasKey = random.next() % 4 == 0
        headers = hasKey ? ["Idempotency-Key": "1"] : [:]
        let sizes = [0, 1, 1000, 65_535, 65_536, Int.random(in: 0...300_000, using: &random), 1_100_000]
        let size = sizes.randomElement(using: &random) ?? 0
        content = UploadedContent.bytes(size, seed: seed)
        key = UUID().uuidString
        let begun =
            [0, min(1, size), Int.random(in: 0...size, using: &random), size].randomElement(using: &random) ?? 0
        let again: Outcome = kind.isRepeatable ? .none : .failed
        let plan: (fault: String, outcome: Outcome, endsConnection: Bool) =
            switch Int.random(in: 0..<9, using: &random) {
            // The server has not processed the request.
            case 0, 1: ("rst:7", again, false)
            case 2: ("rst:13", again, false)
            case 3: ("goaway:below:0 close", again, true)
            case 4: ("goaway:below:2 close", again, true)
            // The connection is lost.
            case 5: (random.next() % 2 == 0 ? "close" : "abort", .failed, true)
            // Only the stream is.
            case 6: ("rst:2", .failed, false)
            case 7: ("headend:200 rst:0", .early, false)
            default: ("body", .none, false)
            }
        let isHarmless = plan.fault == "body"
        // A response follows once the request has ended.
        let end = isHarmless ? " respond" : ""
        outcome = plan.outcome
        let count = plan.fault == "rst:7" ? Int.random(in: 1...2, using: &random) : 1
        let rest = (plan.fault + end).split(separator: " ").map(String.init)
        steps = ["first:\(key):\(count)", "body:\(begun)"] + rest
        endsConnection = plan.endsConnection
    }

    var description: String { "\(method) \(kind) \(content.count) \(headers) \(steps.joined(separator: " "))" }
}
#endif
