#if canImport(FoundationNetworking)
import HTTPSyntax
import Larkspur

/// The proxies of a command line.
enum ProxyRule {
    /// Reads rules such as `http:http://proxy:3128`, or the URL of a proxy for all schemes.
    /// - Returns: The proxy; nil if there is no rule.
    static func server(in rules: [String]) throws(UsageError) -> ProxyServer? {
        var servers: [ProxyServer] = []
        for rule in rules {
            let text =
                ["http:", "https:", "all:"].first { rule.begins(with: $0) && !rule.begins(with: $0 + "//") }
                .map { String(Substring(rule.utf8.dropFirst($0.utf8.count))) } ?? rule
            guard let server = ProxyServer(text) else {
                throw UsageError("--proxy: “\(TargetURL.excerpt(of: rule))” is no proxy.")
            }
            servers.append(server)
        }
        guard let first = servers.first, servers.allSatisfy({ $0 == first }) else {
            if servers.isEmpty { return nil }
            throw UsageError("--proxy: all schemes have to use the same proxy.")
        }
        return first
    }
}
#endif
