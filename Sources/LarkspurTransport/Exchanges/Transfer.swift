#if canImport(FoundationNetworking)
/// The state of one transfer of libcurl. Each transfer of a task has one of its own.
struct Transfer {
    /// The handle; nil before the transfer has begun, and when it has ended.
    var handle: EasyHandle?
    /// The shard with the handle and its connection; nil before the transfer has begun, and when it has ended.
    var shard: Shard?
    /// The proxy; nil if the server is connected to directly.
    @Boxed var proxy: ProxyServer?
    /// The versions of HTTP that libcurl may use.
    var versions = OfferedVersions.http1
    let start: Date
    /// The longest time for making a connection, in seconds; nil for none.
    let connectTimeout: TimeInterval?
    var parser: ResponseHeadParser
    var response: ReceivedResponse?
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

    /// - Parameter headMemory: The lines of the last head of the origin. Default: nil, there is none.
    init(start: Date = .distantPast, connectTimeout: TimeInterval? = nil, headMemory: HeadMemory? = nil) {
        self.start = start
        self.connectTimeout = connectTimeout
        parser = ResponseHeadParser(memory: headMemory)
    }
}
#endif
