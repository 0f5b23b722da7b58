internal import HTTPSyntax

/// The challenge of a server in Digest authentication (RFC 7616, section 3.3).
struct DigestChallenge {
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
