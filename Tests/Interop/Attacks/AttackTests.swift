#if os(Linux)
import Foundation
import Larkspur
import LarkspurTransport
import TestSupport
import Testing

/// URLs that you do not choose, in a network where each address would be reached. The kernel's packets are the judge.
@Suite("URLs that you do not choose", .needsAttackNetwork, .serialized, .seeded, .timeLimit(.minutes(5)))
struct AttackTests {
    static let network = Result { try AttackNetwork() }

    private let network: AttackNetwork

    init() throws { network = try Self.network.get() }

    @Test("An attack has its outcome, and no packet goes to a forbidden address", arguments: Attack.all)
    func attack(_ attack: Attack) async throws {
        let late = try network.begin(names: attack.names)
        #expect(late.isEmpty)
        let codes = try await attack.run(AttackClient(network: network, isLimited: true))
        #expect(!codes.isEmpty && codes.allSatisfy { $0 == attack.code }, "\(codes)")
        let report = try network.report()
        #expect(report.forbidden.isEmpty && report.accepted.isEmpty && report.lost == 0, "\(report)")
        attack.check(report.requests)
    }

    @Test("Without the limits, the same calls reach forbidden addresses", arguments: Attack.all.filter(\.isReal))
    func control(_ attack: Attack) async throws {
        try network.begin(names: attack.names)
        let codes = try await attack.run(AttackClient(network: network, isLimited: false))
        let report = try network.report()
        #expect(!report.forbidden.isEmpty, "\(codes) \(report)")
    }

    @Test("The page beside the tests has forty attacks with their outcomes")
    func table() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "README.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        #expect(Attack.all.count == 40)
        let rows = Attack.all.map(\.row).joined(separator: "\n")
        #expect(page.contains(rows), "\(rows)")
    }
}
#endif
