internal import HTTPSyntax

/// The error of a key that cannot be read, or cannot be used with an algorithm.
///
/// The error contains nothing of the key and of its password.
public struct SignatureKeyError: Error, Hashable, Sendable {
    /// The kind of the error.
    ///
    /// It is a struct and not an enum, so that a new reason does not break existing `switch` statements. Give every
    /// `switch` a `default`.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        /// A short stable name for logs and metrics, such as `"malformed"`.
        public let label: String

        /// The label.
        public var description: String { label }

        /// OpenSSL is missing, too old, or not linked into a static program.
        public static let unavailable = Self(label: "unavailable")
        /// The text has no such key in PEM.
        public static let malformed = Self(label: "malformed")
        /// The key is encrypted, and the password is missing or wrong.
        public static let wrongPassword = Self(label: "wrong-password")
        /// The algorithm does not fit the key: its kind, its curve or its size.
        public static let unsuitable = Self(label: "unsuitable")
        /// The file cannot be read, is no file, or has more than 1 MiB.
        public static let unreadable = Self(label: "unreadable")
        /// OpenSSL refuses to use the key, for example because its own numbers contradict each other.
        public static let failed = Self(label: "failed")
    }

    /// The kind of the error.
    public let reason: Reason
    /// The error in one sentence. If the key comes from a file, the sentence begins with the path.
    public let message: String

    init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    /// Returns the error with the path of the key's file.
    func inFile(_ path: String) -> Self { Self(reason, "\(path.onOneLine): \(message)") }
}

extension SignatureKeyError: LocalizedError, CustomStringConvertible {
    /// The sentence of ``message``.
    public var errorDescription: String? { message }
    /// The sentence of ``message``.
    public var description: String { message }
}
