#if canImport(FoundationNetworking)
/// The use of HTTP/3 by a session.
///
/// A request asks for HTTP/3 and the other versions at once. libcurl begins with QUIC. If this takes more than a
/// moment, libcurl also connects over TCP. So in a network without QUIC, each new connection is delayed, but no request
/// fails. libcurl prefers an existing connection to a new one.
///
/// The engine was tested with libcurl 8.23.0 and ngtcp2 for QUIC. With another libcurl, a response without
/// Content-Length may look complete although the server has reset its stream without an error.
///
/// Pins of keys and certificates are checked within the handshake of QUIC as within that of TCP, if libcurl uses an
/// OpenSSL whose functions the engine can call. Otherwise, a session that has pins does not use HTTP/3. HTTP/3 is also
/// not used for requests through a proxy or a Unix-domain socket, with NTLM or Negotiate, or for WebSockets.
public enum HTTP3Use: Sendable, Hashable {
    /// No HTTP/3.
    case off
    /// HTTP/3 with origins that have announced it in an `Alt-Svc` field (RFC 7838).
    ///
    /// The session stores an announcement in memory, for as long as the server says. If an announcement names another
    /// host or port than the origin has, it is ignored. The connection of the first announcement gets no more requests,
    /// so that the next request can use HTTP/3. After an HTTP/3 connection has failed, requests to the origin use TCP
    /// for five minutes.
    case automatic
    /// HTTP/3 with every origin, from the first request on.
    case preferred

    /// Returns this use if HTTP/3 is possible, otherwise ``off``.
    /// - Parameters:
    ///   - hasHTTP3: Whether libcurl has HTTP/3.
    ///   - offersHTTP2: Whether the session offers HTTP/2, to which libcurl falls back. It is only read if HTTP/3 is
    ///     possible otherwise.
    ///   - tls: The settings of TLS.
    func effective(hasHTTP3: Bool, offersHTTP2: @autoclosure () -> Bool, tls: TLSSettings) -> HTTP3Use {
        // QUIC requires TLS 1.3 (RFC 9001, section 4.2).
        guard self != .off, hasHTTP3, (tls.configuration.maximumVersion ?? .tls13) >= .tls13, tls.checksPinsOverQUIC
        else { return .off }
        return offersHTTP2() ? self : .off
    }
}

extension TLSSettings {
    /// Whether the session's pins, if there are any, are checked over QUIC too. libcurl's own option for pins was not
    /// tested with it.
    fileprivate var checksPinsOverQUIC: Bool {
        switch method {
        case .trust: true
        case .options(let options): options.pins.isEmpty && configuration.anchorsForAllHosts == nil
        }
    }
}
#endif
