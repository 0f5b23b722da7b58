#if canImport(FoundationNetworking)
internal import CLibcurl

/// What a transfer tells the one who set it up; on the loop's thread, from within libcurl.
protocol EasyHandleClient: AnyObject {
    /// A line of a header or trailer section, with its line end. False stops the transfer.
    func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool

    /// Content as it was sent.
    func receiveContent(_ bytes: UnsafeRawBufferPointer) -> EasyHandle.Reception

    /// Fills a buffer with what is to be sent next.
    func provideContent(into buffer: UnsafeMutableRawBufferPointer) -> EasyHandle.Provision

    /// Goes to a place in what is to be sent, because libcurl has to send it again.
    func seekContent(to offset: Int64) -> Bool

    /// Asks whether the request may be sent on the connection that libcurl has chosen; false stops the transfer.
    /// libcurl before 7.80 does not ask.
    /// - Parameter isStale: Whether the connection was kept from before, and has been closed or has brought bytes that
    ///   belong to no response.
    func maySend(onStaleConnection isStale: Bool) -> Bool

    /// A line of a header section that a server or, before it, a proxy has sent; only where tunnels are watched.
    func receiveTunnelHeader(_ line: UnsafeRawBufferPointer)

    /// Takes an event of a stream of the connection, not always the transfer's own; only where streams are watched.
    func receive(_ event: StreamEvent)
}

/// One transfer of libcurl, reused for one request after the other: what never changes is set once.
///
/// It belongs to the loop's thread.
final class EasyHandle {
    enum Reception {
        case taken
        /// Nothing was taken; the transfer pauses, and offers the same bytes when it is resumed.
        case paused
        case refused
    }

    enum Provision {
        /// So many bytes; 0 at the end.
        case bytes(Int)
        case paused
        case failed
    }

    let raw: UnsafeMutableRawPointer
    @exclusivity(unchecked) var client: (any EasyHandleClient)?
    @exclusivity(unchecked) private var fields: OpaquePointer?
    @exclusivity(unchecked) private var lines: [String] = []
    @exclusivity(unchecked) private var lastLine: String?
    @exclusivity(unchecked) private var proxyFields: OpaquePointer?
    /// The credentials of the last transfer.
    @exclusivity(unchecked) var credentials = Credentials()
    /// Whether the connection of the transfer under way is not to be used again.
    var closesConnection = false {
        didSet { if closesConnection != oldValue { setFreshness() } }
    }
    @exclusivity(unchecked) private var addresses: OpaquePointer?
    @exclusivity(unchecked) var route = Route()
    /// Checks the servers of its connections, where libcurl alone does not do.
    @exclusivity(unchecked) var trust: ServerTrust?
    /// The host that the request is for, where that matters for trust.
    @exclusivity(unchecked) var trustHost = ""
    @exclusivity(unchecked) private var watchesTunnel = false
    @exclusivity(unchecked) private var watchesStreams = false
    /// How many handshakes had been objected to before the request.
    @exclusivity(unchecked) var earlierObjections = 0
    /// The sockets of the session's connections.
    let sockets: SocketTable?
    /// Nil without OpenSSL.
    let closeWatch: TLSCloseWatch?
    /// The name of the connection whose end is watched.
    @exclusivity(unchecked) var watchedConnection: UInt?
    /// Whether its next transfer may be another's: it holds nothing of the last one that could go wrong.
    @exclusivity(unchecked) var servesAgain = true
    /// Whether the client is asked before each sending.
    @exclusivity(unchecked) var seesSendings = false
    /// Whether the connection is used for this transfer alone.
    var isAlone = false {
        didSet { if isAlone != oldValue { setFreshness() } }
    }
    /// Whether no connection is used that was kept from before.
    var usesFreshConnection = false {
        didSet { if usesFreshConnection != oldValue { setFreshness() } }
    }
    /// Whether it has a copy of the content, which goes out with the head.
    @exclusivity(unchecked) private(set) var sendsContentWithHead = false
    private let errorText: UnsafeMutablePointer<CChar>

    /// Nil where there is no memory.
    init?(bufferSize: Int, multi: MultiHandle?) {
        guard let raw = libcurl_easy_init() else { return nil }
        self.raw = raw
        sockets = multi?.sockets
        closeWatch = multi?.closeWatch
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        let context = Unmanaged.passUnretained(self).toOpaque()
        set(CURLOPT_PRIVATE, context)
        set(CURLOPT_ERRORBUFFER, errorText)
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_NOPROGRESS, 1)
        set(CURLOPT_BUFFERSIZE, bufferSize)
        set(CURLOPT_UPLOAD_BUFFERSIZE, 1 << 18)
        set(CURLOPT_PROTOCOLS, Int(CURLPROTO_HTTP | CURLPROTO_HTTPS))
        set(CURLOPT_PATH_AS_IS, 1)
        set(CURLOPT_HTTP09_ALLOWED, 0)
        // Chunks are read by ``FramedContent``.
        set(CURLOPT_HTTP_TRANSFER_DECODING, 0)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        // Else removing a transfer whose host name is being looked up waits for that; older versions have no such
        // option.
        set(CURLOPT_QUICK_EXIT, 1)
        switch SystemRoots(file: string(CURLINFO_CAINFO), folder: string(CURLINFO_CAPATH)) {
        case .asConfigured: break
        case .fileAlone: set(CURLOPT_CAPATH, nil)
        case .other(let file):
            set(CURLOPT_CAINFO, file)
            set(CURLOPT_PROXY_CAINFO, file)
        }
        for option in [CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_READDATA, CURLOPT_SEEKDATA] {
            set(option, context)
        }
        _ = libcurl_easy_setopt_data_callback(raw, CURLOPT_HEADERFUNCTION, Self.header)
        _ = libcurl_easy_setopt_data_callback(raw, CURLOPT_WRITEFUNCTION, Self.write)
        _ = libcurl_easy_setopt_data_callback(raw, CURLOPT_READFUNCTION, Self.read)
        _ = libcurl_easy_setopt_seek_callback(raw, CURLOPT_SEEKFUNCTION, Self.seek)
        set(CURLOPT_DEBUGDATA, context)
        _ = libcurl_easy_setopt_debug_callback(raw, CURLOPT_DEBUGFUNCTION, Self.debug)
        if let sockets { useSockets(of: sockets) }
        observeSendings()
    }

    deinit {
        libcurl_easy_cleanup(raw)
        libcurl_slist_free_all(fields)
        libcurl_slist_free_all(proxyFields)
        libcurl_slist_free_all(addresses)
        errorText.deallocate()
    }

    static func of(_ raw: UnsafeMutableRawPointer) -> EasyHandle? {
        // CURLINFO_PRIVATE: what was set above.
        libcurl_easy_getinfo_pointer(raw, CURLINFO_PRIVATE).map {
            Unmanaged<EasyHandle>.fromOpaque($0).takeUnretainedValue()
        }
    }

    // MARK: Setting up

    func set(_ option: Int32, _ value: Int) { _ = libcurl_easy_setopt_long(raw, option, value) }

    func set(_ option: Int32, int64 value: Int64) { _ = libcurl_easy_setopt_int64(raw, option, value) }

    func set(_ option: Int32, _ value: String?) { _ = libcurl_easy_setopt_string(raw, option, value) }

    /// Sets an option that not every libcurl has; false where this one has not.
    func accepts(_ option: Int32, _ value: String) -> Bool { libcurl_easy_setopt_string(raw, option, value) == 0 }

    private func set(_ option: Int32, _ value: UnsafeRawPointer) { _ = libcurl_easy_setopt_pointer(raw, option, value) }

    /// Undoes what the last request has said of method and content.
    func resetMethod() {
        set(CURLOPT_HTTPGET, 1)
        sendsContentWithHead = false
    }

    /// Sets a copy of the content that is to be sent.
    func setContent(_ data: Data) {
        sendsContentWithHead = true
        set(CURLOPT_POSTFIELDSIZE_LARGE, int64: Int64(data.count))
        data.withUnsafeBytes { _ = libcurl_easy_setopt_pointer(raw, CURLOPT_COPYPOSTFIELDS, $0.baseAddress) }
    }

    /// Sets the fields to be sent, in libcurl's notation.
    /// - Parameter lastLine: One more line; nil for none.
    func setFields(_ lines: [String], and lastLine: String?) {
        // One request's are mostly those of the last.
        guard lines != self.lines || lastLine != self.lastLine else { return }
        self.lines = lines
        self.lastLine = lastLine
        let previous = fields
        fields = lines.reduce(nil) { list, line in libcurl_slist_append(list, line) ?? list }
        if let lastLine { fields = libcurl_slist_append(fields, lastLine) ?? fields }
        _ = libcurl_easy_setopt_pointer(raw, CURLOPT_HTTPHEADER, fields.map { UnsafeRawPointer($0) })
        libcurl_slist_free_all(previous)
    }

    /// Sets the fields for a proxy, in libcurl's notation.
    func setProxyFields(_ lines: [String]) {
        let previous = proxyFields
        proxyFields = lines.reduce(nil) { list, line in libcurl_slist_append(list, line) ?? list }
        _ = libcurl_easy_setopt_pointer(raw, CURLOPT_PROXYHEADER, proxyFields.map { UnsafeRawPointer($0) })
        libcurl_slist_free_all(previous)
    }

    /// Has libcurl show the header sections that it takes in itself, or not.
    func watchTunnel(_ isOn: Bool) {
        watchesTunnel = isOn
        set(CURLOPT_VERBOSE, isOn || watchesStreams ? 1 : 0)
    }

    /// Has libcurl tell of HTTP/2 streams, or not; also while a transfer is under way.
    func watchStreams(_ isOn: Bool) {
        guard isOn != watchesStreams else { return }
        watchesStreams = isOn
        set(CURLOPT_VERBOSE, isOn || watchesTunnel ? 1 : 0)
    }

    /// Sets where hosts are to be found, in libcurl's notation; once.
    func setHostAddresses(_ lines: [String]) {
        addresses = lines.reduce(addresses) { list, line in libcurl_slist_append(list, line) ?? list }
        _ = libcurl_easy_setopt_pointer(raw, CURLOPT_RESOLVE, addresses.map { UnsafeRawPointer($0) })
    }

    // MARK: Under way

    /// Pauses either direction; whatever was paused and is not named goes on.
    func pause(receiving: Bool, sending: Bool) {
        _ = libcurl_easy_pause(raw, (receiving ? CURLPAUSE_RECV : 0) | (sending ? CURLPAUSE_SEND : 0))
    }

    // MARK: Results

    /// What libcurl said when the transfer failed; empty if nothing.
    var errorMessage: String { String(cString: errorText) }

    func clearErrorMessage() { errorText.pointee = 0 }

    func long(_ info: Int32) -> Int { libcurl_easy_getinfo_long(raw, info) }

    func int64(_ info: Int32) -> Int64 { libcurl_easy_getinfo_int64(raw, info) }

    func string(_ info: Int32) -> String? { libcurl_easy_getinfo_string(raw, info).map { String(cString: $0) } }

    /// The TLS protocol and cipher suite of its connection, as OpenSSL names them.
    var tls: (version: String?, cipher: String?) {
        (
            libcurl_tls_version(raw).map { String(cString: $0) },
            libcurl_tls_cipher(raw).map { String(cString: $0) }
        )
    }

    // MARK: Callbacks

    private static let header: libcurl_data_callback = { bytes, size, count, context in
        let total = size * count
        guard let client = client(of: context) else { return 0 }
        return client.receiveHeader(UnsafeRawBufferPointer(start: bytes, count: total)) ? total : 0
    }

    private static let write: libcurl_data_callback = { bytes, size, count, context in
        let total = size * count
        guard let client = client(of: context) else { return 0 }
        switch client.receiveContent(UnsafeRawBufferPointer(start: bytes, count: total)) {
        case .taken: return total
        case .paused: return Int(CURL_WRITEFUNC_PAUSE)
        // Any other number than that of the bytes offered.
        case .refused: return total == 0 ? 1 : 0
        }
    }

    private static let read: libcurl_data_callback = { bytes, size, count, context in
        guard let client = client(of: context) else { return Int(CURL_READFUNC_ABORT) }
        switch client.provideContent(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count)) {
        case .bytes(let count): return count
        case .paused: return Int(CURL_READFUNC_PAUSE)
        case .failed: return Int(CURL_READFUNC_ABORT)
        }
    }

    private static let seek: libcurl_seek_callback = { context, offset, origin in
        guard origin == SEEK_SET, let client = client(of: context), client.seekContent(to: offset) else {
            return CURL_SEEKFUNC_FAIL
        }
        return CURL_SEEKFUNC_OK
    }

    private static let debug: libcurl_debug_callback = { _, kind, bytes, size, context in
        guard let handle = handle(of: context) else { return 0 }
        let text = UnsafeRawBufferPointer(start: bytes, count: size)
        if kind == CURLINFO_HEADER_IN, handle.watchesTunnel {
            handle.client?.receiveTunnelHeader(text)
        } else if kind == CURLINFO_TEXT, handle.watchesStreams, let event = StreamEvent(text) {
            handle.client?.receive(event)
        }
        return 0
    }

    private static func handle(of context: UnsafeMutableRawPointer?) -> EasyHandle? {
        context.map { Unmanaged<EasyHandle>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func client(of context: UnsafeMutableRawPointer?) -> (any EasyHandleClient)? {
        handle(of: context)?.client
    }
}
#endif
