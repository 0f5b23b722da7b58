#if canImport(FoundationNetworking)
/// The use of HTTP/3 by a session.
///
/// A request asks for HTTP/3 and the other versions at once: libcurl begins with QUIC, and connects over TCP as well if
/// that takes more than a moment. So a network without QUIC costs a delay for each new connection, and no error. An
/// existing connection is used before a new one is made.
///
/// The engine was tested with libcurl 8.23.0 and its QUIC of ngtcp2. With another one, a response without
/// Content-Length whose stream the server resets without an error may look complete.
///
/// A session that pins keys or certificates never uses HTTP/3, as pins were not tested over QUIC. Neither do requests
/// through a proxy or a Unix-domain socket, with NTLM or Negotiate, and WebSockets.
public enum HTTP3Use: Sendable, Hashable {
    /// No HTTP/3.
    case off
    /// HTTP/3 with origins that have announced it in an `Alt-Svc` field (RFC 7838).
    ///
    /// The session remembers announcements in memory, for as long as the server says, and only those for the origin's
    /// own host and port. The connection of the first announcement gets no more requests, so that the next request can
    /// use HTTP/3. After a connection with HTTP/3 has failed, the origin is asked over TCP for five minutes.
    case automatic
    /// HTTP/3 with every origin, from the first request on.
    case preferred

    /// Returns the use that is possible: this one, or none.
    /// - Parameters:
    ///   - hasHTTP3: Whether libcurl has HTTP/3.
    ///   - offersHTTP2: Whether the session offers HTTP/2, to which libcurl falls back.
    ///   - tls: The settings of TLS.
    func effective(hasHTTP3: Bool, offersHTTP2: Bool, tls: TLSConfiguration) -> HTTP3Use {
        // QUIC has no older TLS than 1.3 (RFC 9001, section 4.2).
        hasHTTP3 && offersHTTP2 && (tls.maximumVersion ?? .tls13) >= .tls13 && !tls.pinsServers ? self : .off
    }
}

extension TLSConfiguration {
    /// Whether a server needs certain keys or certificates, besides a chain that is trusted.
    fileprivate var pinsServers: Bool { !pins.isEmpty || pinsForAllHosts != nil || anchorsForAllHosts != nil }
}
#endif
