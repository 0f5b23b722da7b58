#if canImport(FoundationNetworking)
internal import CLibcurl
import HTTPSyntax

/// The check of servers' certificates in the handshake, for all connections of one loop.
///
/// The check replaces libcurl's own, because libcurl compares pins only with the server's own key, trusts either its
/// own roots or given roots but not both together, and accepts common names.
///
/// OpenSSL still verifies the chain, and the rules decide about the errors that it finds. When a handshake fails, no
/// byte of a request has been sent. A resumed TLS session has no certificates to check. Its certificates were checked
/// by the same rules, in an earlier handshake of the same `CurlURLSession`.
///
/// The object is used only on the loop's thread, and exists longer than all connections.
final class ServerTrust {
    private let rules: ServerTrustRules
    private var raw: OpaquePointer?
    /// The last objection for each host. The objections have numbers, in the order in which they occur.
    private var objections: [TextKey: (number: Int, objection: TrustObjection)] = [:]
    /// The number of objections so far.
    private(set) var objectionCount = 0

    /// The reason why the check is not available; nil if it is available.
    static let unavailability: String? = libcurl_trust_unavailability().map { String(cString: $0) }

    /// Creates the check. Returns nil if OpenSSL cannot be used, or cannot read one of the certificates.
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

    /// Creates the check that the settings need. Returns nil if they need no check, or if the check cannot be created.
    /// In the second case, the settings cannot be enforced, and no request is sent.
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

    /// Adds the check to the handshakes of a TLS context. If this method returns false, the handshake must not take
    /// place.
    func attach(to tlsContext: UnsafeMutableRawPointer, host: String) -> Bool {
        guard let raw else { return false }
        return libcurl_trust_attach(raw, tlsContext, host)
    }

    /// Returns the last objection for a host, if its number is larger than `count`; otherwise nil.
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
        // The objections can be removed, because they are used only for error messages.
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
            // If a key could not be read, the hash of zero bytes replaces it, because no key has this hash.
            let bytes = UnsafeBufferPointer(start: key.bytes, count: key.bytes == nil ? 0 : key.count)
            return PublicKeyPin(SubjectPublicKeyInfo(encoding: Data(bytes)))
        }
        isAnchored = evidence.is_anchored
        hasNames = evidence.has_names
    }
}

/// The check of servers for the connections of one handle. It enforces the settings that libcurl's own options cannot
/// enforce.
struct ServerCheck {
    private let trust: ServerTrust
    /// The host of the request.
    private var host = ""
    /// The number of objections before the request.
    private var earlierObjections = 0

    init(_ trust: ServerTrust) { self.trust = trust }

    /// Begins the check for a request.
    mutating func begin(host: String) {
        self.host = host
        earlierObjections = trust.objectionCount
    }

    /// Adds the check to the handshakes of a new connection. Returns false if this is not possible.
    func attach(to tlsContext: UnsafeMutableRawPointer) -> Bool { trust.attach(to: tlsContext, host: host) }

    /// The objection to a handshake of the request; nil if there was no objection.
    var objection: TrustObjection? { trust.objection(at: host, after: earlierObjections) }
}

/// The reason why the engine refused a handshake.
struct TrustObjection: Sendable, Hashable {
    /// The name of the handshake's peer, which is the server or a proxy.
    let name: String
    /// The error, one of OpenSSL's numbers.
    let error: Int32
    /// The keys of the chain. The server's own key is the first.
    let keys: [PublicKeyPin]

    /// OpenSSL's number for a rejection by the application.
    static let mismatchError: Int32 = 50

    /// OpenSSL's number for a host name that does not match. This number is free, because libcurl checks the names, and
    /// OpenSSL itself never reports this error.
    static let namelessnessError: Int32 = 62

    /// Whether the only error is that the server's certificate lacks a subjectAltName.
    var isNamelessness: Bool { error == Self.namelessnessError }

    /// Whether the only error is that the chain has none of the pinned keys.
    var isMismatch: Bool { error == Self.mismatchError }
}
#endif
