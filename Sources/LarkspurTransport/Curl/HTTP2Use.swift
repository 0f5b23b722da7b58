#if canImport(FoundationNetworking)
/// Whether a session offers HTTP/2 in the TLS handshake; HTTP/1.1 always is.
public enum HTTP2Use: Sendable, Hashable {
    /// With a version of libcurl that reports every response that is broken off over HTTP/2.
    ///
    /// Some versions report success for a response without Content-Length that ends with RST_STREAM, GOAWAY or a faulty
    /// frame: 7.88 does. The engine knows the versions on which the project's tests of HTTP/2 pass; Docs/Linux.md lists
    /// them. With any other only HTTP/1.1 is offered.
    case whereTrusted
    /// With any libcurl: with some, a truncated response can look complete.
    case always
    case never
}
#endif
