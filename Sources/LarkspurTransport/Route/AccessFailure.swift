import HTTPSyntax

/// The rule of a session by which a request was refused. It contains details that a `URLError` does not have.
///
/// ``Foundation/URLError/accessFailure`` returns this value.
public struct AccessFailure: Error, Sendable, Hashable {
    /// The kind of the rule.
    ///
    /// It is a struct and not an enum, so that a new reason does not break existing `switch` statements. Give every
    /// `switch` a `default`.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        /// A short stable name for logs and metrics, such as `"address-not-allowed"`.
        public let label: String

        /// The label.
        public var description: String { label }

        /// None of the host's addresses is allowed, or the address cannot be checked: the request would use a proxy, or
        /// the server is on a Unix-domain socket.
        public static let addressNotAllowed = Self(label: "address-not-allowed")
        /// The port of the URL is not allowed.
        public static let portNotAllowed = Self(label: "port-not-allowed")
    }

    /// The kind of the rule.
    public let reason: Reason
    /// The host of the URL, in its canonical form; empty if there is none.
    public let host: String
    /// The first address that was refused; nil if no connection was tried.
    public let address: ConnectionAddress?

    init(_ reason: Reason, host: String, address: ConnectionAddress? = nil) {
        self.reason = reason
        self.host = host
        self.address = address
    }

    /// The key of the failure in a `URLError`'s `userInfo`.
    public static let userInfoKey = "LarkspurAccessFailure"
}

#if canImport(FoundationNetworking)
extension URLError {
    /// The rule by which the session refused the request; nil if the request has failed for another reason.
    public var accessFailure: AccessFailure? { userInfo[AccessFailure.userInfoKey] as? AccessFailure }

    /// Creates the error of a request that a rule of the session does not allow.
    static func refused(_ failure: AccessFailure, _ sentence: String, url: URL?) -> URLError {
        let error = engine(.dataNotAllowed, sentence, url: url)
        return URLError(.dataNotAllowed, userInfo: error.userInfo.merging([AccessFailure.userInfoKey: failure]) { $1 })
    }
}
#endif
