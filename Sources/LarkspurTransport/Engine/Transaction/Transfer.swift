#if canImport(FoundationNetworking)
/// The state of one transfer of libcurl's. Each transfer of a task has one of its own.
struct Transfer {
    /// Nil before the transfer has begun, and when it has ended.
    var handle: EasyHandle?
    /// Nil if the server is connected to directly.
    var proxy: ProxyServer?
    let start: Date
    var parser = ResponseHeadParser()
    var response: HTTPURLResponse?
    var tls: (version: String?, cipher: String?) = (nil, nil)

    // MARK: Sending

    var sending = SendingState()
    /// Whether the server is asked for its consent before it gets the content (`Expect: 100-continue`).
    var expectsContinue = false
    /// Whether the transfer waits for more of the request's content.
    var isSendingPaused = false

    // MARK: The end

    /// Whether the rest of the response is of no use, so that the transfer is stopped without having failed.
    var isCutShort = false
    /// The reason to take the content for truncated, although libcurl takes it for whole.
    var truncation: URLError?
    /// Whether HTTP/2 streams are watched for the sake of this transfer.
    var watchesStream = false
    /// Whether the end of the response is known from its HTTP/2 stream alone.
    var endsWithStream = false
    /// Whether the stream was reset before its end, as far as streams are watched.
    var isStreamReset = false

    /// The answers of a proxy that was asked for a tunnel; nil before the first.
    var tunnel: TunnelAnswers?

    init(start: Date = .distantPast) { self.start = start }
}
#endif
