#if canImport(FoundationNetworking)
/// Which proxies a session uses.
public enum ProxyChoice: Sendable, Hashable {
    /// Those of the configuration's `connectionProxyDictionary` if it has one, be it empty; else those of the
    /// environment.
    ///
    /// The environment's are `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, the last three in capitals too: a
    /// program that is run for a web server's clients gets `HTTP_PROXY` from any of them. They are read when the
    /// session is made.
    case automatic
    /// None, whatever configuration and environment say.
    case direct
    /// This one.
    ///
    /// The exceptions are hosts that are connected to directly, with all hosts of a domain: "example.com",
    /// "*.example.com" and ".example.com" mean the same. Addresses ("10.0.0.1"), networks ("10.0.0.0/8"), any of them
    /// with a port ("localhost:8080"), "<local>" for names without a dot and "*" for all are exceptions too.
    case server(ProxyServer, exceptions: [String] = [])
}
#endif
