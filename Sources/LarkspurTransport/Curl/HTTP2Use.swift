#if canImport(FoundationNetworking)
internal import CLibcurl

/// The use of HTTP/2 by a session: whether it is offered in the TLS handshake. HTTP/1.1 is always offered.
public enum HTTP2Use: Sendable, Hashable {
    /// HTTP/2 if the loaded libcurl reports every truncated HTTP/2 response as an error.
    ///
    /// Some versions, such as 7.88, report success for a response without Content-Length that ends with RST_STREAM,
    /// GOAWAY or a faulty frame. The engine finds out what the loaded libcurl does: once per process, before the first
    /// https request, libcurl reads a few prepared responses over a pair of sockets within the process. This takes a
    /// few milliseconds. If one of the outcomes is wrong, only HTTP/1.1 is offered, and ``EngineReport`` has the
    /// reason.
    ///
    /// With libcurl 8.17 and later, a request whose content is produced while its response is read goes by HTTP/1.1:
    /// over HTTP/2, a reader that pauses would stop the sending.
    case whereTrusted
    /// HTTP/2 with any libcurl that has it. With some versions, a truncated response can then look complete.
    case always
    /// No HTTP/2: only HTTP/1.1 is offered.
    case never
}

/// The trust in the HTTP/2 of the loaded libcurl.
enum HTTP2Trust {
    /// Whether libcurl reports the frames that it reads. Versions from 8.3 on do so, unless they were built without the
    /// texts of these reports.
    static let tracesStreams = libcurl_trace_streams()

    /// Whether libcurl reads nothing from a connection of HTTP/2, not even window updates, while a response waits for
    /// its reader. A reader that pauses then stops the sending, and libcurl's wait for the connection never sleeps.
    ///
    /// Seen with 8.23.0, and not with 8.16.0; versions between them are not known to be free of it.
    static let couplesDirections = Libcurl.isAtLeast(8, 17)

    /// Whether HTTP/2 is offered.
    /// - Parameter judgement: The judgement on libcurl. Default: the judgement on the loaded libcurl. It is made when
    ///   it is first needed.
    static func offersHTTP2(
        _ use: HTTP2Use,
        judgement: @autoclosure () -> HTTP2Judgement = .ofLoadedLibcurl
    ) -> Bool {
        switch use {
        case .whereTrusted: judgement() == .sound
        case .always: true
        case .never: false
        }
    }
}
#endif
