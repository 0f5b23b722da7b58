internal import HTTPSyntax

extension MessageSignature {
    /// A key that signs requests, with its identifier and its algorithm. The descriptions and the mirror do not contain
    /// the key itself.
    public struct Key: Sendable {
        /// The identifier that is sent with each signature (parameter `keyid`); nil for none.
        public let id: String?
        /// The name of the algorithm; nil if RFC 9421 has no name for it.
        let algorithm: String?
        private let sign: @Sendable (Data) throws(SignatureKeyError) -> Data

        /// Returns the key of HMAC with SHA-256 (`hmac-sha256`).
        /// - Parameters:
        ///   - secret: The secret that the program shares with the server. If it is empty, the error is `unusableKey`.
        ///   - id: The identifier of the key, in ASCII; nil for none.
        public static func hmac(_ secret: Data, id: String?) -> Self {
            Self(id: id, algorithm: MessageAlgorithm.hmac) { data throws(SignatureKeyError) in
                Data(try MessageAlgorithm.code(of: data, secret))
            }
        }

        /// Returns a private key. It needs OpenSSL.
        /// - Parameters:
        ///   - key: The key.
        ///   - algorithm: The algorithm, such as `.ed25519`. `.rsaPSSSHA256` is none of RFC 9421, and is refused.
        ///   - id: The identifier of the key, in ASCII; nil for none.
        public static func privateKey(_ key: SigningKey, with algorithm: SignatureAlgorithm, id: String?) -> Self {
            Self(id: id, algorithm: MessageAlgorithm.name(of: algorithm)) { data throws(SignatureKeyError) in
                try key.signature(of: data, with: algorithm)
            }
        }

        /// Returns the signature of a base.
        /// - Throws: `wrongAlgorithm`, or `unusableKey`.
        func signature(of base: String) throws(MessageSignatureFailure) -> Data {
            guard algorithm != nil else { throw MessageAlgorithm.failure }
            do throws(SignatureKeyError) {
                return try sign(Data(base.utf8))
            } catch {
                throw MessageAlgorithm.failure(error)
            }
        }
    }
}

extension MessageSignatureVerification {
    /// A key with which the signatures of responses are verified, with its identifier and its only algorithm. The
    /// descriptions and the mirror do not contain the key itself.
    public struct Key: Sendable {
        /// The identifier of the signatures that are verified with this key (parameter `keyid`); nil for signatures
        /// without an identifier.
        public let id: String?
        /// The name of the algorithm; nil if RFC 9421 has no name for it.
        let algorithm: String?
        private let check: @Sendable (_ signature: Data, _ data: Data) throws(SignatureKeyError) -> Bool

        /// Returns the key of HMAC with SHA-256 (`hmac-sha256`).
        ///
        /// A signature of this program has the same secret. So require a component of responses, such as `@status`:
        /// then a request that this program has signed does not pass as a response.
        /// - Parameters:
        ///   - secret: The secret that the program shares with the server. If it is empty, the error is `unusableKey`.
        ///   - id: The identifier of the key; nil for signatures without an identifier.
        public static func hmac(_ secret: Data, id: String?) -> Self {
            Self(id: id, algorithm: MessageAlgorithm.hmac) { signature, data throws(SignatureKeyError) in
                try MessageAlgorithm.code(of: data, secret).isEqualInConstantTime(to: signature)
            }
        }

        /// Returns a public key. It needs OpenSSL.
        /// - Parameters:
        ///   - key: The key.
        ///   - algorithm: The algorithm, such as `.ed25519`. `.rsaPSSSHA256` is none of RFC 9421, and is refused.
        ///   - id: The identifier of the key; nil for signatures without an identifier.
        public static func publicKey(_ key: VerificationKey, with algorithm: SignatureAlgorithm, id: String?) -> Self {
            Self(id: id, algorithm: MessageAlgorithm.name(of: algorithm)) { signature, data throws(SignatureKeyError) in
                try key.isValid(signature, for: data, with: algorithm)
            }
        }

        /// Verifies the signature of a base.
        /// - Throws: `wrongAlgorithm`, `unusableKey`, or `signatureMismatch`.
        func verify(_ signature: Data, of base: String) throws(MessageSignatureFailure) {
            guard algorithm != nil else { throw MessageAlgorithm.failure }
            let isValid: Bool
            do throws(SignatureKeyError) {
                isValid = try check(signature, Data(base.utf8))
            } catch {
                throw MessageAlgorithm.failure(error)
            }
            guard isValid else {
                throw MessageSignatureFailure(.signatureMismatch, "The signature is not that of the message.")
            }
        }
    }
}

/// The names of the algorithms of RFC 9421 (section 6.2.2).
enum MessageAlgorithm {
    static let hmac = "hmac-sha256"

    /// Returns the name of an algorithm; nil if RFC 9421 has none.
    static func name(of algorithm: SignatureAlgorithm) -> String? {
        algorithm == .rsaPSSSHA256 ? nil : algorithm.description
    }

    /// Returns the code of data by HMAC with SHA-256.
    /// - Throws: `unsuitable` if the secret is empty, such as one from a variable that is not set: everyone could sign
    ///   with it.
    static func code(of data: Data, _ secret: Data) throws(SignatureKeyError) -> [UInt8] {
        guard !secret.isEmpty else { throw SignatureKeyError(.unsuitable, "The secret is empty.") }
        return HMACSHA256.code(of: data, key: secret)
    }

    static let failure = MessageSignatureFailure(.wrongAlgorithm, "RFC 9421 has no such algorithm as that of the key.")

    static func failure(_ error: SignatureKeyError) -> MessageSignatureFailure {
        MessageSignatureFailure(.unusableKey, "The key cannot be used: \(error.message)")
    }

    /// Returns the description of a key.
    static func description(_ id: String?, _ algorithm: String?) -> String {
        "\(algorithm ?? "no algorithm"), \(id.map { "“\($0.excerpt)”" } ?? "no identifier")"
    }
}

extension MessageSignature.Key: CustomStringConvertible, CustomReflectable {
    /// The algorithm and the identifier.
    public var description: String { "MessageSignature.Key(\(MessageAlgorithm.description(id, algorithm)))" }
    /// A mirror without the key itself.
    public var customMirror: Mirror { Mirror(self, children: ["id": id as Any]) }
}

extension MessageSignatureVerification.Key: CustomStringConvertible, CustomReflectable {
    /// The algorithm and the identifier.
    public var description: String {
        "MessageSignatureVerification.Key(\(MessageAlgorithm.description(id, algorithm)))"
    }
    /// A mirror without the key itself.
    public var customMirror: Mirror { Mirror(self, children: ["id": id as Any]) }
}
