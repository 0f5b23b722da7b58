#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The responses to one Digest challenge. It counts the uses of the nonce, and computes a response for each (RFC 7616,
/// section 3.4).
struct DigestSession: Sendable {
    private(set) var challenge: DigestChallenge
    private let user: String
    private let clientNonce: String
    /// H(A1), the only stored form of the password. If the algorithm is a "-sess" one, H(A1) belongs to the challenge's
    /// first nonce, and a nonce that follows in `Authentication-Info` does not change it (RFC 7616, section 3.4.2).
    private let secret: String
    private var useCount: UInt32 = 0

    init(challenge: DigestChallenge, user: String, password: String, clientNonce: String) {
        self.challenge = challenge
        self.user = user
        self.clientNonce = clientNonce
        let algorithm = challenge.algorithm
        let secret = algorithm.hash(user, challenge.realm, password)
        self.secret = algorithm.isSession ? algorithm.hash(secret, challenge.nonce, clientNonce) : secret
    }

    /// Uses another nonce from now on.
    mutating func adopt(nonce: String) {
        guard nonce != challenge.nonce else { return }
        challenge.nonce = nonce
        useCount = 0
    }

    /// Makes the value of the field for one request; each call counts as a use of the nonce.
    mutating func credentials(method: String, target: String) -> String {
        let algorithm = challenge.algorithm
        useCount &+= 1
        let count = Self.hexadecimal(useCount)
        let action = algorithm.hash(method, target)
        let response =
            challenge.hasQualityOfProtection
            ? algorithm.hash(secret, challenge.nonce, count, clientNonce, "auth", action)
            : algorithm.hash(secret, challenge.nonce, action)

        var field = "Digest "
        field += userParameter
        field += ", realm=\(Self.quoted(challenge.realm)), uri=\(Self.quoted(target))"
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
        // A name beyond ASCII has the notation of RFC 7616, if the server announces that it supports it.
        if challenge.isUTF8, !user.utf8.allSatisfy({ $0 < 0x80 }) {
            return "username*=UTF-8''\(Self.percentEncoded(user))"
        }
        return "username=\(Self.quoted(user))"
    }

    // MARK: Text

    private static func hexadecimal(_ number: UInt32) -> String {
        withUnsafeBytes(of: number.bigEndian) { $0.hexadecimal }
    }

    /// Makes a quoted string; control characters, which could end the field, are left out.
    private static func quoted(_ text: String) -> String {
        var bytes = [UInt8(ascii: "\"")]
        for byte in text.utf8 where byte >= 0x20 && byte != 0x7F {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Makes the extended notation of RFC 8187, section 3.2, which leaves fewer characters unescaped than a token does.
    private static func percentEncoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            if byte.isToken, byte != UInt8(ascii: "%"), byte != UInt8(ascii: "'"), byte != UInt8(ascii: "*") {
                result.unicodeScalars.append(UnicodeScalar(byte))
            } else {
                result += "%" + CollectionOfOne(byte).hexadecimal.uppercased()
            }
        }
        return result
    }
}
#endif

#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The challenge of a server for Digest authentication (RFC 7616, section 3.3).
struct DigestChallenge: Sendable, Hashable {
    var realm: String
    var nonce: String
    var opaque: String?
    var algorithm: DigestAlgorithm
    /// Whether the server named the algorithm; a server that did not may not know the parameter.
    var namesAlgorithm: Bool
    /// Whether the server offers the quality of protection "auth"; a server that offers none knows RFC 2069 only.
    var hasQualityOfProtection: Bool
    var isStale: Bool
    var wantsUserHash: Bool
    var isUTF8: Bool
    /// The protected paths, or whole URIs, for which the credentials are valid too; empty means everywhere on the
    /// server.
    var domain: [String]

    /// Creates the Digest challenge; nil for another scheme, without a nonce, with an unknown algorithm, and with a
    /// quality of protection other than "auth" alone.
    init?(_ challenge: AuthenticationChallenge) {
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
        value?.split { $0 == "," || $0 == " " || $0 == "\t" }.map(String.init) ?? []
    }
}
#endif
