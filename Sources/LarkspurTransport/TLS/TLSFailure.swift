/// Why a connection was not safe enough for a request: what a `URLError` alone does not tell apart.
///
/// It is found with ``Foundation/URLError/tlsFailure``.
public struct TLSFailure: Error, Sendable, Hashable {
    /// What was wrong.
    ///
    /// A struct rather than an enum, so that a new reason breaks nobody's `switch`; give every `switch` a `default`.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        /// A short stable name for logs and metrics, such as `"pin-mismatch"`.
        public let label: String

        /// The label.
        public var description: String { label }

        /// The server's certificate, or that of an authority of its, has expired.
        public static let certificateExpired = Self(label: "certificate-expired")
        /// The server's certificate is not valid yet.
        public static let certificateNotYetValid = Self(label: "certificate-not-yet-valid")
        /// The server's certificate is made out to other hosts.
        public static let hostMismatch = Self(label: "host-mismatch")
        /// The server's certificate names its host only in its common name, which does not count.
        public static let missingSubjectAltName = Self(label: "missing-subject-alt-name")
        /// Nobody who is trusted has issued the server's certificate.
        public static let unknownRoot = Self(label: "unknown-root")
        /// The server's certificate is bad in another way.
        public static let certificateUntrusted = Self(label: "certificate-untrusted")
        /// The server has none of the keys, or certificates, that are pinned for it.
        public static let pinMismatch = Self(label: "pin-mismatch")
        /// The server wants a certificate of the client's. Over TLS 1.2 some servers end the handshake without saying
        /// so.
        public static let clientCertificateRequired = Self(label: "client-certificate-required")
        /// The server does not accept the client's certificate.
        public static let clientCertificateRejected = Self(label: "client-certificate-rejected")
        /// The client's certificate or key cannot be used: the passphrase is wrong, or they do not belong together.
        public static let clientIdentityUnusable = Self(label: "client-identity-unusable")
        /// The request would go over plain http to a host that has pins.
        public static let insecureRequest = Self(label: "insecure-request")
        /// What is configured contradicts itself, or cannot be enforced with the libcurl at hand.
        public static let notEnforceable = Self(label: "not-enforceable")
        /// The connection was closed without a close_notify where nothing else ended the content, which may have been
        /// cut short.
        public static let missingCloseNotify = Self(label: "missing-close-notify")
        /// Anything else: no version or cipher in common, a connection that broke.
        public static let other = Self(label: "other")
    }

    /// What was wrong.
    public let reason: Reason
    /// The host that it is about; empty where there is none.
    public let host: String
    /// The pins of the public keys that the server has shown, its own first; for a ``Reason/pinMismatch``, where they
    /// are known. They are not secret.
    public let presentedPins: [PublicKeyPin]

    init(_ reason: Reason, host: String, presentedPins: [PublicKeyPin] = []) {
        self.reason = reason
        self.host = host
        self.presentedPins = presentedPins
    }

    /// The key of a `URLError`'s `userInfo` under which it is.
    public static let userInfoKey = "LarkspurTLSFailure"
}
