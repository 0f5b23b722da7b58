#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The rules by which a server's certificates are accepted. It is a value without I/O.
struct ServerTrustRules: Sendable {
    /// The properties of a handshake that the rules check.
    struct Evidence: Sendable {
        /// The name that the client has sent in the handshake; nil if the server is identified by its address.
        var serverName: String?
        /// The host of the request.
        var host: String
        /// OpenSSL's numbers of the errors.
        var errors: [Int32] = []
        /// The keys of the chain. The server's own key is the first.
        var keys: [PublicKeyPin] = []
        /// Whether the chain is also valid if only the anchors are trusted.
        var isAnchored = false
        /// Whether the server's own certificate has a subjectAltName with a host or an address.
        var hasNames = true
        /// The name or address of the handshake's peer.
        var peer = ""
        /// Whether the server's own certificate is valid for the peer. True if libcurl checks that.
        var isForPeer = true
        /// The certificates of the chain in DER. Empty unless an evaluator needs them.
        var certificates: [Data] = []
    }

    enum Verdict: Equatable, Sendable {
        case accepted
        /// The chain has an error. The value is OpenSSL's number for the error.
        case invalid(Int32)
        case mismatch
        /// The server's own certificate contains the host only as its common name.
        case unnamed
        /// The server's own certificate was issued for other hosts.
        case otherHost
        /// The evaluator of the program has refused the server.
        case refused
    }

    var requiresValidChain = true
    var requiresNames = false
    var requiresAnchor = false
    var pins = PinTable([])

    func verdict(on evidence: Evidence) -> Verdict {
        let verdict = verdictWithoutPins(on: evidence)
        return verdict == .accepted && !meetsPins(evidence) ? .mismatch : verdict
    }

    /// Returns the verdict if an evaluator of the program decides about the verdict. Pins are always enforced. A server
    /// without a pinned key is refused before the evaluator is called.
    /// - Parameter accepts: Returns the decision of the evaluator about a verdict.
    func verdict(on evidence: Evidence, accepts: (Verdict) -> Bool) -> Verdict {
        let verdict = verdictWithoutPins(on: evidence)
        guard meetsPins(evidence) else { return verdict == .accepted ? .mismatch : verdict }
        if accepts(verdict) { return .accepted }
        return verdict == .accepted ? .refused : verdict
    }

    private func verdictWithoutPins(on evidence: Evidence) -> Verdict {
        if requiresValidChain, let error = evidence.errors.first { return .invalid(error) }
        if requiresNames, !evidence.hasNames { return .unnamed }
        return evidence.isForPeer ? .accepted : .otherHost
    }

    private func meetsPins(_ evidence: Evidence) -> Bool {
        if requiresAnchor, !evidence.isAnchored { return false }
        let keys = evidence.provenKeys
        return pins.requirements(for: evidence.name).allSatisfy { !$0.isDisjoint(with: keys) }
    }
}

extension ServerTrustRules.Evidence {
    /// The name under which pins are looked up.
    ///
    /// If the client has sent a name in the handshake, this name is used, because it is the name of the connection's
    /// peer. The peer may be a proxy and not the host of the request.
    var name: String {
        guard let serverName else { return host }
        return (try? CanonicalHost(named: serverName))?.name ?? serverName
    }

    /// The name or address of the handshake's peer in its canonical form.
    var peerName: String { serverName == nil ? peer : name }

    /// The keys that are compared with the pins. The key of the server's own certificate is always one of them. If the
    /// signatures of the chain were verified, the keys of the certificates above it are compared too.
    ///
    /// A server can send any certificates in addition to its own. So without verified signatures, only the key of the
    /// server's own certificate is compared, because the handshake proves that the server has this key.
    fileprivate var provenKeys: ArraySlice<PublicKeyPin> {
        errors.allSatisfy(Self.leavesLinksIntact) ? keys[...] : keys.prefix(1)
    }

    /// Whether an error concerns only the dates or the end of a chain, or revocation lists, and not the signatures
    /// between its certificates.
    private static func leavesLinksIntact(_ error: Int32) -> Bool {
        switch TLSFailure.Reason(verificationError: error) {
        case .certificateRevoked, .revocationListMissing, .revocationListExpired, .revocationListUnusable: return true
        default: break
        }
        return switch error {
        // The certificate is not valid yet, or has expired.
        case 9, 10: true
        // The chain ends in a self-signed certificate or in an unknown issuer, or it consists of one certificate of an
        // unknown issuer.
        case 18, 19, 20, 21: true
        default: false
        }
    }
}

/// The location of the system's certificate authorities for libcurl.
///
/// A libcurl may have been built for another distribution, for example if it is delivered with a program. Its default
/// path may not exist on this system. Then every secure request would fail.
enum SystemRoots: Equatable {
    case asConfigured
    /// libcurl's default file, without libcurl's default folder. If libcurl has only a file, it caches the
    /// certificates. If it has both, it reads both for every connection.
    case fileAlone
    /// A file of this system, in place of libcurl's default file.
    case other(String)

    /// The files in which distributions store their authorities, in the order of Go's standard library (`crypto/x509`,
    /// `root_linux.go`).
    static let files = [
        "/etc/ssl/certs/ca-certificates.crt",
        "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/ssl/ca-bundle.pem",
        "/etc/pki/tls/cacert.pem",
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ]

    /// Returns another notation of a path, with a number. Each number has its own notation.
    static func notation(of path: String, number: UInt32) -> String {
        let digits = String(number, radix: 2).utf8.map { $0 == UInt8(ascii: "0") ? "/" : "/." }
        return digits.joined() + path
    }

    /// Returns the path of the file or folder that libcurl reads; nil if none can be read. If libcurl does not report
    /// its file, the result is the system's file.
    /// - Parameters:
    ///   - file: The file with which libcurl was built; nil if libcurl does not report it.
    ///   - folder: The folder of certificates with which libcurl was built; nil if libcurl does not report it.
    ///   - isReadable: Returns whether a path leads to a readable file or folder.
    static func path(
        file: String?,
        folder: String?,
        isReadable: (String) -> Bool = { access($0, R_OK) == 0 }
    ) -> String? {
        switch SystemRoots(file: file, folder: folder, isReadable: isReadable) {
        case .fileAlone: file
        case .other(let file): file
        case .asConfigured:
            if let folder, !folder.isEmpty, isReadable(folder) {
                folder
            } else {
                file == nil ? files.first(where: isReadable) : nil
            }
        }
    }

    /// - Parameters:
    ///   - file: The file with which libcurl was built; nil if libcurl does not report it, as before 7.84.
    ///   - folder: The folder of certificates with which libcurl was built; nil if libcurl does not report it.
    ///   - isReadable: Returns whether a path leads to a readable file or folder.
    init(
        file: String?,
        folder: String?,
        isReadable: (String) -> Bool = { access($0, R_OK) == 0 }
    ) {
        guard let file, !file.isEmpty else {
            self = .asConfigured
            return
        }
        if isReadable(file) {
            self = .fileAlone
        } else if let folder, !folder.isEmpty, isReadable(folder) {
            self = .asConfigured
        } else {
            self = Self.files.first(where: isReadable).map(SystemRoots.other) ?? .asConfigured
        }
    }
}
#endif
