#if canImport(FoundationNetworking)
import HTTPSyntax

/// The reason why the libcurl in a file cannot be used. ``CurlURLSession/useLibcurl(at:)`` throws this error.
public struct LibcurlChoiceError: Error, Sendable, Hashable {
    /// The kind of the error.
    ///
    /// It is a struct and not an enum, so that a new reason does not break existing `switch` statements. Give every
    /// `switch` a `default`.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        /// A short stable name for logs and metrics, such as `"file-unusable"`.
        public let label: String

        /// The label.
        public var description: String { label }

        /// The file cannot be loaded, or is not a libcurl that the engine can use. The process has not chosen a libcurl
        /// yet, so it can choose another file.
        public static let fileUnusable = Self(label: "file-unusable")
        /// The process already uses another libcurl, or has already found that there is none.
        public static let otherInUse = Self(label: "other-in-use")
    }

    /// The kind of the error.
    public let reason: Reason
    /// The error in one or two sentences. It contains the path of the specified file, or of the libcurl in use.
    public let message: String

    init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }
}

extension LibcurlChoiceError: LocalizedError {
    /// The sentences of ``message``.
    public var errorDescription: String? { message }
}
#endif
