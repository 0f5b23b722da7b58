#if canImport(FoundationNetworking)
import Foundation
import Testing

@testable import LarkspurTransport

@Suite("Rules of trust in servers")
struct ServerTrustRulesTests {
    typealias Evidence = ServerTrustRules.Evidence
    typealias Verdict = ServerTrustRules.Verdict

    /// The keys of a leaf, its intermediate and a root.
    static let chain = [PinTableTests.pin(1), PinTableTests.pin(2), PinTableTests.pin(3)]

    private func rules(validChain: Bool = true, anchor: Bool = false, pins: [UInt8]?) throws -> ServerTrustRules {
        ServerTrustRules(
            requiresValidChain: validChain,
            requiresAnchor: anchor,
            pins: PinTable(
                try pins.map { [try HostPins("a.test", pins: Set($0.map(PinTableTests.pin)))] } ?? []
            )
        )
    }

    private func evidence(
        _ errors: [Int32] = [],
        name: String? = "a.test",
        host: String = "a.test",
        anchored: Bool = false
    ) -> Evidence {
        Evidence(serverName: name, host: host, errors: errors, keys: Self.chain, isAnchored: anchored)
    }

    @Test("A pinned key at any place of a valid chain is accepted", arguments: [[1], [2], [3], [9, 3]] as [[UInt8]])
    func anyOfChain(pins: [UInt8]) throws {
        #expect(try rules(pins: pins).verdict(on: evidence()) == .accepted)
    }

    @Test(
        "A server without a pinned key is refused, and with an empty set of pins every server is",
        arguments: [[9], []] as [[UInt8]]
    )
    func mismatch(pins: [UInt8]) throws {
        #expect(try rules(pins: pins).verdict(on: evidence()) == .mismatch)
    }

    @Test("An invalid certificate is refused before its pins are checked, with the first error")
    func invalid() throws {
        #expect(try rules(pins: [9]).verdict(on: evidence([10, 18])) == .invalid(10))
        #expect(try rules(pins: nil).verdict(on: evidence([20])) == .invalid(20))
    }

    @Test(
        "If the chain need not be valid, its dates, its root and its lists are ignored, and the pins are still checked",
        arguments: [3, 9, 10, 11, 12, 18, 19, 20, 21, 23] as [Int32]
    )
    func tolerated(error: Int32) throws {
        #expect(try rules(validChain: false, pins: [2]).verdict(on: evidence([error])) == .accepted)
        #expect(try rules(validChain: false, pins: [9]).verdict(on: evidence([error])) == .mismatch)
    }

    @Test(
        "The key of a certificate that did not issue the previous one does not match a pin",
        arguments: [[7], [20, 7], [24], [25], [32], [1], [79]] as [[Int32]]
    )
    func unlinked(errors: [Int32]) throws {
        #expect(try rules(validChain: false, pins: [2]).verdict(on: evidence(errors)) == .mismatch)
        #expect(try rules(validChain: false, pins: [1]).verdict(on: evidence(errors)) == .accepted)
    }

    @Test("A pinned certificate must be the end of the chain, whether the chain must be valid or not")
    func anchor() throws {
        let strict = try rules(anchor: true, pins: nil)
        #expect(strict.verdict(on: evidence(anchored: true)) == .accepted)
        #expect(strict.verdict(on: evidence()) == .mismatch)
        #expect(strict.verdict(on: evidence([18], anchored: true)) == .invalid(18))
        let lenient = try rules(validChain: false, anchor: true, pins: nil)
        #expect(lenient.verdict(on: evidence([18], anchored: true)) == .accepted)
        #expect(lenient.verdict(on: evidence([18])) == .mismatch)
    }

    @Test("The name in the handshake selects the pins, or else the host of the request")
    func names() throws {
        let rules = try rules(pins: [9])
        #expect(rules.verdict(on: evidence(name: "A.test.")) == .mismatch)
        #expect(rules.verdict(on: evidence(name: "proxy.test", host: "a.test")) == .accepted)
        #expect(rules.verdict(on: evidence(name: "a.test", host: "b.test")) == .mismatch)
        #expect(rules.verdict(on: evidence(name: nil, host: "a.test")) == .mismatch)
        #expect(rules.verdict(on: evidence(name: nil, host: "127.0.0.1")) == .accepted)
    }

    @Test("An evaluator decides about each verdict but a mismatch of pins, about which it is not asked")
    func evaluator() throws {
        var shown = evidence()
        let open = try rules(pins: nil)
        let pinned = try rules(pins: [9])
        var asked: [Verdict] = []
        func verdict(_ rules: ServerTrustRules, _ accepts: Bool) -> Verdict {
            rules.verdict(on: shown) {
                asked.append($0)
                return accepts
            }
        }
        #expect(verdict(open, true) == .accepted)
        #expect(verdict(open, false) == .refused)
        #expect(verdict(pinned, true) == .mismatch)
        shown.isForPeer = false
        #expect(verdict(open, true) == .accepted)
        #expect(verdict(open, false) == .otherHost)
        shown.errors = [10]
        #expect(verdict(open, true) == .accepted)
        #expect(verdict(open, false) == .invalid(10))
        #expect(verdict(pinned, true) == .invalid(10))
        #expect(verdict(try rules(anchor: true, pins: nil), true) == .invalid(10))
        #expect(asked == [.accepted, .accepted, .otherHost, .otherHost, .invalid(10), .invalid(10)])
    }

    @Test("If names are required, a valid certificate without a name is refused")
    func nameless() throws {
        var strict = try rules(pins: [9])
        var shown = evidence()
        shown.hasNames = false
        #expect(strict.verdict(on: shown) == .mismatch)
        strict.requiresNames = true
        #expect(strict.verdict(on: shown) == .unnamed)
        shown.errors = [10]
        #expect(strict.verdict(on: shown) == .invalid(10))
        shown.errors = []
        shown.hasNames = true
        #expect(strict.verdict(on: shown) == .mismatch)
    }
}
#endif
