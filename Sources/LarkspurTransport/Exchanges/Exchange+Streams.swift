#if canImport(FoundationNetworking)
import HTTPSyntax

/// HTTP/2 and HTTP/3 streams. libcurl does not distinguish their end from a reset without an error.
extension Exchange {
    /// Watches the stream from the beginning, if the request has content or must not be sent twice.
    ///
    /// For such a request, an RST_STREAM may follow the END_STREAM of the response (RFC 9113, section 8.1), or may mean
    /// that the server has not processed the request.
    func watchStreamOfUpload() {
        guard destination.isSecure, content.reader != nil || resendDecision == .fail else { return }
        watchStream()
    }

    /// Watches the stream from the response's header section on, if only the end of the stream shows that the response
    /// is complete.
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
        case .downgraded: transfer.sending.noteRefusal(needsHTTP1: true)
        case .abandoned: transfer.isStreamReset = true
        case .opened(let number): transfer.streamNumber = number
        default: break
        }
        if transfer.shard?.note(event, on: transfer.handle?.connection) == true { transfer.isStreamReset = true }
    }

    /// Ends the watch of the stream.
    func stopWatchingStream() {
        guard transfer.watchesStream else { return }
        transfer.watchesStream = false
        transfer.shard?.endWatchingStreams()
    }

    /// The failure of a response that libcurl takes for complete although the server has reset its stream.
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
