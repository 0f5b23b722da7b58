#if canImport(FoundationNetworking)
/// The state of one transfer of libcurl. For each transfer, a task has a new value.
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
    var tls: (version: String?, cipher: String?, group: String?) = (nil, nil, nil)
    /// The responses of a proxy to `CONNECT`; nil before the first one.
    var tunnel: TunnelAnswers?
    var sending = SendingState()
    var pauses = Pauses()
    /// The stream of HTTP/2 or HTTP/3; nil if the session does not use these versions for the URL.
    var stream: Stream?
    var ending = Ending()
    /// The time of the next check whether the other machine of the connection is lost.
    var peerCheck = LoopTime.distantFuture

    /// - Parameter headMemory: The last header section of the origin, if it is known. Default: nil.
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
    /// The route to the server.
    struct Route {
        /// The proxy; nil for a direct connection to the server.
        @Boxed var proxy: ProxyServer?
        /// Whether the request goes through a tunnel, whose bytes the proxy cannot read.
        var isTunnelled = false
        /// Whether the proxy reads the request and forwards it.
        var isForwarded = false
        /// The versions of HTTP that libcurl may use.
        var versions = OfferedVersions.http1
        /// Whether libcurl lets the request wait while another request opens a connection to the host. Both requests
        /// may then share the connection.
        var sharesConnection = false
        /// The duration for which the request waited for a place at the host; nil if it did not wait.
        let connectionWait: Duration?
        /// The time limit for opening a connection, in seconds; nil if there is no limit.
        let connectTimeout: TimeInterval?
    }

    /// The pauses in sending.
    struct Pauses {
        /// Whether the request has `Expect: 100-continue`. The server can then refuse the request before the content is
        /// sent.
        var expectsContinue = false
        /// Whether the content waits for a 100 response. The wait ends after a second without one.
        var awaitsContinue = false
        /// Whether the server reads the content although it has sent a final response and no 100.
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
        /// Whether libcurl considers a response complete although the server has reset its stream.
        var isBroken: Bool { endsResponse && isReset }
        /// Whether libcurl has to read although the socket may not be readable. See `Exchange.nudge()`.
        var mustReadMore = false
        /// Whether libcurl has read a frame of HTTP/2 since `Exchange.goOnSending()` was last called.
        var hasReadFrame = false
        /// Whether libcurl has got the end of the request's content, whose length was not announced, but has not sent
        /// END_STREAM.
        var isEndUnsent = false
    }

    /// The reasons, unknown to libcurl, for which a transfer ends.
    struct Ending {
        /// The reason why the transfer ends although content is left to be sent; nil if there is none.
        var early: EarlyEnd?
        /// Whether the sending of produced content ends with the response. True over HTTP/2 and HTTP/3, and for a
        /// status after which the rest of the content is not sent.
        var followsResponse = false
        /// The error code of `curl_easy_pause`: after a pause, the exchange refused the data that libcurl had buffered,
        /// or memory ran out. Nil otherwise. libcurl does not end such a transfer until more data arrives, so
        /// `Exchange.endRefused()` ends it.
        var refusal: Int32?
        /// Whether the transfer was stopped without a failure, because the rest of the response is not needed.
        var isCutShort = false
        /// The error if the content is truncated although libcurl considers it complete.
        var truncation: URLError?
    }

    /// A reason why a transfer ends although libcurl does not end it: the response is complete, but content is left to
    /// be sent.
    enum EarlyEnd: Equatable {
        /// All of the content was received, according to its length or its last chunk.
        case contentEnded
        /// The server has ended the stream. libcurl may still have buffered content. The number is the count of
        /// received bytes at the last check.
        case streamEnded(after: Int64)
        /// libcurl no longer watches the socket, because the server has closed it.
        case connectionEnded
    }
}
#endif
