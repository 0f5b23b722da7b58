internal import HTTPSyntax
internal import Foundation

/// The `Authorization` field of Digest authentication (RFC 7616, section 3.4).
struct DigestCredentials {
    private let values: [String: String]

    /// Parses the field; nil for other schemes.
    init?(_ field: String) {
        let parts = field.split(separator: " ", maxSplits: 1).map(String.init)
        guard parts.count == 2, parts[0].hasSameLetters(as: "Digest") else { return nil }
        values = FieldParameters(parts[1], separator: ",").values
    }

    var nonce: String { self["nonce"] }
    /// The number of times that the client has used the nonce, including this request; nil unless it has eight
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
        challenge: DigestChallenge
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
            // The calculation of RFC 2069, for servers that offer no quality of protection.
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
