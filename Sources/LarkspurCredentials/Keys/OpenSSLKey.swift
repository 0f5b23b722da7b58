internal import CSignatures

/// A private key or a public key in the memory of OpenSSL.
final class OpenSSLKey: Sendable {
    // Safe: the pointer is set once and freed in deinit, when no method runs. OpenSSL lets several threads use one key
    // at a time, as servers do with the key of their certificate: operations change only caches, under its own locks.
    private nonisolated(unsafe) let pointer: OpaquePointer
    let kind: KeyKind

    init(privateKey pem: String, password: String?) throws(SignatureKeyError) {
        try Self.checkAvailability()
        let (text, secret) = (Array(pem.utf8), Array((password ?? "").utf8))
        var status = signature_key_malformed
        guard let pointer = signature_key_read_private(text, text.count, secret, secret.count, &status) else {
            guard status == signature_key_encrypted else {
                throw SignatureKeyError(.malformed, "The text has no valid private key in PEM.")
            }
            guard let _ = password else {
                throw SignatureKeyError(.wrongPassword, "The key is encrypted, and there is no password for it.")
            }
            throw SignatureKeyError(.wrongPassword, "The password of the key is wrong, or the key is damaged.")
        }
        self.pointer = pointer
        kind = Self.kind(of: pointer)
    }

    init(publicKey pem: String) throws(SignatureKeyError) {
        try Self.checkAvailability()
        let text = Array(pem.utf8)
        guard let pointer = signature_key_read_public(text, text.count) else {
            throw SignatureKeyError(.malformed, "The text has no valid public key in PEM (“PUBLIC KEY”).")
        }
        self.pointer = pointer
        kind = Self.kind(of: pointer)
    }

    /// Reads a key from a file.
    /// - Parameter read: A closure that reads the key from the text of the file.
    static func reading(
        _ file: URL,
        _ read: (String) throws(SignatureKeyError) -> OpenSSLKey
    ) throws(SignatureKeyError) -> OpenSSLKey {
        guard file.isFileURL else { throw SignatureKeyError(.unreadable, "The URL is no URL of a file.") }
        let text: String
        do throws(SmallFile.Defect) {
            text = String(decoding: try SmallFile(file.path).content, as: UTF8.self)
        } catch {
            throw SignatureKeyError(.unreadable, error.sentence).inFile(file.path)
        }
        do throws(SignatureKeyError) {
            return try read(text)
        } catch {
            throw error.inFile(file.path)
        }
    }

    deinit { signature_key_free(pointer) }

    func signature(of data: Data, with algorithm: SignatureAlgorithm) throws(SignatureKeyError) -> Data {
        try algorithm.check(kind, isSigning: true)
        let (scheme, digest) = algorithm.scheme
        var signature = [UInt8](repeating: 0, count: kind.signatureSize)
        var reason: UnsafePointer<CChar>?
        let count = data.withUnsafeBytes { bytes in
            signature_make(
                pointer,
                scheme,
                digest,
                bytes.baseAddress,
                bytes.count,
                &signature,
                kind.signatureSize,
                &reason
            )
        }
        let made = signature.prefix(count)
        let result = algorithm.ecdsaWidth.map { ECDSASignature.fixed(made, width: $0) } ?? Array(made)
        guard count > 0, let result else { throw Self.failure("OpenSSL does not sign with the key", reason) }
        return Data(result)
    }

    func isValid(
        _ signature: Data,
        for data: Data,
        with algorithm: SignatureAlgorithm
    ) throws(SignatureKeyError) -> Bool {
        try algorithm.check(kind, isSigning: false)
        let (scheme, digest) = algorithm.scheme
        var compared = Array(signature)
        if let width = algorithm.ecdsaWidth {
            guard let der = ECDSASignature.der(compared, width: width) else { return false }
            compared = der
        }
        var reason: UnsafePointer<CChar>?
        let validity = data.withUnsafeBytes { bytes in
            signature_verify(
                pointer,
                scheme,
                digest,
                bytes.baseAddress,
                bytes.count,
                compared,
                compared.count,
                &reason
            )
        }
        switch validity {
        case signature_is_valid: return true
        case signature_is_invalid: return false
        // A key for RSASSA-PSS may name the only digest and salt with which it is used.
        default: throw Self.failure("OpenSSL does not verify \(algorithm) with the key", reason)
        }
    }

    /// The reason why OpenSSL cannot be used; nil if it can.
    static var unavailability: String? { signatures_unavailability().map { String(cString: $0) } }

    private static func checkAvailability() throws(SignatureKeyError) {
        guard let reason = unavailability else { return }
        throw SignatureKeyError(.unavailable, "Signatures with key pairs need OpenSSL: \(reason).")
    }

    private static func kind(of key: OpaquePointer) -> KeyKind {
        var der: UnsafePointer<UInt8>?
        let count = signature_key_public(key, &der)
        return KeyKind(UnsafeBufferPointer(start: der, count: count))
    }

    private static func failure(_ sentence: String, _ reason: UnsafePointer<CChar>?) -> SignatureKeyError {
        SignatureKeyError(.failed, sentence + (reason.map { ": " + String(cString: $0) } ?? "") + ".")
    }
}
