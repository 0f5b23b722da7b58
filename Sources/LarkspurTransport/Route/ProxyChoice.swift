#if canImport(FoundationNetworking)
/// Which proxies a session uses.
public enum ProxyChoice: Sendable, Hashable {
    /// Those of the environment.
    case automatic
    /// This one.
    case server(ProxyServer, exceptions: [String] = [])
}
#endif
