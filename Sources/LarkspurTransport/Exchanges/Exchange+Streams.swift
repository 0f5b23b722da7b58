#if canImport(FoundationNetworking)
internal import CLibcurl
import HTTPSyntax

/// HTTP/2 and HTTP/3 streams. libcurl does not distinguish the end of a stream from a reset without an error.
extension Exchange {
    /// Watches the stream from the beginning in three cases: the request has content, the request must not be sent
    /// twice, or no response of its host has arrived yet.
    ///
    /// In the first two cases, an RST_STREAM may follow the END_STREAM of the response (RFC 9113, section 8.1), or may
    /// mean that the server has not processed the request. In the third case, the first frame shows that requests to
    /// the host can share a connection.
    func watchStreamFromBeginning() {
        let isHostUnknown = host.map { !$0.isMultiplexed && !$0.hasAnswered } ?? false
        guard content?.reader != nil || isHostUnknown || resendDecision == .fail else { return }
        watchStream()
    }

    /// Begins waiting requests to the host, because they can share the connection. Called from within libcurl.
    ///
    /// The first frame of a server contains its limit of streams (RFC 9113, section 3.4). The TLS handshake selects
    /// HTTP/2 earlier. But the server would refuse streams above its limit, so no further requests begin before the
    /// frame has arrived.
    func noteMultiplexing() {
        guard let host, !host.isMultiplexed else { return }
        group.noteMultiplexing(at: host, in: transfer.shard)
    }

    /// Decides whether the request waits, within libcurl, while a connection to the host is being opened.
    ///
    /// The request waits if the TLS handshake offers HTTP/2, because requests can then share the connection.
    func setWait(of handle: EasyHandle) {
        transfer.route.sharesConnection = transfer.route.versions != .http1 && host?.usesHTTP1 != true
        handle.set(CURLOPT_PIPEWAIT, transfer.route.sharesConnection ? 1 : 0)
    }

    /// If the TLS handshake has selected HTTP/1.1, lets the requests that wait for this connection open their own.
    /// Called from within libcurl. From 8.12 on, libcurl would let these requests wait until a response has arrived.
    func noteSelection() {
        guard let host, let shard = transfer.shard, transfer.handle?.hasSelectedHTTP1 == true else { return }
        transfer.route.sharesConnection = false
        group.noteHTTP1(at: host, in: shard)
    }

    func connectSeparately(to host: HostQueue) {
        guard transfer.route.sharesConnection, host === self.host, transaction.isTransferring,
            !transfer.sending.hasBegun,
            let handle = transfer.handle, handle.addresses.tried.isEmpty, !handle.connectionUse.makesConnection
        else { return }
        setWait(of: handle)
        handle.connectionUse.makesConnection = opensConnection
        transfer.start = Date()
        if transfer.shard?.restart(handle) != true { fail(engineError(.unknown, Self.notBegun)) }
    }

    /// Watches the stream from the response's header section on, if only the end of the stream shows that the response
    /// is complete.
    func watchStream(of head: ResponseHead) {
        guard head.contentLength == nil, mayHaveContent(head) else { return }
        transfer.stream?.endsResponse = true
        watchStream()
    }

    private func watchStream() {
        guard transfer.stream?.isWatched == false, HTTP2Trust.tracesStreams else { return }
        transfer.stream?.isWatched = true
        transfer.shard?.beginWatchingStreams()
    }

    private func mayHaveContent(_ head: ResponseHead) -> Bool {
        request.httpMethod != "HEAD" && head.status != 204 && head.status != 304
    }

    func receive(_ event: StreamEvent) {
        switch event {
        case .refused: transfer.sending.noteRefusal()
        case .downgraded: transfer.sending.noteRefusal(needsHTTP1: true)
        case .abandoned: transfer.stream?.isReset = true
        case .opened(let number): transfer.stream?.number = number
        case .received: noteMultiplexing()
        default: break
        }
        if transfer.shard?.note(event, on: transfer.handle?.connection) == true { transfer.stream?.isReset = true }
    }

    /// Ends the watch of the stream.
    func stopWatchingStream() {
        transfer.stream?.isWatched = false
        transfer.shard?.endWatchingStreams()
    }
}

extension ResponseHead {
    /// Whether the response came over a connection that several transfers can share.
    var isMultiplexed: Bool { ["HTTP/2", "HTTP/3"].contains(version) }
}
#endif
