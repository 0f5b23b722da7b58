#if canImport(FoundationNetworking)
/// The tasks that the superclass would carry out without the session's TLS configuration.
extension SessionCore {
    /// Returns the reason why a task for a scheme other than http and https must not be left to the superclass; nil if
    /// it may.
    func foreignDefect(_ request: URLRequest) -> URLError? {
        guard !settings.tls.admitsForeignTask(for: request.url) else { return nil }
        return .tls(
            .secureConnectionFailed,
            "What is configured for TLS holds for http and https alone, so that nothing else is loaded.",
            url: request.url,
            TLSFailure(.notEnforceable, host: request.url?.host ?? "")
        )
    }

    /// Returns the URL, or one that cannot be connected to if the TLS configuration forbids it. The superclass makes
    /// the tasks of WebSockets, and there is no other way to make one fail.
    func webSocketURL(_ url: URL) -> URL {
        guard !settings.tls.admitsForeignTask(for: url) else { return url }
        return URL(string: "wss://0.0.0.0:0/") ?? url
    }
}
#endif
