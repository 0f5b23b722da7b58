/// The values of a ``SessionManager`` that can be encoded and decoded again, also in another process.
///
/// These are the base URL, the timeouts and similar values of the configuration, the request serializer, the response
/// serializer and the security policy. Hooks, queues, the transport, caches, cookies and stored credentials are not
/// part of the settings. Secrets are left out: sensitive header fields (``HTTPHeaders/Field/isSensitive``), and user
/// and password in the base URL.
///
/// The decoder ignores keys that a later version adds. A key that is absent stands for its default; only the security
/// policy is required.
public struct SessionManagerSettings: Codable, Sendable, Hashable {
    /// The URL that relative URL strings are resolved against.
    public var baseURL: URL?
    /// The rules by which the certificates of servers are validated.
    public var securityPolicy: SecurityPolicy
    /// ``SessionManager/maximumContentSize``, in bytes; nil for the default.
    public var maximumContentSize: Int?

    var configuration: ConfigurationSettings?
    var requestSerializer: RequestSerializerSettings?
    var responseSerializer: ResponseSerializerSettings?

    /// Creates an error about a value that cannot be encoded.
    package static func notPortable(_ what: String) -> LarkspurError {
        LarkspurError(.invalidSettings, "The settings cannot be written down: \(what).")
    }

    /// Returns a finite time interval. JSON has no infinity, so a very long interval stands for it.
    static func finite(_ interval: TimeInterval) -> TimeInterval? {
        interval.isNaN ? nil : min(max(interval, -.greatestFiniteMagnitude), .greatestFiniteMagnitude)
    }

    /// Returns a value of an enumeration by its number; nil for no number.
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
