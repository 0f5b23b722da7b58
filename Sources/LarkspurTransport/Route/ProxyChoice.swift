#if canImport(FoundationNetworking)
/// The choice of the proxies that a session uses.
public enum ProxyChoice: Sendable, Hashable {
    /// The proxies of the configuration's `connectionProxyDictionary` if it has one, even an empty one; else those of
    /// the environment.
    ///
    /// The variables of the environment are `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, the last three in
    /// capitals too. `HTTP_PROXY` is ignored, since any client of a web server can set it for a program that the server
    /// runs. The variables are read when the session is made.
    case automatic
    /// No proxy, whatever the configuration and the environment contain.
    case direct
    /// The given proxy.
    ///
    /// The exceptions are hosts that are connected to directly, including all subdomains: "example.com",
    /// "*.example.com" and ".example.com" mean the same. Addresses ("10.0.0.1"), networks ("10.0.0.0/8"), any of them
    /// with a port ("localhost:8080"), "<local>" for names without a dot and "*" for all are exceptions too.
    case server(ProxyServer, exceptions: [String] = [])
}
#endif
