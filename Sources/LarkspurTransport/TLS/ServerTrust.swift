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
/// by the same rules, in an earlier handshake of the same `CurlURLSession`. If an evaluator of the program has refused
/// that handshake, it has left no session.
///
/// The object is used only on the loop's thread, and exists longer than all connections.
final class ServerTrust {
    private let rules: ServerTrustRules
    private let evaluator: ServerTrustEvaluator?
    private var raw: OpaquePointer?
    private var revocation: Revocation?
    /// The hosts whose servers the evaluator has accepted although they are refused without it; nil if there are too
    /// many.
    private var overruledHosts: Set<TextKey>? = []
    /// The last objection for each host. The objections have numbers, in the order in which they occur.
    private var objections: [TextKey: (number: Int, objection: TrustObjection)] = [:]
    /// The number of objections so far.
    private(set) var objectionCount = 0

    /// The reason why the check is not available; nil if it is available.
    static let unavailability: String? = libcurl_trust_unavailability().map { String(cString: $0) }

    /// Creates the check. Returns nil if OpenSSL cannot be used, or cannot read one of the certificates.
    /// - Parameter acceptsCommonNames: Whether a certificate may have its host only as the common name.
    init?(
        _ rules: ServerTrustRules,
        roots: TrustedRoots,
        anchors: [TLSCertificate],
        evaluator: ServerTrustEvaluator? = nil,
        acceptsCommonNames: Bool = false,
        revocationLists: RevocationLists? = nil
    ) {
        self.rules = rules
        self.evaluator = evaluator
        revocation = revocationLists.map { Revocation($0) }
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
        let details = libcurl_trust_details(
            has_certificates: evaluator != nil,
            accepts_common_names: acceptsCommonNames
        )
        libcurl_trust_set_details(raw, details)
        // Until the lists are read, a certificate has no list.
        if let revocation { libcurl_trust_check_revocation(raw, revocation.scope, nil) }
    }

    /// Creates the check that the settings need. Returns nil if they need no check, or if the check cannot be created.
    /// In the second case, the settings cannot be enforced, and no request is sent.
    convenience init?(_ tls: TLSSettings) {
        guard case .trust(let rules) = tls.method else { return nil }
        self.init(
            rules,
            roots: tls.configuration.trustedRoots,
            anchors: tls.configuration.anchorsForAllHosts ?? [],
            evaluator: tls.configuration.serverTrust,
            acceptsCommonNames: tls.configuration.acceptsCommonNames,
            revocationLists: tls.configuration.revocationLists
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
    /// - Parameters:
    ///   - host: The host of the request.
    ///   - peer: The peer of a handshake in which the client sends no name.
    ///   - checksName: Whether the name of the server's certificate is checked here, and not by libcurl.
    func attach(to tlsContext: UnsafeMutableRawPointer, host: String, peer: String, checksName: Bool) -> Bool {
        guard let raw else { return false }
        return libcurl_trust_attach(raw, tlsContext, host, peer, checksName)
    }

    /// Whether an evaluator of the program decides about servers.
    var hasEvaluator: Bool { evaluator != nil }

    /// Whether the evaluator may have accepted a server of a host that is refused without it.
    func isOverruled(at host: String) -> Bool { overruledHosts?.contains(TextKey(host)) ?? true }

    /// Returns the last objection for a host, if its number is larger than `count`; otherwise nil.
    func objection(at host: String, after count: Int) -> TrustObjection? {
        objections[host].flatMap { $0.number > count ? $0.objection : nil }
    }

    private func judge(_ evidence: ServerTrustRules.Evidence) -> Int32 {
        guard let evaluator else { return object(to: evidence, rules.verdict(on: evidence)) }
        var refusal = EvaluatorRefusal(error: nil)
        let verdict = rules.verdict(on: evidence) { verdict in
            let handshake = ServerHandshake(
                host: evidence.peerName,
                chain: evidence.certificates.map { ServerCertificate(der: $0) },
                refusal: verdict.reason.map { TLSFailure($0, host: evidence.peerName) }
            )
            let start = LoopTime.now
            defer { ClosureTime.report(host: evidence.peerName, since: start) }
            do {
                guard try evaluator.decide(on: handshake) == .accept else { return false }
            } catch {
                refusal = EvaluatorRefusal(error: error)
                return false
            }
            if verdict != .accepted { noteOverruling(at: evidence.host) }
            return true
        }
        // An error of the evaluator is the reason even if the server is refused without it.
        if refusal.error != nil { return object(to: evidence, .refused, refusal) }
        return object(to: evidence, verdict, verdict == .refused ? refusal : nil)
    }

    private func noteOverruling(at host: String) {
        overruledHosts?.insert(TextKey(host))
        if overruledHosts?.count ?? 0 > 1024 { overruledHosts = nil }
    }

    /// Records the objection that a verdict means, and returns its error; 0 if the verdict is acceptance.
    private func object(
        to evidence: ServerTrustRules.Evidence,
        _ verdict: ServerTrustRules.Verdict,
        _ refusal: EvaluatorRefusal? = nil
    ) -> Int32 {
        guard let error = verdict.error else { return 0 }
        // The objections can be removed, because they are used only for error messages.
        if objections.count >= 64 { objections.removeAll() }
        objectionCount += 1
        var objection = TrustObjection(name: evidence.name, error: error, keys: evidence.keys)
        objection.isAboutHost = verdict == .otherHost
        objection.refusal = refusal
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
        peer = String(cString: evidence.peer)
        isForPeer = evidence.is_for_peer
        let list = UnsafeBufferPointer(start: evidence.certificates, count: evidence.certificate_count)
        certificates = list.map { Data(UnsafeBufferPointer(start: $0.bytes, count: $0.bytes == nil ? 0 : $0.count)) }
    }
}

extension ServerTrustRules.Verdict {
    /// The error with which the handshake fails, one of OpenSSL's numbers; nil for acceptance.
    fileprivate var error: Int32? {
        switch self {
        case .accepted: nil
        case .invalid(let error): error
        case .mismatch, .refused: TrustObjection.mismatchError
        case .unnamed, .otherHost: TrustObjection.namelessnessError
        }
    }

    /// The reason of a refusal; nil for acceptance.
    fileprivate var reason: TLSFailure.Reason? {
        switch self {
        case .accepted: nil
        case .invalid(let error): TLSFailure.Reason(verificationError: error)
        case .mismatch: .pinMismatch
        case .unnamed: .missingSubjectAltName
        case .otherHost: .hostMismatch
        case .refused: .refusedByEvaluator
        }
    }
}

/// The revocation lists of a check.
private struct Revocation {
    let scope: libcurl_trust_revocation
    var files: RevocationFiles
    var generation = ListGeneration()

    init(_ lists: RevocationLists) {
        scope = lists.scope == .leaf ? LIBCURL_TRUST_REVOCATION_LEAF : LIBCURL_TRUST_REVOCATION_CHAIN
        files = RevocationFiles(lists.files)
    }
}

/// The number of times that certificates had to be looked up again, because other lists were read or a list expired.
struct ListGeneration: Equatable {
    private(set) var number: UInt32 = 0
    /// The dates at which the lists expire, the last one first.
    private var expirationDates: [Date] = []

    /// Begins a generation with other lists.
    mutating func begin(with lists: [RevocationList]) {
        number &+= 1
        expirationDates = lists.compactMap(\.expirationDate).sorted(by: >)
    }

    /// Begins a generation if a list has expired.
    mutating func advance(to date: Date) {
        guard let next = expirationDates.last, next <= date else { return }
        number &+= 1
        while let next = expirationDates.last, next <= date { expirationDates.removeLast() }
    }
}

extension ServerTrust {
    /// Reads the revocation lists if they have changed, and uses them in the next handshakes.
    /// - Returns: The number of their generation; nil if there are no lists.
    /// - Throws: The reason if the lists cannot be used. The last lists remain in use for requests in progress.
    func updateRevocation(at now: LoopTime) throws(RevocationDefect) -> UInt32? {
        guard let raw, revocation != nil else { return nil }
        guard case .changed(let lists)? = try revocation?.files.read(at: now) else {
            revocation?.generation.advance(to: Date())
            return revocation?.generation.number
        }
        let set = libcurl_revocation_lists_new()
        for list in lists {
            let isAdded = list.der.withUnsafeBytes { bytes in
                guard let set, let start = bytes.baseAddress else { return false }
                return libcurl_revocation_lists_add(set, start, bytes.count)
            }
            guard !isAdded else { continue }
            if let set { libcurl_revocation_lists_free(set) }
            let defect = RevocationDefect.malformed(list.path)
            revocation?.files.refuse(defect)
            throw defect
        }
        libcurl_trust_check_revocation(raw, revocation?.scope ?? LIBCURL_TRUST_REVOCATION_CHAIN, set)
        revocation?.generation.begin(with: lists)
        return revocation?.generation.number
    }
}

/// The check of servers for the connections of one handle. It enforces the settings that libcurl's own options cannot
/// enforce.
struct ServerCheck {
    let trust: ServerTrust
    /// The host of the request.
    private var host = ""
    /// The peer of a handshake in which the client sends no name.
    private(set) var peer = ""
    /// Whether several handshakes of the request have no name, so that the evaluator cannot get their peers.
    private(set) var isAmbiguous = false
    /// Whether the engine, and not libcurl, checks the name of the server's certificate.
    private(set) var checksName = false
    /// The generation of the revocation lists with which libcurl's options were set last; nil if they were not set.
    var generation: UInt32?
    /// The number of objections before the request.
    private var earlierObjections = 0

    init(_ trust: ServerTrust) { self.trust = trust }

    /// Begins the check for a request.
    /// - Parameters:
    ///   - host: The host of the request.
    ///   - peers: The peers of all handshakes that the request may need. Only an evaluator needs them.
    ///   - hasProxy: Whether an https proxy is one of them.
    mutating func begin(host: String, peers: @autoclosure () -> [String], hasProxy: Bool) {
        self.host = host
        earlierObjections = trust.objectionCount
        guard trust.hasEvaluator else { return }
        // A client sends each name. So a peer without a name has an address.
        let addresses = Set(peers().compactMap { IPAddress($0) })
        peer = addresses.first?.text ?? host
        isAmbiguous = addresses.count > 1
        // libcurl's option is the same for the names of the proxy and of the server.
        checksName = !hasProxy
    }

    /// Adds the check to the handshakes of a new connection. Returns false if this is not possible.
    /// - Parameter verifiesName: Whether the name of the server is verified at all.
    func attach(to tlsContext: UnsafeMutableRawPointer, verifiesName: Bool) -> Bool {
        trust.attach(to: tlsContext, host: host, peer: peer, checksName: checksName && verifiesName)
    }

    /// Whether a server of the host may have been accepted only by an evaluator of the program.
    var isOverruled: Bool { trust.isOverruled(at: host) }

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
    /// Whether the server's certificate was issued for other hosts.
    var isAboutHost = false
    /// The refusal of the program's evaluator; nil if the server was refused for another reason.
    var refusal: EvaluatorRefusal?

    /// OpenSSL's number for a rejection by the application.
    static let mismatchError: Int32 = 50

    /// OpenSSL's number for a host name that does not match. This number is free, because libcurl checks the names, and
    /// OpenSSL itself never reports this error.
    static let namelessnessError: Int32 = 62

    /// Whether the only error is that the server's certificate lacks a subjectAltName.
    var isNamelessness: Bool { error == Self.namelessnessError && !isAboutHost }

    /// Whether the only error is that the chain has none of the pinned keys.
    var isMismatch: Bool { error == Self.mismatchError && refusal == nil }
}
#endif
