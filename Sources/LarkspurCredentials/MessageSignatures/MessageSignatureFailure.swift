internal import HTTPSyntax

/// The reason why a message cannot be signed, or why the signature of a response is not accepted.
///
/// A call fails with a `LarkspurError` whose `underlyingError` is this error. Its code is `unsupported` if the
/// request cannot be signed, and `unacceptableResponse` if the response is not accepted.
public struct MessageSignatureFailure: Error, Hashable, Sendable {
    /// A kind of failure. It is a struct and not an enum, so that a new kind does not break existing `switch`
    /// statements. Give every `switch` a `default`.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        /// A short stable name for logs and metrics, such as `"unknown-key"`.
        public let label: String

        /// The label.
        public var description: String { label }

        /// The response has no signature, or none with the required label or tag.
        public static let missingSignature = Self(label: "missing-signature")
        /// The fields `Signature-Input` and `Signature` cannot be read.
        public static let malformedSignature = Self(label: "malformed-signature")
        /// A label, a parameter or a covered component occurs twice.
        public static let repeatedName = Self(label: "repeated-name")
        /// A label occurs in only one of the fields `Signature-Input` and `Signature`.
        public static let unmatchedLabel = Self(label: "unmatched-label")
        /// More than eight signatures could be verified.
        public static let tooManySignatures = Self(label: "too-many-signatures")
        /// No key has the identifier of the signature.
        public static let unknownKey = Self(label: "unknown-key")
        /// The algorithm of the signature is not that of the key, or is not one of RFC 9421.
        public static let wrongAlgorithm = Self(label: "wrong-algorithm")
        /// The key cannot be used: it is of another kind than the algorithm, or its secret is empty.
        public static let unusableKey = Self(label: "unusable-key")
        /// The signature does not cover a required component.
        public static let componentNotCovered = Self(label: "component-not-covered")
        /// A component has a name or a parameter that is not known or not allowed.
        public static let unknownComponent = Self(label: "unknown-component")
        /// The message has no value for a component, or has one that cannot be signed.
        public static let componentUnavailable = Self(label: "component-unavailable")
        /// The signature has no time of its creation.
        public static let missingCreationTime = Self(label: "missing-creation-time")
        /// The time of the signature's creation is in the future.
        public static let notYetValid = Self(label: "not-yet-valid")
        /// The signature has expired by its own expiry time.
        public static let expired = Self(label: "expired")
        /// The signature is older than the maximum age.
        public static let tooOld = Self(label: "too-old")
        /// The signature is not that of the message with this key.
        public static let signatureMismatch = Self(label: "signature-mismatch")
        /// The content does not have the digest that the signature covers.
        public static let digestMismatch = Self(label: "digest-mismatch")
        /// The content cannot be compared with a digest: there is none by SHA-256 or SHA-512, or it is of content with
        /// a content coding.
        public static let digestUnusable = Self(label: "digest-unusable")
    }

    /// The kind of failure.
    public let reason: Reason
    /// One sentence that describes the failure. It contains neither keys nor values of fields.
    public let message: String

    init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }
}

extension MessageSignatureFailure: CustomStringConvertible, LocalizedError {
    /// The label and the message.
    public var description: String { "\(reason.label): \(message)" }
    /// The message.
    public var errorDescription: String? { message }
}
