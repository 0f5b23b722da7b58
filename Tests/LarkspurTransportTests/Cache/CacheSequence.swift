#if canImport(FoundationNetworking)
import LarkspurTransport
import TestSupport

/// A random sequence of requests for two URLs of a server, and of moves of the clock.
///
/// The numbers of seconds keep comparisons away from their limits: ages are multiples of 1000, lifetimes and the limits
/// of ages lie between them, and limits of staleness are multiples again. The clock moves by some hundred seconds more,
/// so that the seconds for which the test runs decide nothing.
struct CacheSequence: Sendable {
    /// The response of the server to a request, if the request reaches it.
    struct Plan: Sendable, CustomStringConvertible {
        var status = 200
        var control: [CacheModel.Directive] = []
        /// The seconds by which the server's clock is late.
        var delay = 0
        var age: Int?
        /// The seconds from the date to the expiry; `Int.min` for a malformed one.
        var expires: Int?
        var hasTag = false
        var isWeak = false
        /// The seconds since the last change.
        var modified: Int?
        var vary: [String] = []
        /// Whether conditions are answered with a 304.
        var isUnchanged = false
        /// Whether the 304 has the tag of a response that was never sent.
        var hasOtherTag = false
        /// Whether the response to an unsafe request names the other URL.
        var namesOther = false

        var description: String {
            var parts = ["\(status)", control.text, "delay \(delay)"]
            if let age { parts.append("Age \(age)") }
            if let expires { parts.append("Expires \(expires)") }
            if hasTag { parts.append(isWeak ? "weak tag" : "tag") }
            if let modified { parts.append("modified \(modified)") }
            if !vary.isEmpty { parts.append("Vary \(vary)") }
            if isUnchanged { parts.append("unchanged") }
            if hasOtherTag { parts.append("other tag") }
            if namesOther { parts.append("names the other URL") }
            return parts.joined(separator: ", ")
        }
    }

    enum Step: Sendable, CustomStringConvertible {
        case advance(Int)
        case ask(resource: Int, CacheModel.Query, Plan)

        var description: String {
            switch self {
            case .advance(let seconds): "advance \(seconds)"
            case .ask(let resource, let query, let plan):
                "\(query.method) \(resource) \(query.fields.sorted { $0.key < $1.key }) [\(query.control.text)] -> \(plan)"
            }
        }
    }

    let steps: [Step]

    init(_ number: Int) {
        var random = SeededGenerator(number)
        var moves = 0
        steps = (0..<Int.random(in: 4...12, using: &random)).map { index in
            if index > 0, moves < 4, Int.random(in: 0..<3, using: &random) == 0 {
                moves += 1
                return .advance(([0, 1, 2, 4, 9, 30].randomElement(using: &random) ?? 0) * 1000 + 200)
            }
            let query = Self.query(&random)
            let resource = Int.random(in: 0..<4, using: &random) == 0 ? 1 : 0
            return .ask(resource: resource, query, Self.plan(for: query, &random))
        }
    }

    private static func query(_ random: inout SeededGenerator) -> CacheModel.Query {
        func happens(oneIn count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
        func pick<Value>(_ values: [Value]) -> Value? { values.randomElement(using: &random) }
        var query = CacheModel.Query()
        query.fields["accept-language"] = happens(oneIn: 4) ? "de" : "en"
        if happens(oneIn: 6) { query.fields["x-variant"] = "a" }
        if happens(oneIn: 5) {
            query.method = pick(["HEAD", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "QUERY"]) ?? ""
        }
        guard query.method == "GET" || query.method == "HEAD", happens(oneIn: 3) else { return query }
        let wishes: [(String, [Int?])] = [
            ("no-cache", [nil]), ("no-store", [nil]), ("max-age", [0, 1500, 4500]), ("max-stale", [nil, 1000, 4000]),
            ("min-fresh", [1000, 3000]), ("only-if-cached", [nil]), ("stale-if-error", [3000, 9000]),
        ]
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            guard let (name, seconds) = pick(wishes), !query.control.has(name) else { continue }
            query.control.append(CacheModel.Directive(name: name, seconds: pick(seconds) ?? nil))
        }
        return query
    }

    private static func plan(for query: CacheModel.Query, _ random: inout SeededGenerator) -> Plan {
        func happens(oneIn count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
        func pick<Value>(_ values: [Value]) -> Value? { values.randomElement(using: &random) }
        var plan = Plan()
        if happens(oneIn: 3) { plan.status = pick([203, 404, 410, 418, 500, 500, 500, 502, 503, 504]) ?? 200 }
        let directives: [(String, [Int?])] = [
            ("max-age", [0, 1500, 1500, 3500, 3500, 9500]), ("max-age", [1500, 3500]), ("no-store", [nil]),
            ("no-cache", [nil]), ("private", [nil]), ("public", [nil]), ("must-revalidate", [nil]),
            ("immutable", [nil]),
            ("stale-while-revalidate", [2000, 7000]), ("stale-if-error", [2000, 30_000]), ("stale-if-error", [30_000]),
            ("s-maxage", [90_500]),
            ("x-own", [1]),
        ]
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            guard let (name, seconds) = pick(directives), !plan.control.has(name) else { continue }
            plan.control.append(CacheModel.Directive(name: name, seconds: pick(seconds) ?? nil))
        }
        if happens(oneIn: 5) { plan.delay = 2000 }
        if happens(oneIn: 4) { plan.age = pick([1000, 2000, 6000]) ?? 0 }
        if happens(oneIn: 4) { plan.expires = pick([Int.min, -2000, 1500, 5500]) ?? 0 }
        plan.hasTag = happens(oneIn: 2)
        plan.isWeak = happens(oneIn: 3)
        if happens(oneIn: 3) { plan.modified = pick([15_000, 35_000, 95_000]) ?? 0 }
        if happens(oneIn: 4) {
            plan.vary =
                pick([
                    ["accept-language"], ["accept-language"], ["accept-language", "x-variant"], ["x-variant"], ["*"],
                ])
                ?? []
        }
        plan.isUnchanged = happens(oneIn: 2)
        plan.hasOtherTag = happens(oneIn: 8)
        plan.namesOther = happens(oneIn: 2)
        return plan
    }
}
#endif
