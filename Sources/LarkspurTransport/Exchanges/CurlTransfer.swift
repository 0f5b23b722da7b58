#if canImport(FoundationNetworking)
/// The state of one transfer of libcurl. A task has a new one for each transfer.
struct CurlTransfer {
    /// The handle; nil before the transfer begins and after it has ended.
    var handle: EasyHandle?
    /// The shard with the handle and its connection; nil before the transfer begins and after it has ended.
    var shard: Shard?
    var route: Route
    var start: Date
    var parser: ResponseHeadParser
    var response: ReceivedResponse?
    /// The number of interim responses so far.
    var interimCount = 0
    var tls: (version: String?, cipher: String?) = (nil, nil)
    /// The responses of a proxy to `CONNECT`; nil before the first one.
    var tunnel: TunnelAnswers?
    var sending = SendingState()
    var pauses = Pauses()
    var stream = Stream()
    var ending = Ending()

    /// - Parameter headMemory: The last header section of the origin. Default: nil, none.
    init(
        start: Date = .distantPast,
        connectionWait: Duration? = nil,
        connectTimeout: TimeInterval? = nil,
        headMemory: HeadMemory? = nil
    ) {
        self.start = start
        route = Route(connectionWait: connectionWait, connectTimeout: connectTimeout)
        parser = ResponseHeadParser(memory: headMemory)
    }
}

extension CurlTransfer {
    /// The way to the server.
    struct Route {
        /// The proxy; nil for a direct connection to the server.
        @Boxed var proxy: ProxyServer?
        /// The versions of HTTP that libcurl may use.
        var versions = OfferedVersions.http1
        /// Whether libcurl lets the request wait for a connection of the host that others open, because they may share
        /// it.
        var sharesConnection = false
        /// The duration for which the request waited for a place at the host; nil if it did not wait.
        let connectionWait: Duration?
        /// The time limit for opening a connection, in seconds; nil if there is no limit.
        let connectTimeout: TimeInterval?
    }

    /// The pauses of the sending.
    struct Pauses {
        /// Whether the request has `Expect: 100-continue`. The server can then refuse the request before the content is
        /// sent.
        var expectsContinue = false
        /// Whether the content waits for a 100 response, or for a second without one.
        var awaitsContinue = false
        /// Whether the server has sent a final response without a 100, and reads the content nevertheless.
        var isUnasked = false
        /// Whether the transfer waits for further content of the request.
        var awaitsContent = false
    }

    /// The stream of HTTP/2 or HTTP/3.
    struct Stream {
        /// The number of the stream of HTTP/2; nil if it is not known.
        var number: Int?
        /// Whether the stream of this transfer is watched.
        var isWatched = false
        /// Whether only the end of the stream shows that the response is complete.
        var endsResponse = false
        /// Whether the server reset the stream before its end. Only known if streams are watched.
        var isReset = false
        /// Whether libcurl has to read although the socket may not be readable, see `Exchange.nudge()`.
        var mustReadMore = false
        /// Whether libcurl has read a frame of HTTP/2 since it was last made to go on, see `Exchange.goOnSending()`.
        var hasReadFrame = false
        /// Whether libcurl has got the end of content without a known length, and has not sent END_STREAM.
        var isEndUnsent = false
    }

    /// The end of a transfer for reasons that libcurl does not have.
    struct Ending {
        /// The reason why the transfer ends although content is left to be sent; nil if there is none.
        var early: EarlyEnd?
        /// Whether the end of the response ends the sending: the response is one of HTTP/2 or HTTP/3, or has a status
        /// for which the rest of the content is not sent.
        var followsResponse = false
        /// libcurl's result if the exchange has refused what libcurl had kept during a pause; nil otherwise. libcurl
        /// does not end such a transfer until more arrives.
        var refusal: Int32?
        /// Whether the transfer was stopped without a failure, because the rest of the response is not needed.
        var isCutShort = false
        /// The error of content that is truncated although libcurl takes it for complete.
        var truncation: URLError?
    }

    /// A reason why a response is complete although libcurl does not end the transfer, because it has content to send.
    enum EarlyEnd: Equatable {
        /// All of the content was received, as its length or its last chunk shows.
        case contentEnded
        /// The server has ended the stream. Content that libcurl has buffered may follow; the number is the count of
        /// bytes at the last look.
        case streamEnded(after: Int64)
        /// libcurl waits for nothing on the socket any more, because the server has closed it.
        case connectionEnded
    }
}
#endif
