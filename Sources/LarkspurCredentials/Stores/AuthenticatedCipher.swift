internal import CSignatures

/// AES-256-GCM (NIST SP 800-38D) with a nonce of 12 bytes and a tag of 16 bytes. The functions are those of OpenSSL.
struct AuthenticatedCipher: Sendable {
    static let keySize = Int(cipher_key_size)
    static let nonceSize = Int(cipher_nonce_size)
    static let tagSize = Int(cipher_tag_size)

    /// The reason why OpenSSL cannot be used; nil if it can.
    static var unavailability: String? { signatures_unavailability().map { String(cString: $0) } }

    private let key: [UInt8]

    /// Creates a cipher; nil if the key has not 32 bytes. OpenSSL has to be available.
    init?(key: some Collection<UInt8>) {
        guard key.count == Self.keySize else { return nil }
        self.key = Array(key)
    }

    /// Encrypts data.
    /// - Parameters:
    ///   - nonce: The nonce, with 12 bytes. No two encryptions with a key have the same nonce.
    ///   - associatedData: Data that are not encrypted, but have to be the same for the decryption.
    /// - Returns: The encrypted data and the tag; nil if OpenSSL does not encrypt.
    func seal(_ data: [UInt8], nonce: [UInt8], associatedData: [UInt8]) -> (data: [UInt8], tag: [UInt8])? {
        var tag = [UInt8](repeating: 0, count: Self.tagSize)
        return apply(true, data, nonce, associatedData, &tag).map { ($0, tag) }
    }

    /// Decrypts data.
    /// - Returns: The data; nil if they, the nonce, the associated data, the tag and the key do not belong together.
    func open(_ data: [UInt8], tag: [UInt8], nonce: [UInt8], associatedData: [UInt8]) -> [UInt8]? {
        guard tag.count == Self.tagSize else { return nil }
        var tag = tag
        return apply(false, data, nonce, associatedData, &tag)
    }

    private func apply(
        _ isEncrypting: Bool,
        _ data: [UInt8],
        _ nonce: [UInt8],
        _ associatedData: [UInt8],
        _ tag: inout [UInt8]
    ) -> [UInt8]? {
        guard nonce.count == Self.nonceSize else { return nil }
        var result = [UInt8](repeating: 0, count: data.count)
        let isDone = cipher_apply(
            isEncrypting,
            key,
            nonce,
            associatedData,
            associatedData.count,
            data,
            data.count,
            &result,
            &tag
        )
        return isDone ? result : nil
    }
}
