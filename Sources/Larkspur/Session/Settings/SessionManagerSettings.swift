/// What of a ``SessionManager`` can be written down and read again, in another process too.
///
/// That is the base URL, the timeouts and the like of the configuration, the request serializer, the response
/// serializer and the security policy. Hooks, queues and the transport are not part of it, nor are caches, cookies and
/// stored credentials. Secrets are left out: header fields that are sensitive (``HTTPHeaders/Field/isSensitive``), and
/// a user and password in the base URL.
///
/// It is `Codable`: what a later version adds is ignored, what is absent has its default. Only the security policy has
/// to be there.
public struct SessionManagerSettings: Codable, Sendable, Hashable {
    /// What relative URL strings are resolved against.
    public var baseURL: URL?
    /// By what the certificates of servers are judged.
    public var securityPolicy: SecurityPolicy
    /// ``SessionManager/maximumContentSize``, in bytes; nil for the default.
    public var maximumContentSize: Int?

    var configuration: ConfigurationSettings?
    var requestSerializer: RequestSerializerSettings?
    var responseSerializer: ResponseSerializerSettings?

    /// An error about something that cannot be written down.
    package static func notPortable(_ what: String) -> LarkspurError {
        LarkspurError(.invalidSettings, "The settings cannot be written down: \(what).")
    }

    /// JSON has no infinity: a time that is as good as infinite stands for it.
    static func finite(_ interval: TimeInterval) -> TimeInterval? {
        interval.isNaN ? nil : min(max(interval, -.greatestFiniteMagnitude), .greatestFiniteMagnitude)
    }

    /// A value of an enumeration by its number; nil for none.
    /// - Throws: ``LarkspurError`` with the code `invalidSettings`, if there is no such value.
    static func value<Value: RawRepresentable>(
        _ number: Value.RawValue?,
        _ name: String
    ) throws(LarkspurError) -> Value? {
        guard let number else { return nil }
        guard let value = Value(rawValue: number) else {
            throw LarkspurError(.invalidSettings, "The settings have a value that is not known here: \(name).")
        }
        return value
    }
}
