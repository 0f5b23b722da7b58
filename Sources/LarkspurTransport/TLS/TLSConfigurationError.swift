/// Why a certificate, a key, a pin or a host cannot be used: thrown where it is read, before there is a session.
public struct TLSConfigurationError: Error, Sendable, Hashable {
    /// What is wrong.
    ///
    /// A struct rather than an enum, so that a new reason breaks nobody's `switch`; give every `switch` a `default`.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        /// A short stable name for logs and metrics, such as `"malformed-certificate"`.
        public let label: String

        /// The label.
        public var description: String { label }

        /// A file is missing or cannot be read.
        public static let fileUnreadable = Self(label: "file-unreadable")
        /// The data are no certificate, or a damaged one, or hold none.
        public static let malformedCertificate = Self(label: "malformed-certificate")
        /// The data are no key of the kind that is wanted.
        public static let malformedKey = Self(label: "malformed-key")
        /// The text is no SHA-256 hash in base64.
        public static let malformedPin = Self(label: "malformed-pin")
        /// The text is no host name or address.
        public static let malformedHost = Self(label: "malformed-host")
        /// The key is encrypted, and there is no passphrase.
        public static let missingPassphrase = Self(label: "missing-passphrase")
    }

    /// What is wrong.
    public let reason: Reason
    /// One sentence that says what is wrong, without secrets.
    public let message: String

    init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    /// The contents of a file.
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
