#if canImport(FoundationNetworking)
import Foundation
import TestSupport
import Testing

/// The generator of crossings itself: without these properties, the runs would prove little.
@Suite("The generator of crossings")
struct CrossingGeneratorTests {
    private static let all = Crossing.axes.map { Array($0.values.indices) }

    @Test("The covering array has each possible pair, and no impossible row")
    func pairs() {
        let array = CoveringArray(Self.all, isPossible: Crossing.isPossible)
        var covered: Set<CoveringArray.Pair> = []
        for row in array.rows {
            #expect(Crossing(choices: row).isPossible)
            covered.formUnion(CoveringArray.pairs(of: row))
        }
        var missing: Set<CoveringArray.Pair> = []
        for first in Self.all.indices {
            for second in Self.all.indices.dropFirst(first + 1) {
                for a in Self.all[first] {
                    for b in Self.all[second] where !covered.contains(.init(first, a, second, b)) {
                        missing.insert(.init(first, a, second, b))
                    }
                }
            }
        }
        #expect(missing == array.impossible)
        // Each of the orders with each of the surroundings alone takes hundreds.
        #expect((500...1_000).contains(array.rows.count), "\(array.rows.count)")
        // No random crossing has a pair that is called impossible.
        var random = SeededGenerator(seed: 1)
        for _ in 0..<5_000 {
            let crossing = Crossing(fixed: [:], Self.all, using: &random)
            #expect(array.impossible.isDisjoint(with: CoveringArray.pairs(of: crossing.choices)), "\(crossing)")
        }
    }

    @Test("The covering array is small if every pair is possible")
    func smallness() {
        let array = CoveringArray(Array(repeating: [0, 1, 2], count: 8)) { _ in true }
        #expect(array.impossible.isEmpty)
        #expect(array.rows.count < 20, "\(array.rows.count)")
    }

    @Test("A crossing is read from its text")
    func text() {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<500 {
            let crossing = Crossing(fixed: [:], Self.all, using: &random)
            #expect(Crossing(crossing.description) == crossing)
            #expect(Crossing(crossing.allChoices) == crossing)
        }
        #expect(Crossing("body=stone") == nil)
        #expect(Crossing("stone=data") == nil)
    }

    @Test("A failing crossing shrinks to the choices that make it fail")
    func shrinking() async throws {
        let isFailing = { (crossing: Crossing) in
            crossing.body == .writers && crossing.connection.isKept && crossing.order?.action == .cancel
        }
        let first = try #require(
            Crossing(
                "body=writers size=large connection=lostAfter order=cancel@writer around=retry calls=12 way=opened"
            )
        )
        let shrunk = await first.shrunk(limit: 500) { isFailing($0) }
        #expect(shrunk == Crossing("body=writers connection=kept order=cancel@created"))
    }

    @Test("The check of a call's content rejects another call's content, another offset and another length")
    func content() throws {
        for body in ["data", "writers"] {
            let crossing = try #require(Crossing("body=\(body) size=medium"))
            let content = try CrossingContent(crossing, marker: "1-0", call: 0)
            let other = try CrossingContent(crossing, marker: "1-1", call: 0)
            #expect(content.isWhole(content.bytes))
            #expect(!content.isWhole(other.bytes))
            #expect(!content.isWhole(content.bytes.dropLast()))
            #expect(!content.isWhole(content.bytes + content.bytes))
            #expect(!content.isWhole(content.bytes.dropFirst(8_192)))
            #expect(!content.isWhole(Data()))
            if body == "data" {
                #expect(content.isPart(content.bytes[500..<600], at: 500))
                #expect(!content.isPart(content.bytes[500..<600], at: 492))
            } else {
                #expect(content.isWhole(content.bytes.suffix(8_192) + content.bytes.dropLast(8_192)))
            }
        }
    }

    @Test("Forbidden outcomes are found")
    func rules() throws {
        func count(_ text: String, _ ending: CrossingEnding, hasContent: Bool = true) throws -> Int {
            let rules = CrossingRules(crossing: try #require(Crossing(text)))
            return rules.violations(of: ending, marker: "1-0", hasContent: hasContent).count
        }
        let success = CrossingEnding.success(status: 200, content: Data(CrossingRecord.response(to: "1-0").utf8))
        let lost = CrossingEnding.failure(label: "connection-lost", message: "")
        let cancelled = CrossingEnding.failure(label: "cancelled", message: "")
        #expect(try count("connection=fresh", success) == 0)
        #expect(try count("body=data", success, hasContent: false) == 1)
        #expect(try count("connection=fresh", lost) == 1)
        #expect(try count("connection=fresh", .success(status: 201, content: Data())) == 1)
        #expect(try count("connection=fresh", .success(status: 200, content: Data())) == 1)
        #expect(try count("response=cut", success) == 1)
        #expect(try count("response=cut", lost) == 0)
        #expect(try count("response=cut way=opened", lost) == 1)
        #expect(try count("connection=lostAfter body=data", lost) == 1)
        #expect(try count("connection=lostAfter body=data method=post", lost) == 0)
        #expect(try count("order=cancel@head", cancelled) == 0)
        #expect(try count("order=resume@head", cancelled) == 1)
    }
}
#endif
