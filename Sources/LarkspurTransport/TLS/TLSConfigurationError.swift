import HTTPSyntax

/// The reason why a certificate, a key, a pin or a host cannot be used. It is thrown when the value is created, before
/// a session exists.
public struct TLSConfigurationError: Error, Sendable, Hashable {
    /// The kind of the error.
    ///
    /// A struct rather than an enum, so that a new reason does not break existing `switch` statements; give every
    /// `switch` a `default`.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        /// A short stable name for logs and metrics, such as `"malformed-certificate"`.
        public let label: String

        /// The label.
        public var description: String { label }

        /// A file is missing or cannot be read.
        public static let fileUnreadable = Self(label: "file-unreadable")
        /// The data contain no certificate, or a damaged one.
        public static let malformedCertificate = Self(label: "malformed-certificate")
        /// The data are not a key of the required kind.
        public static let malformedKey = Self(label: "malformed-key")
        /// The text is not a SHA-256 hash in base64.
        public static let malformedPin = Self(label: "malformed-pin")
        /// The text is not a host name or address.
        public static let malformedHost = Self(label: "malformed-host")
        /// The key is encrypted, and there is no passphrase.
        public static let missingPassphrase = Self(label: "missing-passphrase")
    }

    /// The kind of the error.
    public let reason: Reason
    /// The error in one sentence, without secrets.
    public let message: String

    init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    /// Reads the contents of a file.
    static func contents(of file: URL) throws(TLSConfigurationError) -> Data {
        do {
            return try Data(contentsOf: file)
        } catch {
            throw TLSConfigurationError(
                .fileUnreadable,
                "The file \(file.path) cannot be read: \(error.localizedDescription)"
            )
        }
    }
}

extension TLSConfigurationError: LocalizedError {
    /// The sentence of ``message``.
    public var errorDescription: String? { message }
}
