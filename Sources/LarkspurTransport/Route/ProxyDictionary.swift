#if canImport(FoundationNetworking)
import HTTPSyntax

/// A `connectionProxyDictionary`, with CFNetwork's keys.
struct ProxyDictionary {
    private let values: [String: Any]

    init(_ dictionary: [AnyHashable: Any]) {
        let pairs = dictionary.compactMap { key, value in (key.base as? String).map { ($0, value) } }
        values = Dictionary(pairs) { first, _ in first }
    }

    func isOn(_ key: String) -> Bool {
        switch values[key] {
        case let flag as Bool: flag
        case let number as NSNumber: number.boolValue
        case let number as Int: number != 0
        default: false
        }
    }

    /// Returns the proxy for keys with a prefix, such as "HTTPEnable", "HTTPProxy" and "HTTPPort"; nil if it is not
    /// enabled.
    func server(_ kind: ProxyServer.Kind, _ prefix: String) -> ProxyServer? {
        guard isOn(prefix + "Enable") else { return nil }
        return ProxyServer(
            kind: kind,
            host: values[prefix + "Proxy"] as? String ?? "",
            port: port(prefix + "Port"),
            user: text(prefix + "User", "kCFProxyUsernameKey"),
            password: text(prefix + "Password", "kCFProxyPasswordKey")
        )
    }

    /// The hosts for which no proxy is used.
    var exceptions: [String] {
        (values["ExceptionsList"] as? [String] ?? []) + (isOn("ExcludeSimpleHostnames") ? ["<local>"] : [])
    }

    private func port(_ key: String) -> Int? {
        switch values[key] {
        case nil: nil
        case let number as Int: number
        case let number as NSNumber: number.intValue
        case let text as String: Int(text) ?? 0
        // The port 0 is invalid, so the request fails.
        default: 0
        }
    }

    private func text(_ keys: String...) -> String? {
        keys.lazy.compactMap { values[$0] as? String }.first
    }
}
#endif
