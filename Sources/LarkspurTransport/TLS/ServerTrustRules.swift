#if canImport(FoundationNetworking)
/// The rules for the acceptance of a server's certificates: a value without I/O.
struct ServerTrustRules: Sendable {
    /// The facts about a handshake.
    struct Evidence: Sendable {
        /// The server name of the handshake; nil for servers with an address instead of a name.
        var serverName: String?
        /// The host of the request.
        var host: String
        /// OpenSSL's errors, by its numbers.
        var errors: [Int32] = []
        /// The keys of the chain, the server's own first.
        var keys: [PublicKeyPin] = []
        /// Whether the chain is also valid with the anchors alone.
        var isAnchored = false
        /// Whether the server's own certificate has a subjectAltName with a host or an address.
        var hasNames = true
    }

    enum Verdict: Equatable, Sendable {
        case accepted
        /// The chain has an error, one of OpenSSL's numbers.
        case invalid(Int32)
        case mismatch
        /// The server's own certificate names its host only in its common name.
        case unnamed
    }

    var requiresValidChain = true
    var requiresNames = false
    var requiresAnchor = false
    var pins = PinTable([])

    func verdict(on evidence: Evidence) -> Verdict {
        if requiresValidChain, let error = evidence.errors.first { return .invalid(error) }
        if requiresNames, !evidence.hasNames { return .unnamed }
        if requiresAnchor, !evidence.isAnchored { return .mismatch }
        let keys = evidence.provenKeys
        for requirement in pins.requirements(for: evidence.name) where requirement.isDisjoint(with: keys) {
            return .mismatch
        }
        return .accepted
    }
}

extension ServerTrustRules.Evidence {
    /// The name by which pins are looked up.
    ///
    /// It is the name of the handshake, if there is one: that is the peer of the connection, which may be a proxy.
    var name: String {
        guard let serverName else { return host }
        return ServerName.canonical(serverName) ?? serverName
    }

    /// The keys of the certificates in the chain, each of which has issued the one before it.
    ///
    /// A server can send certificates that are not its own. If the chain is not verified, only the server's own key
    /// counts, which the handshake proves.
    fileprivate var provenKeys: ArraySlice<PublicKeyPin> {
        errors.allSatisfy(Self.leavesLinksIntact) ? keys[...] : keys.prefix(1)
    }

    /// Whether an error concerns the dates or the end of a chain, and not the signatures between its certificates.
    private static func leavesLinksIntact(_ error: Int32) -> Bool {
        switch error {
        // Not yet valid, and expired.
        case 9, 10: true
        // Ends in a self-signed certificate, or in one with an unknown issuer; a chain of one with an unknown issuer.
        case 18, 19, 20, 21: true
        default: false
        }
    }
}
#endif
