#if canImport(FoundationNetworking)
/// The rules by which the certificates of a server are good enough: a value without I/O.
struct ServerTrustRules: Sendable {
    /// What a handshake has shown.
    struct Evidence: Sendable {
        /// The name that the handshake was for; nil for servers that are named by an address.
        var serverName: String?
        /// The host of the request.
        var host: String
        /// What OpenSSL objected to, in its numbers.
        var errors: [Int32] = []
        /// The keys of the chain, the server's own first.
        var keys: [PublicKeyPin] = []
        /// Whether the chain is valid also with the anchors alone.
        var isAnchored = false
        /// Whether the server's own certificate has a subjectAltName with a host or an address.
        var hasNames = true
    }

    enum Verdict: Equatable, Sendable {
        case accepted
        /// One of OpenSSL's numbers.
        case invalid(Int32)
        case mismatch
        /// The server's own certificate names no host but by its common name.
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
    /// That of the handshake, where there is one: it says where the connection leads, and for a proxy that is the
    /// proxy.
    var name: String {
        guard let serverName else { return host }
        return ServerName.canonical(serverName) ?? serverName
    }

    /// The keys of certificates each of which has issued the one before it.
    ///
    /// A server can send along certificates that are not its own, so that without that only its own key counts, which
    /// the handshake proves.
    fileprivate var provenKeys: ArraySlice<PublicKeyPin> {
        errors.allSatisfy(Self.leavesLinksIntact) ? keys[...] : keys.prefix(1)
    }

    /// Whether an objection is about the dates or the end of a chain, and not about who has issued whom.
    private static func leavesLinksIntact(_ error: Int32) -> Bool {
        switch error {
        // Not yet valid, and expired.
        case 9, 10: true
        // Ends in a certificate that has signed itself, or whose issuer is not known; a chain of one whose issuer is
        // not.
        case 18, 19, 20, 21: true
        default: false
        }
    }
}
#endif
