#if canImport(FoundationNetworking)
internal import CLibcurl

/// The connection that libcurl has chosen for a transfer.
extension EasyHandle {
    /// Has the client asked before each sending, as libcurl 7.80 and later can.
    func observeSendings() {
        seesSendings = libcurl_easy_setopt_sending_callback(raw, CURLOPT_PREREQFUNCTION, Self.sending) == CURLE_OK
        _ = libcurl_easy_setopt_pointer(raw, CURLOPT_PREREQDATA, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Sets `CURLOPT_FRESH_CONNECT` and its opposite number, for whatever reason there is.
    func setFreshness() {
        set(CURLOPT_FRESH_CONNECT, isAlone || usesFreshConnection ? 1 : 0)
        set(CURLOPT_FORBID_REUSE, isAlone || closesConnection ? 1 : 0)
    }

    /// The number of the connection that the transfer uses or has used last; nil where libcurl does not tell (before
    /// 8.2).
    var connection: Int64? { Libcurl.identifiesConnections ? int64(CURLINFO_CONN_ID) : nil }

    /// Whether the connection of the transfer had been used before, or is shared with another.
    var usesKnownConnection: Bool { long(CURLINFO_NUM_CONNECTS) == 0 }

    /// Whether a connection that was kept from before has been closed, or has brought bytes that belong to no response.
    ///
    /// HTTP/2 connections are libcurl's to judge, as frames may come at any time.
    private func hasStaleConnection(localPort: Int) -> Bool {
        guard long(CURLINFO_NUM_CONNECTS) == 0, let sockets else { return false }
        let candidates = sockets.sockets(at: localPort)
        let isDirect = route.proxy?.kind != .https
        return candidates.withUnsafeBufferPointer {
            libcurl_connection_state(raw, $0.baseAddress, $0.count, isDirect) == LIBCURL_CONNECTION_HAS_INPUT
        }
    }

    private static let sending: libcurl_sending_callback = { context, _, _, _, localPort in
        guard let context else { return CURL_PREREQFUNC_ABORT }
        let handle = Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
        let isStale = handle.hasStaleConnection(localPort: Int(localPort))
        guard let client = handle.client, client.maySend(onStaleConnection: isStale) else {
            return CURL_PREREQFUNC_ABORT
        }
        return CURL_PREREQFUNC_OK
    }

    // MARK: TLS

    /// Has it found out whether the connection is closed by a close_notify; once the response has begun.
    func watchClose() {
        guard watchedConnection == nil else { return }
        watchedConnection = closeWatch?.begin(self)
    }

    /// Whether the connection was watched, and has not been closed by a close_notify.
    func endCloseWatch() -> Bool {
        guard let name = watchedConnection, let closeWatch else { return false }
        watchedConnection = nil
        return !closeWatch.end(name)
    }
}
#endif
