import HTTPSyntax

/// The error of a netrc file that is malformed, that other users can read, or that cannot be read.
///
/// The error contains no word of the file, because each word may be a password.
public struct NetrcError: Error, Hashable, Sendable {
    /// The kind of the error.
    ///
    /// It is a struct and not an enum, so that a new reason does not break existing `switch` statements. Give every
    /// `switch` a `default`.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        /// A short stable name for logs and metrics, such as `"malformed"`.
        public let label: String

        /// The label.
        public var description: String { label }

        /// The text does not follow the grammar.
        public static let malformed = Self(label: "malformed")
        /// The group or others can read or write the file, or it belongs to another user.
        public static let unprotected = Self(label: "unprotected")
        /// The file cannot be read, is no file, or has more than 1 MiB.
        public static let unreadable = Self(label: "unreadable")
    }

    /// The kind of the error.
    public let reason: Reason
    /// The path of the file; nil for a text.
    public let path: String?
    /// The line of the error, from 1; nil if the error concerns the whole file.
    public let line: Int?
    /// The error in one sentence that begins with the path and the line.
    public let message: String

    /// - Parameter sentence: The error in one sentence, without the path and the line.
    init(_ reason: Reason, path: String?, line: Int? = nil, _ sentence: String) {
        self.reason = reason
        self.path = path
        self.line = line
        let place =
            switch (path?.onOneLine, line) {
            case (let path?, let line?): "\(path):\(line): "
            case (let path?, nil): "\(path): "
            case (nil, let line?): "Line \(line): "
            case (nil, nil): ""
            }
        message = place + sentence
    }
}

extension NetrcError: LocalizedError, CustomStringConvertible {
    /// The sentence of ``message``.
    public var errorDescription: String? { message }
    /// The sentence of ``message``.
    public var description: String { message }
}
