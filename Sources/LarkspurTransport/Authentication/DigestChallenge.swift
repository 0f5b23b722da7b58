#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The challenge of a server for Digest authentication (RFC 7616, section 3.3).
struct DigestChallenge: Sendable, Hashable {
    var realm: String
    var nonce: String
    var opaque: String?
    var algorithm: DigestAlgorithm
    /// Whether the server named the algorithm. If not, the client does not name it either, because the server may not
    /// know the parameter.
    var namesAlgorithm: Bool
    /// Whether the server offers the quality of protection "auth". If a server offers no quality of protection, it
    /// knows only RFC 2069.
    var hasQualityOfProtection: Bool
    var isStale: Bool
    var wantsUserHash: Bool
    var isUTF8: Bool
    /// The protected paths or whole URIs; empty if the whole server is protected.
    var domain: [String]

    /// Creates the Digest challenge. Nil if the scheme is not Digest, the nonce is missing, the algorithm is unknown,
    /// or the server offers only qualities of protection other than "auth".
    init?(_ challenge: ChallengeField) {
        guard challenge.scheme.hasSameLetters(as: "Digest"), let nonce = challenge["nonce"],
            let algorithm = DigestAlgorithm(ignoringCase: challenge["algorithm"] ?? "MD5")
        else { return nil }
        let qualities = Self.list(challenge["qop"])
        hasQualityOfProtection = qualities.contains { $0.hasSameLetters(as: "auth") }
        guard hasQualityOfProtection || qualities.isEmpty else { return nil }
        realm = challenge["realm"] ?? ""
        self.nonce = nonce
        opaque = challenge["opaque"]
        self.algorithm = algorithm
        namesAlgorithm = challenge["algorithm"] != nil
        isStale = Self.isTrue(challenge["stale"])
        wantsUserHash = Self.isTrue(challenge["userhash"])
        isUTF8 = challenge["charset"]?.hasSameLetters(as: "UTF-8") ?? false
        domain = Self.list(challenge["domain"])
    }

    private static func isTrue(_ value: String?) -> Bool { value?.hasSameLetters(as: "true") ?? false }

    private static func list(_ value: String?) -> [String] {
        value?.utf8.split { $0 == UInt8(ascii: ",") || $0.isBlank }.map { String(Substring($0)) } ?? []
    }
}
#endif
