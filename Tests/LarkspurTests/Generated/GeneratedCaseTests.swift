#if canImport(FoundationNetworking)
import Foundation
import Testing

@testable import Larkspur

/// The generator itself: without these properties, the runs would prove little.
@Suite("The generator of responses")
struct GeneratedCaseTests {
    private static let cases = (0..<3_000).map { GeneratedCase(seed: $0, allowsTLS: true) }

    @Test("A seed gives the same case each time")
    func repetition() {
        #expect(Self.cases.prefix(200).elementsEqual((0..<200).map { GeneratedCase(seed: $0, allowsTLS: true) }))
    }

    @Test("Each kind of deviation occurs, in several kinds of calls")
    func variety() {
        var ways: [String: Set<GeneratedCase.Way>] = [:]
        for generated in Self.cases {
            for mutation in generated.response.mutations { ways[mutation.kind, default: []].insert(generated.way) }
        }
        // Those that cost much are rare.
        let rare = Set([GeneratedResponse.FieldFault.long, .tooMany, .endless].map(\.kind))
        #expect(ways.count == 38)
        for (kind, ways) in ways where !rare.contains(kind) { #expect(ways.count > 2, "\(kind)") }
    }

    @Test("Most cases have exactly one permitted outcome")
    func narrowness() {
        let expectations = Self.cases.prefix(1_000).map { $0.expectation() }
        let mustComplete = expectations.filter { $0.complete != nil && $0.failures.isEmpty }.count
        let mustFail = expectations.filter { $0.complete == nil }.count
        #expect(mustComplete > 400)
        #expect(mustFail > 200)
        #expect(expectations.allSatisfy { $0.complete != nil || !$0.failures.isEmpty })
    }

    @Test("The outcomes that the engine promises are permitted by the standard")
    func rules() {
        for generated in Self.cases.prefix(1_000) {
            let (engine, standard) = (generated.expectation(), generated.expectation(.standard))
            #expect(engine.complete == nil || engine.complete == standard.complete)
            #expect(engine.failures.isSubset(of: standard.failures), "\(generated)")
        }
    }

    @Test("A failing case shrinks to the parts that make it fail")
    func shrinking() async throws {
        let isFailing = { (generated: GeneratedCase) in
            generated.response.content.count >= 10 && generated.response.fields.contains { $0.name == "Via" }
                && generated.response.mutations.contains { $0.kind == "an early end" }
        }
        let first = try #require(Self.cases.first { isFailing($0) && $0.response.mutations.count == 2 })
        let shrunk = await first.shrunk { isFailing($0) }
        #expect(shrunk.response.mutations.map(\.kind) == ["an early end"])
        #expect(shrunk.response.fields.map(\.name) == ["Via"])
        #expect(shrunk.response.content.count == 10)
        #expect(shrunk.response.interims.isEmpty && shrunk.borders.isEmpty && !shrunk.isByteByByte)
    }

    @Test("Forbidden outcomes are found")
    func comparison() throws {
        let url = try #require(URL(string: "http://host/"))
        var response = GeneratedResponse()
        response.content.count = 3
        response.fields = [GeneratedResponse.Field(name: "X-A", value: "b")]
        func ending(_ status: Int, _ value: String, _ content: String) -> GeneratedRun.Ending {
            let fields = ["X-A": value]
            let head = HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: fields)
            return .complete(head, content: Data(content.utf8), trailers: nil)
        }
        func count(_ ending: GeneratedRun.Ending) -> Int {
            GeneratedRun.violations(of: ending, response.expectation(method: "GET", isSecure: false)).count
        }
        let lost = GeneratedRun.Ending.failure(label: "connection-lost", message: "")
        #expect(count(ending(200, "b", "the")) == 0)
        #expect(count(ending(201, "b", "the")) == 1)
        #expect(count(ending(200, "c", "the")) == 1)
        #expect(count(ending(200, "b", "thf")) == 1)
        #expect(count(ending(201, "c", "th")) == 3)
        #expect(count(lost) == 1)
        response.mutations = [.shortContent(missing: 1)]
        #expect(count(ending(200, "b", "the")) == 1)
        #expect(count(lost) == 0)
        #expect(count(.failure(label: "timed-out", message: "")) == 1)
        #expect(count(.failure(label: "malformed-response", message: "")) == 1)
    }
}
#endif
