public import Larkspur

/// An error of a ``RedisStore``. Its description has no password, no value and no script.
public struct RedisStoreError: Error, Sendable, CustomStringConvertible, LocalizedError {
    /// The kind of an error.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Case: String {
            case invalidURL = "invalid-url"
            case unsupported = "unsupported"
            case connectionFailed = "connection-failed"
            case connectionLost = "connection-lost"
            case timedOut = "timed-out"
            case refused = "refused"
            case invalidReply = "invalid-reply"
            case valueTooLarge = "value-too-large"
        }

        private let value: Case

        /// The URL of the store has a mistake.
        public static let invalidURL = Self(value: .invalidURL)
        /// The URL or the server asks for something that the store does not support: TLS, or a cluster.
        public static let unsupported = Self(value: .unsupported)
        /// There is no connection: the server cannot be reached, or refuses the user or the database.
        public static let connectionFailed = Self(value: .connectionFailed)
        /// The connection was closed before the reply arrived.
        public static let connectionLost = Self(value: .connectionLost)
        /// The reply did not arrive in time.
        public static let timedOut = Self(value: .timedOut)
        /// The server has replied with an error.
        public static let refused = Self(value: .refused)
        /// The server has sent a reply that the store does not expect.
        public static let invalidReply = Self(value: .invalidReply)
        /// The value is larger than the store's limit.
        public static let valueTooLarge = Self(value: .valueTooLarge)

        /// A short name, such as `timed-out`.
        public var description: String { value.rawValue }
    }

    /// The kind of the error.
    public let code: Code
    /// Whether the server may have performed the step.
    public let mayHaveBeenPerformed: Bool
    /// A sentence with the store and the reason.
    public let description: String

    /// The same as ``description``.
    public var errorDescription: String? { description }

    init(_ code: Code, _ description: String, mayHaveBeenPerformed: Bool = false) {
        self.code = code
        self.description = description
        self.mayHaveBeenPerformed = mayHaveBeenPerformed
    }

    /// The error for an error reply.
    /// - Parameter text: The text of the reply, whose first word is a code in capital letters.
    init(reply text: String, of server: String) {
        let word = Self.code(of: text)
        switch word {
        case "MOVED", "ASK", "CROSSSLOT", "CLUSTERDOWN", "TRYAGAIN":
            self.init(.unsupported, "\(server) is a node of a cluster, which RedisStore does not support (\(word)).")
        // Redis before 7 has its own code in front of that of a script.
        case _ where text.contains("WRONGTYPE"):
            self.init(
                .refused,
                "\(server) has data of another kind under the key of the step (WRONGTYPE). Remove them, or use another prefix."
            )
        default:
            self.init(
                .refused,
                "\(server) has refused a command: \(Self.withoutArguments(text))",
                mayHaveBeenPerformed: Self.endsScript(text)
            )
        }
    }

    /// Whether the text of an error reply is from within a script, which may have written before. The listed errors
    /// come before the first write.
    static func endsScript(_ text: String) -> Bool {
        let early: Set = ["NOSCRIPT", "OOM", "READONLY", "MISCONF", "LOADING", "BUSY", "MASTERDOWN"]
        return text.contains("script") && !early.contains(code(of: text))
    }

    private static func code(of text: String) -> String {
        String(text.prefix { $0.isASCII && ($0.isUppercase || $0 == "_") })
    }

    /// A connection that a server has refused.
    init(refusal text: String, of server: String) {
        self.init(.connectionFailed, "\(server) has refused the connection: \(Self.withoutArguments(text))")
    }

    /// The text up to the first quotation mark. Redis quotes arguments of commands in its messages, among them values
    /// and passwords.
    private static func withoutArguments(_ text: String) -> String {
        let part = text.prefix { !"'\"`".contains($0) && !$0.isNewline }.prefix(160)
        return part.count < text.count ? "\(part)…" : String(part)
    }
}
