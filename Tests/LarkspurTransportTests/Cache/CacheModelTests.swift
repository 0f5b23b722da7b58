#if canImport(FoundationNetworking)
import Foundation
import TestSupport
import Testing

@testable import LarkspurTransport

/// Random sequences of requests through the cache, of which each outcome has to be one that ``CacheModel`` allows.
///
/// `LARKSPUR_SEED` sets the seed, and `LARKSPUR_DIFFERENTIAL_CASES` the number of sequences.
@Suite("The cache beside a model of RFC 9111", .seeded, .timeLimit(.minutes(15)))
struct CacheModelTests {
    private static let number = ProcessInfo.processInfo.environment["LARKSPUR_DIFFERENTIAL_CASES"].flatMap { Int($0) }

    @Test("Each outcome of random sequences is allowed by the rules")
    func sequences() async throws {
        let number = Self.number ?? 800
        let lab = try CacheModelLab()
        defer { lab.session.finishTasksAndInvalidate() }
        let workers = 6
        let counts = try await withThrowingTaskGroup(of: [String: Int].self) { group in
            for worker in 0..<workers {
                group.addTask {
                    var counts: [String: Int] = [:]
                    for index in stride(from: worker, to: number, by: workers) {
                        var run = CacheRun(index, lab)
                        try await run.play()
                        counts.merge(run.counts) { $0 + $1 }
                    }
                    return counts
                }
            }
            return try await group.reduce(into: [:]) { $0.merge($1) { $0 + $1 } }
        }
        print("\(number) sequences with a cache: \(counts.sorted { $0.value > $1.value }.map { "\($0) \($1)" })")
        // A sequence in which nothing of a kind happens proves nothing of it.
        guard number >= 800 else { return }
        for use in [
            "absent", "unverifiable", "fresh", "stale", "revalidatedLater", "validated", "replaced",
            "fallback", "gatewayTimeout", "invalidated", "confirmed by HEAD", "304 of another response",
        ] {
            #expect(counts[use] != nil, "No outcome is \(use).")
        }
    }

    @Test("The model rejects outcomes that the rules forbid")
    func refusals() {
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        func faults(
            _ control: [CacheModel.Directive],
            wishes: [CacheModel.Directive] = [],
            after seconds: TimeInterval = 10,
            vary: [String] = []
        ) -> [String] {
            var model = CacheModel()
            let fields = CacheModel.Fields(control: control, date: now, vary: vary)
            let query = CacheModel.Query(fields: ["accept-language": "de"])
            let state = CacheModel.State(fields: fields, arrival: now, query: query)
            model.receive(CacheModel.Stored(version: 1, status: 200, states: [state]))
            return model.faults(
                ofUsing: 1,
                update: nil,
                for: CacheModel.Query(fields: ["accept-language": "en"], control: wishes),
                at: now.addingTimeInterval(seconds),
                hasFailed: false
            )
        }
        let fresh = CacheModel.Directive(name: "max-age", seconds: 100)
        let mustAsk = CacheModel.Directive(name: "must-revalidate")
        #expect(faults([fresh]) == [])
        #expect(faults([fresh], after: 200) == ["4.2.4: it is stale"])
        #expect(faults([fresh], wishes: [CacheModel.Directive(name: "max-stale")], after: 200) == [])
        #expect(faults([fresh, mustAsk], wishes: [CacheModel.Directive(name: "max-stale")], after: 200) != [])
        #expect(faults([fresh, CacheModel.Directive(name: "no-cache")]) == ["5.2.2.4: no-cache of the response"])
        #expect(faults([fresh, CacheModel.Directive(name: "no-store")]) == ["3: no-store"])
        #expect(faults([fresh], wishes: [CacheModel.Directive(name: "no-cache")]) != [])
        #expect(faults([fresh], vary: ["accept-language"]) == ["4.1: a field that Vary names"])
        #expect(faults([fresh], vary: ["x-variant"]) == [])
    }

    @Test("The model requires the latest response if that is successful", arguments: [200, 500])
    func latest(status: Int) {
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        var model = CacheModel()
        for (version, seconds) in [(1, 0), (2, 1000)] {
            let date = now.addingTimeInterval(TimeInterval(seconds))
            let fields = CacheModel.Fields(control: [CacheModel.Directive(name: "max-age", seconds: 5000)], date: date)
            let state = CacheModel.State(fields: fields, arrival: date, query: CacheModel.Query())
            model.receive(CacheModel.Stored(version: version, status: version == 1 ? 200 : status, states: [state]))
        }
        let later = now.addingTimeInterval(1500)
        let faults = model.faults(ofUsing: 1, update: nil, for: CacheModel.Query(), at: later, hasFailed: false)
        #expect(faults == (status == 500 ? [] : ["4: there is a more recent response"]))
    }

    @Test("The model expects a response in the cache until the server forbids storing it")
    func certainty() {
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        let noStore = CacheModel.Directive(name: "no-store")
        func isCertain(after fields: CacheModel.Fields) -> Bool {
            var model = CacheModel()
            let query = CacheModel.Query()
            let state = CacheModel.State(fields: CacheModel.Fields(date: now), arrival: now, query: query)
            model.receive(CacheModel.Stored(version: 1, status: 200, states: [state]))
            model.update(1, by: fields, at: now, query: CacheModel.Query(control: [noStore]))
            return model.candidate(for: query) != nil
        }
        #expect(isCertain(after: CacheModel.Fields(date: now)))
        #expect(!isCertain(after: CacheModel.Fields(control: [noStore], date: now)))
        #expect(!isCertain(after: CacheModel.Fields(date: now, vary: ["*"])))
    }
}
#endif
