#if canImport(FoundationNetworking)
/// HTTP/2 and HTTP/3 streams whose end libcurl does not distinguish from a reset without an error.
extension Exchange {
    /// Watches streams from the beginning if a response may end before the request, or must not be sent twice.
    ///
    /// In these cases RST_STREAM may follow END_STREAM (RFC 9113, section 8.1), or mean that the request was not
    /// processed.
    func watchStreamOfUpload() {
        guard destination.isSecure, content.reader != nil || resendDecision == .fail else { return }
        watchStream()
    }

    /// Watches streams from the head of a response on, if only the end of its stream shows that it is complete.
    func watchStream(of head: ResponseHead) {
        guard ["HTTP/2", "HTTP/3"].contains(head.version), head.contentLength == nil, mayHaveContent(head) else {
            return
        }
        transfer.endsWithStream = true
        watchStream()
    }

    private func watchStream() {
        guard !transfer.watchesStream, group.settings.offersHTTP2, HTTP2Trust.tracesStreams else { return }
        transfer.watchesStream = true
        transfer.shard?.beginWatchingStreams()
    }

    private func mayHaveContent(_ head: ResponseHead) -> Bool {
        request.httpMethod != "HEAD" && head.status != 204 && head.status != 304
    }

    func receive(_ event: StreamEvent) {
        switch event {
        case .refused: transfer.sending.noteRefusal()
        case .abandoned: transfer.isStreamReset = true
        default: break
        }
        if transfer.shard?.note(event, on: transfer.handle?.connection) == true { transfer.isStreamReset = true }
    }

    /// Ends the watch of ``watchStream(of:)``.
    func stopWatchingStream() {
        guard transfer.watchesStream else { return }
        transfer.watchesStream = false
        transfer.shard?.endWatchingStreams()
    }

    /// The failure of a response whose stream was reset before its end, although libcurl takes it for complete.
    var streamFailure: URLError? {
        guard transfer.endsWithStream, transfer.isStreamReset else { return nil }
        return .engine(
            .networkConnectionLost,
            "The server reset the stream before the response was complete.",
            url: destination.url
        )
    }
}
#endif
