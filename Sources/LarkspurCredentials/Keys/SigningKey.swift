/// A private key, which makes signatures.
///
///     let key = try SigningKey(contentsOf: URL(fileURLWithPath: "key.pem"))
///     let signature = try key.signature(of: data, with: .ecdsaP256SHA256)
///
/// On Linux, the functions are those of OpenSSL's libcrypto (1.1.1 or later), which is found at run time, or linked
/// into the program with LarkspurStatic. Without it, and on other platforms, each initializer fails with the reason
/// `unavailable`.
///
/// All methods may be called on any thread. Descriptions and mirrors of a key do not contain it.
public struct SigningKey: Sendable, CustomStringConvertible {
    private let key: OpenSSLKey

    /// Reads a private key in PEM: PKCS #8 (`PRIVATE KEY`, `ENCRYPTED PRIVATE KEY`) or the older forms of RSA and
    /// elliptic curves.
    /// - Parameters:
    ///   - pem: The text. Text and other objects around the key are passed over.
    ///   - password: The password of an encrypted key, with at most 1024 bytes. Default: none. It is not used for a key
    ///     that is not encrypted.
    /// - Throws: ``SignatureKeyError`` with the reason `unavailable`, `malformed` or `wrongPassword`.
    public init(pem: String, password: String? = nil) throws(SignatureKeyError) {
        key = try OpenSSLKey(privateKey: pem, password: password)
    }

    /// Reads a private key in PEM from a file, as ``init(pem:password:)`` does.
    /// - Parameters:
    ///   - file: The URL of the file.
    ///   - password: The password of an encrypted key. Default: none.
    /// - Throws: ``SignatureKeyError`` with the path, and with the reason `unavailable`, `malformed`, `wrongPassword`
    ///   or `unreadable`.
    public init(contentsOf file: URL, password: String? = nil) throws(SignatureKeyError) {
        key = try OpenSSLKey.reading(file) { pem throws(SignatureKeyError) in
            try OpenSSLKey(privateKey: pem, password: password)
        }
    }

    /// Signs data.
    /// - Parameters:
    ///   - data: The data.
    ///   - algorithm: The algorithm, which has to fit the key.
    /// - Returns: The signature. An ECDSA signature consists of two numbers of a fixed length.
    /// - Throws: ``SignatureKeyError`` with the reason `unsuitable`, or `failed` if OpenSSL does not sign.
    public func signature(of data: Data, with algorithm: SignatureAlgorithm) throws(SignatureKeyError) -> Data {
        try key.signature(of: data, with: algorithm)
    }

    /// Checks that the key can sign with an algorithm.
    /// - Throws: ``SignatureKeyError`` with the reason `unsuitable`.
    func check(_ algorithm: SignatureAlgorithm) throws(SignatureKeyError) {
        try algorithm.check(key.kind, isSigning: true)
    }

    /// The kind of the key, such as `SigningKey(P-256)`.
    public var description: String { "SigningKey(\(key.kind))" }
}

/// A public key, which verifies signatures. It needs OpenSSL as ``SigningKey`` does.
///
/// All methods may be called on any thread.
public struct VerificationKey: Sendable, CustomStringConvertible {
    private let key: OpenSSLKey

    /// Reads a public key in PEM (`PUBLIC KEY`, a SubjectPublicKeyInfo).
    /// - Parameter pem: The text. Text around the key is passed over.
    /// - Throws: ``SignatureKeyError`` with the reason `unavailable` or `malformed`.
    public init(pem: String) throws(SignatureKeyError) {
        key = try OpenSSLKey(publicKey: pem)
    }

    /// Reads a public key in PEM from a file, as ``init(pem:)`` does.
    /// - Parameter file: The URL of the file.
    /// - Throws: ``SignatureKeyError`` with the path, and with the reason `unavailable`, `malformed` or `unreadable`.
    public init(contentsOf file: URL) throws(SignatureKeyError) {
        key = try OpenSSLKey.reading(file) { pem throws(SignatureKeyError) in try OpenSSLKey(publicKey: pem) }
    }

    /// Returns whether data have a signature.
    /// - Parameters:
    ///   - signature: The signature. An ECDSA signature consists of two numbers of a fixed length.
    ///   - data: The data.
    ///   - algorithm: The algorithm, which has to fit the key.
    /// - Returns: Whether the signature is valid. A signature with a wrong length is not.
    /// - Throws: ``SignatureKeyError`` with the reason `unsuitable`, or `failed` if OpenSSL does not verify with this
    ///   key.
    public func isValid(
        _ signature: Data,
        for data: Data,
        with algorithm: SignatureAlgorithm
    ) throws(SignatureKeyError) -> Bool {
        try key.isValid(signature, for: data, with: algorithm)
    }

    /// The kind of the key, such as `VerificationKey(P-256)`.
    public var description: String { "VerificationKey(\(key.kind))" }
}
