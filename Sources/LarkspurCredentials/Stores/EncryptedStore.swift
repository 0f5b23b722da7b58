/// A store that encrypts the values of another store.
///
///     let encrypted = try store.encrypted(with: key)
///
/// The values are encrypted with AES-256-GCM, a random nonce for each value, and the name of the value's key as
/// associated data. So a value cannot be read, changed, or moved to another key. Not hidden are the names of keys, the
/// lengths and the lifetimes of values, buckets and leases. An older value that is put back is not recognized.
///
/// On Linux, the functions are those of OpenSSL's libcrypto (1.1.1 or later), which is found at run time, or linked
/// into the program with LarkspurStatic.
public struct EncryptedStore: SharedStore {
    private let store: any SharedStore
    private let cipher: AuthenticatedCipher

    /// Creates a store that encrypts the values of another store.
    /// - Parameters:
    ///   - store: The store that gets the encrypted values.
    ///   - key: The key: 32 random bytes, which all processes have. Do not derive them from a password.
    /// - Throws: ``StoreEncryptionError`` with the reason `unavailable` or `invalidKey`.
    public init(_ store: any SharedStore, key: Data) throws(StoreEncryptionError) {
        if let reason = AuthenticatedCipher.unavailability {
            throw StoreEncryptionError(.unavailable, "The encryption of a store needs OpenSSL: \(reason).")
        }
        guard let cipher = AuthenticatedCipher(key: key) else {
            throw StoreEncryptionError(
                .invalidKey,
                "The key of an encrypted store has \(AuthenticatedCipher.keySize) bytes, and not \(key.count)."
            )
        }
        self.store = store
        self.cipher = cipher
    }

    /// The description of the store that gets the encrypted values.
    public var description: String { "\(store), encrypted" }

    /// Returns the decrypted value of a key; nil if there is none, or if its lifetime has ended.
    /// - Throws: ``StoreEncryptionError`` with the reason `undecryptable`, or the error of the store.
    public func value(for key: String) async throws -> SharedValue? {
        guard let value = try await store.value(for: key) else { return nil }
        return SharedValue(data: try opened(value, for: key), version: value.version)
    }

    /// Replaces a value by encrypted data, unless another process has replaced it first.
    /// - Throws: ``StoreEncryptionError`` with the reason `failed`, or the error of the store.
    public func replaceValue(
        for key: String,
        version: SharedValue.Version?,
        with data: Data?,
        lifetime: Duration?
    ) async throws -> Bool {
        let sealed: Data? = if let data { try self.sealed(data, for: key) } else { nil }
        return try await store.replaceValue(for: key, version: version, with: sealed, lifetime: lifetime)
    }

    /// Takes a token from a bucket of the store. Buckets are not encrypted.
    public func takeToken(for key: String, from bucket: SharedBucket, within limit: Duration) async throws -> Duration {
        try await store.takeToken(for: key, from: bucket, within: limit)
    }

    /// Acquires a lease of the store.
    public func acquireLease(for key: String, duration: Duration) async throws -> SharedLease.Attempt {
        try await store.acquireLease(for: key, duration: duration)
    }

    /// Lets a lease of the store expire later.
    public func renew(_ lease: SharedLease, duration: Duration) async throws -> Bool {
        try await store.renew(lease, duration: duration)
    }

    /// Releases a lease of the store.
    public func release(_ lease: SharedLease) async throws { try await store.release(lease) }

    // MARK: Values

    /// The first byte of each value. The nonce, the encrypted data and the tag follow.
    private static let format: UInt8 = 1

    private func sealed(_ data: Data, for key: String) throws(StoreEncryptionError) -> Data {
        var generator = SystemRandomNumberGenerator()
        let nonce = (0..<AuthenticatedCipher.nonceSize).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        guard let sealed = cipher.seal(Array(data), nonce: nonce, associatedData: Array(key.utf8)) else {
            throw StoreEncryptionError(.failed, "OpenSSL does not encrypt a value of the store.")
        }
        return Data([Self.format] + nonce + sealed.data + sealed.tag)
    }

    private func opened(_ value: SharedValue, for key: String) throws(StoreEncryptionError) -> Data {
        let bytes = Array(value.data)
        let (start, end) = (1 + AuthenticatedCipher.nonceSize, bytes.count - AuthenticatedCipher.tagSize)
        guard bytes.first == Self.format, start <= end,
            let opened = cipher.open(
                Array(bytes[start..<end]),
                tag: Array(bytes[end...]),
                nonce: Array(bytes[1..<start]),
                associatedData: Array(key.utf8)
            )
        else {
            throw StoreEncryptionError(
                .undecryptable,
                "A value of the store cannot be decrypted. It has another key, was changed, or is not encrypted.",
                unreadableVersion: value.version
            )
        }
        return Data(opened)
    }
}

extension EncryptedStore: CustomReflectable {
    /// A mirror without the key.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension SharedStore {
    /// Returns a store that encrypts the values of this store with AES-256-GCM.
    ///
    /// Values that were written with another key, or without encryption, cannot be read. So to change the key, also
    /// give the values other keys in the store, such as the `key` of a credential. A credential that cannot be
    /// decrypted is replaced by one that a program sets.
    /// - Parameter key: The key: 32 random bytes, which all processes have. Do not derive them from a password.
    /// - Throws: ``StoreEncryptionError`` with the reason `unavailable` or `invalidKey`.
    public func encrypted(with key: Data) throws(StoreEncryptionError) -> EncryptedStore {
        try EncryptedStore(self, key: key)
    }
}
