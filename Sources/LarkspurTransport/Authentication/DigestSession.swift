#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The responses to one Digest challenge. The value counts the uses of the nonce, and computes a response for each use
/// (RFC 7616, section 3.4).
struct DigestSession: Sendable {
    private(set) var challenge: DigestChallenge
    private let user: String
    private let clientNonce: String
    /// H(A1), which is the only form in which this value stores the password. For a "-sess" algorithm, H(A1) belongs to
    /// the first nonce of the challenge. A new nonce in `Authentication-Info` does not change H(A1) (RFC 7616, section
    /// 3.4.2).
    private let secret: String
    private var useCount: UInt32 = 0

    init(_ challenge: DigestChallenge, _ userCredential: UserCredential, clientNonce: String) {
        self.challenge = challenge
        user = userCredential.user
        self.clientNonce = clientNonce
        let algorithm = challenge.algorithm
        let secret = algorithm.hash(user, challenge.realm, userCredential.password)
        self.secret = algorithm.isSession ? algorithm.hash(secret, challenge.nonce, clientNonce) : secret
    }

    /// Uses a new nonce from now on.
    mutating func adopt(nonce: String) {
        guard nonce != challenge.nonce else { return }
        challenge.nonce = nonce
        useCount = 0
    }

    /// Creates the value of the field for one request. Each call counts as a use of the nonce.
    mutating func credentials(method: String, target: String) -> String {
        let algorithm = challenge.algorithm
        useCount &+= 1
        let count = withUnsafeBytes(of: useCount.bigEndian) { $0.hexadecimal }
        let action = algorithm.hash(method, target)
        let response =
            challenge.hasQualityOfProtection
            ? algorithm.hash(secret, challenge.nonce, count, clientNonce, "auth", action)
            : algorithm.hash(secret, challenge.nonce, action)

        var field = "Digest \(userParameter), realm=\(Self.quoted(challenge.realm)), uri=\(Self.quoted(target))"
        if challenge.namesAlgorithm { field += ", algorithm=\(algorithm.rawValue)" }
        field += ", nonce=\(Self.quoted(challenge.nonce))"
        if challenge.hasQualityOfProtection { field += ", nc=\(count)" }
        if challenge.hasQualityOfProtection || algorithm.isSession { field += ", cnonce=\(Self.quoted(clientNonce))" }
        if challenge.hasQualityOfProtection { field += ", qop=auth" }
        field += ", response=\"\(response)\""
        if let opaque = challenge.opaque { field += ", opaque=\(Self.quoted(opaque))" }
        if challenge.wantsUserHash { field += ", userhash=true" }
        return field
    }

    private var userParameter: String {
        if challenge.wantsUserHash {
            return "username=\"\(challenge.algorithm.hash(user, challenge.realm))\""
        }
        // If the server announces UTF-8, a name with characters that are not ASCII is written in the notation of RFC
        // 7616.
        if challenge.isUTF8, !user.hasOctets, !user.utf8.allSatisfy({ $0 < 0x80 }) {
            return "username*=UTF-8''\(Self.percentEncoded(user))"
        }
        return "username=\(Self.quoted(user))"
    }

    // MARK: Text

    /// Creates a quoted string. Control characters are removed, because they could end the field.
    private static func quoted(_ text: String) -> String {
        var bytes = [UInt8(ascii: "\"")]
        for byte in text.utf8 where byte >= 0x20 && byte != 0x7F {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns a text in the extended notation of RFC 8187, section 3.2. This notation escapes some characters that a
    /// token may contain.
    private static func percentEncoded(_ text: String) -> String {
        PercentEncoding.escapingAll(text) { $0.isToken && !"%'*".utf8.contains($0) }
    }
}

/// The challenge of a server for Digest authentication (RFC 7616, section 3.3).
struct DigestChallenge: Sendable, Hashable {
    var realm: String
    var nonce: String
    var opaque: String?
    var algorithm: DigestAlgorithm
    /// Whether the server has named the algorithm. If it has not, the client does not name it either, because the
    /// server may not support the parameter.
    var namesAlgorithm: Bool
    /// Whether the server offers the quality of protection "auth". A server that offers no quality of protection
    /// supports only RFC 2069.
    var hasQualityOfProtection: Bool
    var isStale: Bool
    var wantsUserHash: Bool
    var isUTF8: Bool
    /// The protected paths or whole URIs; empty if the whole server is protected.
    var domain: [String]

    /// Creates the Digest challenge. Returns nil in four cases: the scheme is not Digest, the nonce is missing, the
    /// algorithm is unknown, or the server offers qualities of protection, but not "auth".
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
