#if canImport(FoundationNetworking)
internal import CLibcurl

/// The versions of HTTP that libcurl may use for a transfer.
enum OfferedVersions {
    case http1
    /// HTTP/2 over TLS, otherwise HTTP/1.1.
    case http2
    /// HTTP/3, HTTP/2 or HTTP/1.1. The first connection that is established determines the version.
    case http3

    /// The value of `CURLOPT_HTTP_VERSION`.
    var number: Int {
        switch self {
        case .http1: Int(CURL_HTTP_VERSION_1_1)
        case .http2: Int(CURL_HTTP_VERSION_2TLS)
        case .http3: Int(CURL_HTTP_VERSION_3)
        }
    }
}

extension EasyHandle {
    /// Whether the response came over a connection that several transfers can share.
    var hasMultiplexed: Bool { [3, Int(CURL_HTTP_VERSION_3)].contains(long(CURLINFO_HTTP_VERSION)) }
}

/// The use of HTTP/2 by a session. It determines whether HTTP/2 is offered in the TLS handshake. HTTP/1.1 is always
/// offered.
///
/// It is a struct and not an enum, so that a new use does not break existing `switch` statements. Give every `switch` a
/// `default`.
public struct HTTP2Use: Sendable, Hashable {
    enum Kind: Sendable {
        case whereTrusted
        case always
        case never
    }

    let kind: Kind

    /// HTTP/2 if the loaded libcurl reports every truncated HTTP/2 response as an error.
    ///
    /// Some versions, such as 7.88, report success for a response without Content-Length that ends with RST_STREAM,
    /// GOAWAY or a faulty frame. So the engine tests the loaded libcurl once per process, before the first https
    /// request. In this test, libcurl reads a few prepared responses over a pair of sockets within the process. This
    /// takes a few milliseconds. If one of the outcomes is wrong, only HTTP/1.1 is offered, and ``EngineReport`` has
    /// the reason.
    ///
    /// With libcurl 8.17 and later, a request uses HTTP/1.1 if its content is produced while its response is read. Over
    /// HTTP/2, a reader that pauses would stop the sending.
    public static let whereTrusted = Self(kind: .whereTrusted)
    /// HTTP/2 if libcurl has it. With some versions, a truncated response can then look complete.
    public static let always = Self(kind: .always)
    /// No HTTP/2: only HTTP/1.1 is offered.
    public static let never = Self(kind: .never)
}

/// The trust in the HTTP/2 of the loaded libcurl.
enum HTTP2Trust {
    /// Whether libcurl reports the frames that it reads. Versions from 8.3 on do so, unless they were built without the
    /// texts of these reports.
    static let tracesStreams = libcurl_trace_streams()

    /// Whether libcurl reads nothing from an HTTP/2 connection, not even window updates, while a response waits for its
    /// reader. If so, a reader that pauses stops the sending, and libcurl's wait for the connection never sleeps.
    ///
    /// This was observed with 8.23.0, but not with 8.16.0. The versions between them may have the fault too.
    static let couplesDirections = Libcurl.isAtLeast(8, 17)

    /// Whether HTTP/2 is offered.
    /// - Parameter judgement: The judgement on libcurl. Default: the judgement on the loaded libcurl, which is made
    ///   when it is first needed.
    static func offersHTTP2(
        _ use: HTTP2Use,
        judgement: @autoclosure () -> HTTP2Judgement = .ofLoadedLibcurl
    ) -> Bool {
        switch use.kind {
        case .whereTrusted: judgement() == .sound
        case .always: true
        case .never: false
        }
    }
}

/// The use of HTTP/3 by a session.
///
/// A request asks for HTTP/3 and the other versions at the same time. libcurl begins with QUIC. If no QUIC connection
/// is established quickly, libcurl also connects over TCP. So in a network without QUIC, each new connection is
/// delayed, but no request fails. If the check of the certificate fails over QUIC and succeeds over TCP, the request is
/// sent over TCP. libcurl prefers an existing connection to a new connection.
///
/// The engine was tested with libcurl 8.22.0 and 8.23.0, which use ngtcp2 for QUIC. With another libcurl, a response
/// without Content-Length may look complete although the server has reset its stream without an error.
///
/// Pins of keys and certificates are checked in the handshake of QUIC in the same way as in the handshake over TCP.
/// This requires that libcurl uses an OpenSSL whose functions the engine can call. Otherwise, a session with pins does
/// not use HTTP/3. HTTP/3 is also not used for requests through a proxy or a Unix-domain socket, with NTLM or
/// Negotiate, or for WebSockets.
///
/// It is a struct and not an enum, so that a new use does not break existing `switch` statements. Give every `switch` a
/// `default`.
public struct HTTP3Use: Sendable, Hashable {
    enum Kind: Sendable {
        case never
        case automatic
        case preferred
    }

    let kind: Kind

    /// No HTTP/3.
    public static let never = Self(kind: .never)
    /// HTTP/3 with origins that have announced it in an `Alt-Svc` field (RFC 7838).
    ///
    /// The session stores the announcements of up to 1,024 origins in memory, each for the time that the server
    /// specifies (`ma`, a day by default), but at most for a year. An announcement with a host or port other than those
    /// of the origin is ignored. The connection of the first announcement is not used for more requests, so that the
    /// next request can use HTTP/3. After an HTTP/3 connection has failed, requests to the origin use TCP for five
    /// minutes.
    public static let automatic = Self(kind: .automatic)
    /// HTTP/3 with every origin, from the first request on.
    public static let preferred = Self(kind: .preferred)

    /// Returns this use if HTTP/3 is possible; otherwise returns ``never``.
    /// - Parameters:
    ///   - hasHTTP3: Whether libcurl has HTTP/3.
    ///   - offersHTTP2: Whether the session offers HTTP/2, to which libcurl falls back. This value is read only if all
    ///     other conditions for HTTP/3 are met.
    ///   - tls: The settings of TLS.
    func effective(hasHTTP3: Bool, offersHTTP2: @autoclosure () -> Bool, tls: TLSSettings) -> HTTP3Use {
        // QUIC requires TLS 1.3 (RFC 9001, section 4.2).
        guard self != .never, hasHTTP3, (tls.configuration.maximumVersion ?? .tls13) >= .tls13, tls.checksPinsOverQUIC
        else { return .never }
        return offersHTTP2() ? self : .never
    }
}

extension TLSSettings {
    /// Whether the session's pins, if there are any, are checked over QUIC too. False if libcurl's own option checks
    /// the pins, because this option was not tested with QUIC.
    fileprivate var checksPinsOverQUIC: Bool {
        switch method {
        case .trust: true
        case .options(let options): options.pins.isEmpty && configuration.anchorsForAllHosts == nil
        }
    }
}
#endif
