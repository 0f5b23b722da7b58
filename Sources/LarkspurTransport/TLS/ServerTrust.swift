internal import HTTPSyntax

#if canImport(FoundationNetworking)
internal import CLibcurl

/// The check of servers' certificates within the handshake, for all connections of one loop.
///
/// The object belongs to the loop's thread, and outlives all connections.
final class ServerTrust {
    private let rules: ServerTrustRules
    private var raw: OpaquePointer?
    /// The last objection to a handshake for each host, with its number among all objections.
    private var objections: [String: (number: Int, objection: TrustObjection)] = [:]
    /// The number of objections so far.
    private(set) var objectionCount = 0

    /// The reason why the check is not available; nil if it is.
    static let unavailability: String? = libcurl_trust_unavailability().map { String(cString: $0) }

    /// Creates the check; nil if OpenSSL cannot be used, or cannot read one of the certificates.
    init?(_ rules: ServerTrustRules, roots: TrustedRoots, anchors: [TLSCertificate]) {
        self.rules = rules
        raw = libcurl_trust_new(Self.judge, Unmanaged.passUnretained(self).toOpaque())
        guard let raw else { return nil }
        let isComplete: Bool
        switch roots {
        case .system: isComplete = true
        case .only(let roots):
            isComplete = libcurl_trust_use_own_roots(raw) && Self.add(roots, LIBCURL_TRUST_ROOT, to: raw)
        case .systemAnd(let roots): isComplete = Self.add(roots, LIBCURL_TRUST_ADDITIONAL_ROOT, to: raw)
        }
        guard isComplete, Self.add(anchors, LIBCURL_TRUST_ANCHOR, to: raw) else { return nil }
    }

    /// Creates the check for settings; nil if they need none, or if it cannot be created: then they cannot be enforced,
    /// and no request is sent.
    convenience init?(_ tls: TLSSettings) {
        guard case .trust(let rules) = tls.method else { return nil }
        self.init(
            rules,
            roots: tls.configuration.trustedRoots,
            anchors: tls.configuration.anchorsForAllHosts ?? []
        )
    }

    deinit { if let raw { libcurl_trust_free(raw) } }

    private static func add(_ list: [TLSCertificate], _ role: libcurl_trust_role, to raw: OpaquePointer) -> Bool {
        list.allSatisfy { certificate in
            certificate.der.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress else { return false }
                return libcurl_trust_add(raw, role, start, bytes.count)
            }
        }
    }

    /// Has the handshakes of a TLS context checked; false if the handshake must not take place.
    func attach(to tlsContext: UnsafeMutableRawPointer, host: String) -> Bool {
        guard let raw else { return false }
        return libcurl_trust_attach(raw, tlsContext, host)
    }

    /// Returns the last objection to a handshake for a request to a host, if its number is larger than `count`.
    func objection(at host: String, after count: Int) -> TrustObjection? {
        objections[host].flatMap { $0.number > count ? $0.objection : nil }
    }

    private func judge(_ evidence: ServerTrustRules.Evidence) -> Int32 {
        switch rules.verdict(on: evidence) {
        case .accepted: 0
        case .invalid(let error): object(to: evidence, error)
        case .mismatch: object(to: evidence, TrustObjection.mismatchError)
        case .unnamed: object(to: evidence, TrustObjection.namelessnessError)
        }
    }

    private func object(to evidence: ServerTrustRules.Evidence, _ error: Int32) -> Int32 {
        // They are used for messages only, and there may be many servers.
        if objections.count >= 64 { objections.removeAll() }
        objectionCount += 1
        let objection = TrustObjection(name: evidence.name, error: error, keys: evidence.keys)
        objections[evidence.host] = (objectionCount, objection)
        return error
    }

    private static let judge: libcurl_trust_judge = { context, evidence in
        guard let context else { return 1 }
        let trust = Unmanaged<ServerTrust>.fromOpaque(context).takeUnretainedValue()
        return trust.judge(ServerTrustRules.Evidence(evidence.pointee))
    }
}

extension ServerTrustRules.Evidence {
    init(_ evidence: libcurl_trust_evidence) {
        serverName = evidence.server_name.map { String(cString: $0) }
        host = String(cString: evidence.host)
        errors = Array(UnsafeBufferPointer(start: evidence.errors, count: evidence.error_count))
        keys = UnsafeBufferPointer(start: evidence.keys, count: evidence.key_count).map { key in
            // A key that could not be read gets a hash that no key has.
            let bytes = UnsafeBufferPointer(start: key.bytes, count: key.bytes == nil ? 0 : key.count)
            return PublicKeyPin(SubjectPublicKeyInfo(encoding: Data(bytes)))
        }
        isAnchored = evidence.is_anchored
        hasNames = evidence.has_names
    }
}
#endif

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

#if canImport(FoundationNetworking)
/// The reason why a handshake was refused, as found within it.
struct TrustObjection: Sendable, Hashable {
    /// The name of the peer of the handshake: the server, or a proxy.
    let name: String
    /// The error, one of OpenSSL's numbers.
    let error: Int32
    /// The keys of the chain, the server's own first.
    let keys: [PublicKeyPin]

    /// OpenSSL's number for the rejection by an application.
    static let mismatchError: Int32 = 50

    /// OpenSSL's number for a host name that does not match. OpenSSL itself does not report it, as libcurl does not let
    /// it check names.
    static let namelessnessError: Int32 = 62

    /// Whether the only error is that the server's certificate has no subjectAltName.
    var isNamelessness: Bool { error == Self.namelessnessError }

    /// Whether the only error is that the chain has none of the pinned keys.
    var isMismatch: Bool { error == Self.mismatchError }
}
#endif

/// The canonical spelling of hosts.
enum ServerName {
    /// Converts a name to lower case without the dot at its end, and an address to the system's notation; nil for a
    /// text that can be neither.
    static func canonical(_ host: String) -> String? {
        var name = host[...]
        if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
        if name.utf8.last == UInt8(ascii: ".") { name = name.dropLast() }
        guard !name.isEmpty else { return nil }
        if name.utf8.contains(UInt8(ascii: ":")) { return sixthVersionAddress(name) }
        let bytes = name.utf8.map(\.asLowercase)
        guard bytes.allSatisfy(isNameByte) else { return nil }
        let lowercased = String(decoding: bytes, as: UTF8.self)
        return numericAddress(lowercased) ?? lowercased
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Converts an IPv4 address in any notation that libcurl accepts: 127.1 and 0x7f000001 are 127.0.0.1.
    private static func numericAddress(_ name: String) -> String? {
        var value = in_addr()
        guard inet_aton(name, &value) == 1 else { return nil }
        return text(of: &value, AF_INET)
    }

    private static func sixthVersionAddress(_ name: Substring) -> String? {
        // The text after a percent sign is the zone, which identifies a network and not a host.
        let address = name.prefix { $0 != "%" }
        var value = in6_addr()
        guard inet_pton(AF_INET6, String(address), &value) == 1 else { return nil }
        return text(of: &value, AF_INET6)
    }

    private static func text(of value: UnsafeRawPointer, _ family: Int32) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer -> String? in
            guard let start = buffer.baseAddress, inet_ntop(family, value, start, 64) != nil else { return nil }
            return String(cString: start)
        }
    }
}
