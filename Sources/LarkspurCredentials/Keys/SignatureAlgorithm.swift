internal import CSignatures

/// One algorithm of a signature with a key pair.
///
/// It is a struct and not an enum, so that a new algorithm does not break existing `switch` statements. Give every
/// `switch` a `default`.
public struct SignatureAlgorithm: Hashable, Sendable, CustomStringConvertible {
    enum Kind: Sendable {
        case rsaPSSSHA512
        case rsaPSSSHA256
        case rsaPKCS1SHA256
        case ecdsaP256SHA256
        case ecdsaP384SHA384
        case ed25519
    }

    let kind: Kind

    /// RSASSA-PSS (RFC 8017, section 8.1) with SHA-512 and a salt of 64 bytes. Signing needs 2048 bits.
    public static let rsaPSSSHA512 = Self(kind: .rsaPSSSHA512)
    /// RSASSA-PSS (RFC 8017, section 8.1) with SHA-256 and a salt of 32 bytes. Signing needs 2048 bits.
    public static let rsaPSSSHA256 = Self(kind: .rsaPSSSHA256)
    /// RSASSA-PKCS1-v1_5 (RFC 8017, section 8.2) with SHA-256. Signing needs 2048 bits.
    public static let rsaPKCS1SHA256 = Self(kind: .rsaPKCS1SHA256)
    /// ECDSA with the curve P-256 and SHA-256. The signature is two numbers of 32 bytes, and not DER.
    public static let ecdsaP256SHA256 = Self(kind: .ecdsaP256SHA256)
    /// ECDSA with the curve P-384 and SHA-384. The signature is two numbers of 48 bytes, and not DER.
    public static let ecdsaP384SHA384 = Self(kind: .ecdsaP384SHA384)
    /// Ed25519 (RFC 8032, section 5.1), without a context.
    public static let ed25519 = Self(kind: .ed25519)

    /// The name, such as `ecdsa-p256-sha256`. The names are those of RFC 9421, section 6.2, as far as it has one.
    public var description: String {
        switch kind {
        case .rsaPSSSHA512: "rsa-pss-sha512"
        case .rsaPSSSHA256: "rsa-pss-sha256"
        case .rsaPKCS1SHA256: "rsa-v1_5-sha256"
        case .ecdsaP256SHA256: "ecdsa-p256-sha256"
        case .ecdsaP384SHA384: "ecdsa-p384-sha384"
        case .ed25519: "ed25519"
        }
    }

    /// The name in JSON Web Signatures (RFC 7518, section 3.1; RFC 8037, section 3.1).
    var jwsName: String {
        switch kind {
        case .rsaPSSSHA512: "PS512"
        case .rsaPSSSHA256: "PS256"
        case .rsaPKCS1SHA256: "RS256"
        case .ecdsaP256SHA256: "ES256"
        case .ecdsaP384SHA384: "ES384"
        case .ed25519: "EdDSA"
        }
    }

    /// The scheme and the digest for OpenSSL.
    var scheme: (signature_scheme, signature_digest) {
        switch kind {
        case .rsaPSSSHA512: (signature_rsa_pss, signature_sha512)
        case .rsaPSSSHA256: (signature_rsa_pss, signature_sha256)
        case .rsaPKCS1SHA256: (signature_rsa_pkcs1, signature_sha256)
        case .ecdsaP256SHA256: (signature_ecdsa, signature_sha256)
        case .ecdsaP384SHA384: (signature_ecdsa, signature_sha384)
        case .ed25519: (signature_ed25519, signature_no_digest)
        }
    }

    /// The length in bytes of each of the two numbers of an ECDSA signature; nil for other algorithms.
    var ecdsaWidth: Int? {
        switch kind {
        case .ecdsaP256SHA256: 32
        case .ecdsaP384SHA384: 48
        default: nil
        }
    }

    /// Checks that the algorithm fits a key.
    /// - Parameter isSigning: Whether the key signs. Existing signatures of shorter RSA keys can be verified.
    /// - Throws: ``SignatureKeyError`` with the reason `unsuitable`.
    func check(_ key: KeyKind, isSigning: Bool) throws(SignatureKeyError) {
        let needed: String
        switch (kind, key) {
        case (.rsaPSSSHA512, .rsa(let bits)), (.rsaPSSSHA512, .rsaPSS(let bits)), (.rsaPSSSHA256, .rsa(let bits)),
            (.rsaPSSSHA256, .rsaPSS(let bits)), (.rsaPKCS1SHA256, .rsa(let bits)):
            // Servers refuse shorter keys (RFC 7518, section 3.3).
            if bits >= 2048 || !isSigning { return }
            needed = "RSA with at least 2048 bits"
        case (.ecdsaP256SHA256, .p256), (.ecdsaP384SHA384, .p384), (.ed25519, .ed25519): return
        case (.rsaPSSSHA512, _), (.rsaPSSSHA256, _), (.rsaPKCS1SHA256, _): needed = "RSA"
        case (.ecdsaP256SHA256, _): needed = "P-256"
        case (.ecdsaP384SHA384, _): needed = "P-384"
        case (.ed25519, _): needed = "Ed25519"
        }
        throw SignatureKeyError(
            .unsuitable,
            "The algorithm \(self) does not fit the key: it needs \(needed), and this key is \(key)."
        )
    }
}
