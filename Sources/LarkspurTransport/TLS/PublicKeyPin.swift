internal import HTTPSyntax

/// The hash of a required public key of a server: SHA-256 of its SubjectPublicKeyInfo (RFC 7469, section 2.4).
///
/// A pin belongs to a key and not to a certificate: it remains valid when a certificate is renewed for the same key.
public struct PublicKeyPin: Sendable, Hashable {
    /// The 32 bytes of the hash.
    public let sha256: Data

    /// Creates the pin of a certificate's key.
    public init(certificate: TLSCertificate) { self.init(certificate.key) }

    /// Creates a pin from a hash that was computed elsewhere.
    /// - Parameter base64: The hash in base64, optionally after `sha256/` or `sha256//`.
    /// - Throws: A ``TLSConfigurationError``: `malformedPin` if the text is not a hash of 32 bytes.
    public init(sha256 base64: String) throws(TLSConfigurationError) {
        var text = base64[...]
        if text.hasPrefix("sha256/") { text = text.dropFirst(text.hasPrefix("sha256//") ? 8 : 7) }
        guard let hash = Data(base64Encoded: String(text)), hash.count == 32 else {
            throw TLSConfigurationError(.malformedPin, "“\(base64)” is no SHA-256 hash in base64.")
        }
        sha256 = hash
    }

    /// Creates the pin of a public key without a certificate, such as a backup key.
    /// - Parameter data: The public key in PEM (`PUBLIC KEY` or `RSA PUBLIC KEY`) or DER.
    /// - Throws: A ``TLSConfigurationError``: `malformedKey`, for private keys too; `openssl pkey -pubout` extracts
    ///   their public half.
    public init(publicKey data: Data) throws(TLSConfigurationError) {
        let data = Data(data)
        let blocks = data.first == DERReader.Tag.sequence ? [] : PEMBlock.blocks(of: data)
        let block = blocks.first { $0.label == "PUBLIC KEY" || $0.label == "RSA PUBLIC KEY" }
        if block == nil, blocks.contains(where: { $0.label.hasSuffix("PRIVATE KEY") }) {
            throw TLSConfigurationError(
                .malformedKey,
                "This is a private key; a pin is made of the public one, which “openssl pkey -pubout” gives."
            )
        }
        let der = blocks.isEmpty ? data : block?.content ?? Data()
        guard let key = SubjectPublicKeyInfo(publicKey: der) else {
            throw TLSConfigurationError(.malformedKey, "The data are no public key, neither in PEM nor in DER.")
        }
        self.init(key)
    }

    /// Creates the pin of a public key in a file.
    /// - Parameter file: The file with the public key, in PEM (`PUBLIC KEY` or `RSA PUBLIC KEY`) or DER.
    /// - Throws: A ``TLSConfigurationError``: `fileUnreadable` if the file cannot be read, `malformedKey` if it holds
    ///   no public key.
    public init(publicKeyContentsOf file: URL) throws(TLSConfigurationError) {
        self = try Self(publicKey: TLSConfigurationError.contents(of: file))
    }

    init(_ key: SubjectPublicKeyInfo) { sha256 = Data(SHA256.hash(key.encoding)) }

    /// The hash in base64.
    public var base64: String { sha256.base64EncodedString() }
}

extension PublicKeyPin: CustomStringConvertible {
    /// The hash in base64 after `sha256/`.
    public var description: String { "sha256/" + base64 }
}
