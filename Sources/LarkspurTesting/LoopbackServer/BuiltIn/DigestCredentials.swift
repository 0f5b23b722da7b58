internal import Foundation
internal import HTTPSyntax
internal import Synchronization

/// The `Authorization` field of Digest authentication (RFC 7616, section 3.4).
struct DigestCredentials {
    private let values: [TextKey: String]

    /// Parses the field; nil for other schemes.
    init?(_ field: String) {
        let parts = field.parts(separatedBy: " ", maxSplits: 1).map(String.init)
        guard parts.count == 2, parts[0].hasSameLetters(as: "Digest") else { return nil }
        values = FieldParameters(parts[1], separator: ",").values
    }

    var nonce: String { self["nonce"] }
    /// The number of times that the client has used the nonce, including this request; nil if it does not have eight
    /// hexadecimal digits.
    var nonceCount: Int? { self["nc"].utf8.count == 8 ? Int(self["nc"], radix: 16) : nil }

    subscript(name: String) -> String {
        values[name] ?? ""
    }

    /// Returns whether the client knows the password, and whether the credentials are for this request.
    func areValid(
        for request: LoopbackServer.Request,
        user: String,
        password: String,
        challenge: IssuedChallenge
    ) -> Bool {
        let algorithm = challenge.algorithm
        guard self["username"] == user, self["realm"] == challenge.realm, self["uri"] == request.target,
            self["opaque"] == challenge.opaque,
            // If a client leaves the algorithm out, it is MD5.
            DigestAlgorithm(ignoringCase: values["algorithm"] ?? "MD5") == algorithm
        else { return false }

        var secret = algorithm.hash(user, challenge.realm, password)
        if algorithm.isSession { secret = algorithm.hash(secret, nonce, self["cnonce"]) }
        let expected: String
        switch (challenge.qop, self["qop"]) {
        case (nil, ""):
            // The calculation of RFC 2069, because the server offers no quality of protection.
            expected = algorithm.hash(secret, nonce, algorithm.hash(request.method, request.target))
        case ("auth", "auth"), ("auth-int", "auth-int"):
            guard nonceCount != nil, !self["cnonce"].isEmpty else { return false }
            let action =
                self["qop"] == "auth"
                ? algorithm.hash(request.method, request.target)
                : algorithm.hash(request.method, request.target, algorithm.hash(request.body))
            expected = algorithm.hash(secret, nonce, self["nc"], self["cnonce"], self["qop"], action)
        default:
            return false
        }
        return self["response"].lowercased() == expected
    }
}

/// The challenge of a server in Digest authentication (RFC 7616, section 3.3).
struct IssuedChallenge {
    let realm: String
    let opaque: String
    let algorithm: DigestAlgorithm
    /// The quality of protection; nil for a server that supports only RFC 2069.
    let qop: String?

    func field(nonce: String, isStale: Bool) -> String {
        var parameters = [
            #"realm="\#(realm)""#, #"nonce="\#(nonce)""#, #"opaque="\#(opaque)""#, "algorithm=\(algorithm.rawValue)",
        ]
        if let qop { parameters.append(#"qop="\#(qop)""#) }
        if isStale { parameters.append("stale=true") }
        return "Digest " + parameters.joined(separator: ", ")
    }
}

/// The nonces of a server, and their uses.
final class DigestNonces: Sendable {
    enum Verdict {
        case fresh
        /// The server has not created the nonce, no longer accepts it, or has seen it with this count before.
        case stale
    }

    /// The nonce counts with which each nonce was used.
    private let uses = Mutex<[String: Set<Int>]>([:])

    func make() -> String {
        let nonce = UUID().uuidString.replacing("-", with: "").lowercased()
        uses.withLock { $0[nonce] = [] }
        return nonce
    }

    /// Records a use of a nonce.
    ///
    /// - Parameters:
    ///   - count: The client's nonce count; nil if the client sends none. Then the nonce may be used repeatedly.
    ///   - limit: The maximum number of uses of the nonce; nil for no limit.
    func use(_ nonce: String, count: Int?, limit: Int?) -> Verdict {
        uses.withLock { uses in
            guard let counts = uses[nonce], counts.count < limit ?? .max else { return .stale }
            let use = count ?? -counts.count - 1
            return uses[nonce, default: []].insert(use).inserted ? .fresh : .stale
        }
    }
}
