import HTTPSyntax

/// The reason why a connection was not secure enough for a request. It contains details that a `URLError` does not
/// have.
///
/// ``Foundation/URLError/tlsFailure`` returns this value.
public struct TLSFailure: Error, Sendable, Hashable {
    /// The kind of the failure.
    ///
    /// It is a struct and not an enum, so that a new reason does not break existing `switch` statements. Give every
    /// `switch` a `default`.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        /// A short stable name for logs and metrics, such as `"pin-mismatch"`.
        public let label: String

        /// The label.
        public var description: String { label }

        /// The server's certificate, or a certificate of one of its authorities, has expired.
        public static let certificateExpired = Self(label: "certificate-expired")
        /// The server's certificate is not valid yet.
        public static let certificateNotYetValid = Self(label: "certificate-not-yet-valid")
        /// The server's certificate was issued for other hosts.
        public static let hostMismatch = Self(label: "host-mismatch")
        /// The server's certificate contains the host only as its common name, which is ignored.
        public static let missingSubjectAltName = Self(label: "missing-subject-alt-name")
        /// No trusted authority has issued the server's certificate.
        public static let unknownRoot = Self(label: "unknown-root")
        /// The server's certificate is invalid for another reason.
        public static let certificateUntrusted = Self(label: "certificate-untrusted")
        /// The server's certificate, or a certificate of one of its authorities, was revoked.
        public static let certificateRevoked = Self(label: "certificate-revoked")
        /// There is no revocation list of an issuer.
        public static let revocationListMissing = Self(label: "revocation-list-missing")
        /// A revocation list has expired, or is not valid yet.
        public static let revocationListExpired = Self(label: "revocation-list-expired")
        /// A revocation list cannot be read, or it is not signed by the issuer of the certificates.
        public static let revocationListUnusable = Self(label: "revocation-list-unusable")
        /// The ``ServerTrustEvaluator`` has refused the server.
        public static let refusedByEvaluator = Self(label: "refused-by-evaluator")
        /// The server has none of the pinned keys or certificates.
        public static let pinMismatch = Self(label: "pin-mismatch")
        /// The server requires a client certificate. Over TLS 1.2, some servers end the handshake without reporting
        /// this reason.
        public static let clientCertificateRequired = Self(label: "client-certificate-required")
        /// The server does not accept the client's certificate.
        public static let clientCertificateRejected = Self(label: "client-certificate-rejected")
        /// The client's certificate or key cannot be used. The passphrase is wrong, or the certificate and the key do
        /// not belong together.
        public static let clientIdentityUnusable = Self(label: "client-identity-unusable")
        /// The request would be sent over http without TLS to a host with pins.
        public static let insecureRequest = Self(label: "insecure-request")
        /// The configuration is contradictory, or cannot be enforced with the loaded libcurl.
        public static let notEnforceable = Self(label: "not-enforceable")
        /// The connection was closed without a close_notify, and the content had no other end. So the content may be
        /// truncated.
        public static let missingCloseNotify = Self(label: "missing-close-notify")
        /// Any other failure, such as no common version or cipher, or a broken connection.
        public static let other = Self(label: "other")
    }

    /// The kind of the failure.
    public let reason: Reason
    /// The host to which the failure applies; empty if it is not known.
    public let host: String
    /// The pins of the keys that the server has sent. The server's own key is the first. The pins are not secret. Empty
    /// if the reason is not ``Reason/pinMismatch``, or if the keys are not known.
    public let presentedPins: [PublicKeyPin]

    init(_ reason: Reason, host: String, presentedPins: [PublicKeyPin] = []) {
        self.reason = reason
        self.host = host
        self.presentedPins = presentedPins
    }

    /// The key of the failure in a `URLError`'s `userInfo`.
    public static let userInfoKey = "LarkspurTLSFailure"

    static let evaluatorErrorKey = "LarkspurServerTrustError"
}

extension TLSFailure.Reason {
    /// Creates the reason for an error of the verification, one of OpenSSL's `X509_V_ERR_` numbers.
    init(verificationError error: Int32) {
        switch error {
        case 9: self = .certificateNotYetValid
        // The certificate has expired, or its dates are malformed.
        case 10, 13, 14: self = .certificateExpired
        // The issuer is missing, the certificate is self-signed, or the chain cannot be verified or ends in an
        // untrusted root.
        case 2, 18, 19, 20, 21, 27: self = .unknownRoot
        case 62, 64: self = .hostMismatch
        case 23: self = .certificateRevoked
        // There is no list of the issuer, the list's issuer is unknown, or the list is for other certificates.
        case 3, 33, 44: self = .revocationListMissing
        case 11, 12: self = .revocationListExpired
        // The list's signature cannot be read or is wrong, its dates are malformed, its issuer must not sign lists or
        // is not trusted, or an extension is unknown.
        case 5, 8, 15, 16, 35, 36, 54: self = .revocationListUnusable
        default: self = .certificateUntrusted
        }
    }
}

#if canImport(FoundationNetworking)
extension URLError {
    /// The reason why the connection was not secure enough; nil if the request has failed for another reason.
    public var tlsFailure: TLSFailure? { userInfo[TLSFailure.userInfoKey] as? TLSFailure }

    /// Creates the error of a request that is not sent because its configuration cannot be enforced.
    static func unenforceableTLS(url: URL?) -> URLError {
        tls(
            .secureConnectionFailed,
            "The libcurl at hand cannot enforce what is configured for TLS.",
            url: url,
            TLSFailure(.notEnforceable, host: url?.host ?? "")
        )
    }

    /// Creates the error if, for security reasons, a request is not sent or its response is not accepted.
    static func tls(_ code: URLError.Code, _ sentence: String, url: URL?, _ failure: TLSFailure) -> URLError {
        let error = engine(code, sentence, url: url)
        return URLError(code, userInfo: error.userInfo.merging([TLSFailure.userInfoKey: failure]) { $1 })
    }
}
#endif

/// The reason why a certificate, a key, a pin or a host cannot be used. The error is thrown when the value is created,
/// before a session exists.
public struct TLSConfigurationError: Error, Sendable, Hashable {
    /// The kind of the error.
    ///
    /// It is a struct and not an enum, so that a new reason does not break existing `switch` statements. Give every
    /// `switch` a `default`.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        /// A short stable name for logs and metrics, such as `"malformed-certificate"`.
        public let label: String

        /// The label.
        public var description: String { label }

        /// A file is missing or cannot be read.
        public static let fileUnreadable = Self(label: "file-unreadable")
        /// The data contains no certificate, or a damaged certificate.
        public static let malformedCertificate = Self(label: "malformed-certificate")
        /// The data is not a key of the required kind.
        public static let malformedKey = Self(label: "malformed-key")
        /// The text is not a SHA-256 hash in base64.
        public static let malformedPin = Self(label: "malformed-pin")
        /// The text is not a host name or address.
        public static let malformedHost = Self(label: "malformed-host")
        /// The key is encrypted, and there is no passphrase.
        public static let missingPassphrase = Self(label: "missing-passphrase")
        /// The key does not belong to the certificate.
        public static let mismatchedKey = Self(label: "mismatched-key")
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
