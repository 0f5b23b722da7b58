#if canImport(FoundationNetworking)
/// The use of HTTP/2 by a session: whether it is offered in the TLS handshake. HTTP/1.1 always is.
public enum HTTP2Use: Sendable, Hashable {
    /// HTTP/2 with a version of libcurl that reports every truncated response over HTTP/2.
    ///
    /// Some versions report success for a response without Content-Length that ends with RST_STREAM, GOAWAY or a faulty
    /// frame: 7.88 does. The engine has a list of the versions on which the project's tests of HTTP/2 pass;
    /// Docs/Linux.md shows it. With any other version only HTTP/1.1 is offered.
    case whereTrusted
    /// HTTP/2 with any libcurl: with some versions, a truncated response can look complete.
    case always
    /// No HTTP/2: only HTTP/1.1 is offered.
    case never
}
#endif
