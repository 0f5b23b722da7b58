internal import HTTPSyntax

/// The error of a store that encrypts its values. It contains nothing of the key and of the values.
public struct StoreEncryptionError: Error, Hashable, Sendable {
    /// The kind of the error.
    ///
    /// It is a struct and not an enum, so that a new reason does not break existing `switch` statements. Give every
    /// `switch` a `default`.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        /// A short stable name for logs and metrics, such as `"undecryptable"`.
        public let label: String

        /// The label.
        public var description: String { label }

        /// OpenSSL is missing, too old, or not linked into a static program.
        public static let unavailable = Self(label: "unavailable")
        /// The key has not 32 bytes.
        public static let invalidKey = Self(label: "invalid-key")
        /// A value was encrypted with another key or for another key of the store, was changed, or is not encrypted.
        public static let undecryptable = Self(label: "undecryptable")
        /// OpenSSL does not encrypt a value.
        public static let failed = Self(label: "failed")
    }

    /// The kind of the error.
    public let reason: Reason
    /// The error in one sentence.
    public let message: String
    /// The version of a value that cannot be decrypted; nil for other errors.
    package let unreadableVersion: SharedValue.Version?

    init(_ reason: Reason, _ message: String, unreadableVersion: SharedValue.Version? = nil) {
        self.reason = reason
        self.message = message
        self.unreadableVersion = unreadableVersion
    }
}

extension StoreEncryptionError: UnreadableValueError {}

extension StoreEncryptionError: LocalizedError, CustomStringConvertible {
    /// The sentence of ``message``.
    public var errorDescription: String? { message }
    /// The sentence of ``message``.
    public var description: String { message }
}
