#if canImport(FoundationNetworking)
internal import CLibcurl
internal import HTTPSyntax
internal import Synchronization

/// The choice of HTTP/3 for requests, and the servers' announcements of it.
extension Exchange {
    /// Returns the versions of HTTP that the request may use.
    /// - Parameter isAuthenticatedByConnection: Whether libcurl authenticates the connection, by NTLM or Negotiate.
    func offeredVersions(isAuthenticatedByConnection: Bool) -> OfferedVersions {
        let settings = group.settings
        guard destination.isSecure, !isAuthenticatedByConnection, task.webSocket == nil, !content.hasTrailers,
            settings.offersHTTP2, !history.needsHTTP1, !mayRepeatUnasked,
            !(content.isTwoWay && HTTP2Trust.couplesDirections && settings.options.http2 == .whereTrusted)
        else { return .http1 }
        guard let origin = http3Origin else { return .http2 }
        switch settings.http3 {
        case .off: return .http2
        case .automatic: return settings.http3Origins.withLock { $0.contains(origin, at: .now) } ? .http3 : .http2
        case .preferred: return .http3
        }
    }

    /// The origin of the request; nil if HTTP/3 is not possible. Neither a proxy nor a Unix-domain socket transports
    /// QUIC.
    private var http3Origin: Origin? {
        guard group.settings.http3 != .off, transfer.proxy == nil, let url = destination.url, let origin = Origin(url),
            origin.scheme == "https"
        else { return nil }
        return origin
    }

    /// Records the alternative services that a response announces.
    func noteAlternatives(of head: ResponseHead) {
        // The field of a 421 is ignored (RFC 7838, section 6).
        guard group.settings.http3 == .automatic, task.webSocket == nil, head.status != 421,
            let field = head.fields["Alt-Svc"], let origin = http3Origin
        else { return }
        let isOffered = group.settings.http3Origins.withLock {
            $0.note(field, age: head.fields["Age"], of: origin, at: .now)
            return $0.contains(origin, at: .now)
        }
        // The next request asks for HTTP/3. But libcurl would prefer this connection to a new one, so it is retired.
        if isOffered, transfer.versions != .http3 { retireConnection() }
    }

    /// Records the failure of a connection that may have used QUIC.
    func noteFault(of handle: EasyHandle, result: Int32) {
        guard group.settings.http3 == .automatic, transfer.versions == .http3,
            ConnectionFault.isFault(result, message: handle.errorMessage),
            // Before the response, libcurl does not know the version and reports 0.
            [0, Int(CURL_HTTP_VERSION_3)].contains(handle.long(CURLINFO_HTTP_VERSION)), let origin = http3Origin
        else { return }
        group.settings.http3Origins.withLock { $0.noteFailure(of: origin, at: .now) }
    }
}
#endif
