#if canImport(FoundationNetworking)
/// The state of one transfer of libcurl. Each transfer of a task has one of its own.
struct Transfer {
    /// The handle; nil before the transfer has begun, and when it has ended.
    var handle: EasyHandle?
    /// The proxy; nil if the server is connected to directly.
    var proxy: ProxyServer?
    let start: Date
    var parser = ResponseHeadParser()
    var response: HTTPURLResponse?
    var tls: (version: String?, cipher: String?) = (nil, nil)

    // MARK: Sending

    var sending = SendingState()
    /// Whether the request has `Expect: 100-continue`, so that the server decides before it gets the content.
    var expectsContinue = false
    /// Whether the transfer waits for more of the request's content.
    var isSendingPaused = false

    // MARK: The end

    /// Whether the rest of the response is not needed, so that the transfer is stopped without having failed.
    var isCutShort = false
    /// The error of content that is treated as truncated, although libcurl takes it for complete.
    var truncation: URLError?
    /// Whether HTTP/2 streams are watched for this transfer.
    var watchesStream = false
    /// Whether only the HTTP/2 stream shows the end of the response.
    var endsWithStream = false
    /// Whether the stream was reset before its end, if streams are watched.
    var isStreamReset = false

    /// The responses of a proxy to `CONNECT`; nil before the first.
    var tunnel: TunnelAnswers?

    init(start: Date = .distantPast) { self.start = start }
}
#endif
