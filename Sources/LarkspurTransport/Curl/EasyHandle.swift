#if canImport(FoundationNetworking)
internal import CLibcurl

/// The receiver of a transfer's events. It is called on the loop's thread, from within libcurl.
protocol EasyHandleClient: AnyObject {
    /// The transfer, as the owner of the connections that libcurl opens for it.
    var owner: ConnectionOwner { get }

    /// Receives a line of a header or trailer section, with its line end. Returns false to stop the transfer.
    func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool

    /// Receives content without decoding it.
    func receiveContent(_ bytes: UnsafeRawBufferPointer) -> EasyHandle.Reception

    /// Fills a buffer with the next bytes to send.
    func provideContent(into buffer: UnsafeMutableRawBufferPointer) -> EasyHandle.Provision

    /// Moves to an offset in the content, because libcurl has to send it again. Returns false if that is not possible.
    func seekContent(to offset: Int64) -> Bool

    /// The lines of the trailer section that follows the content; empty without one.
    var trailerLines: [String] { get }

    /// Decides whether the request may be sent on the connection that libcurl has chosen. Returns false to stop the
    /// transfer. libcurl before 7.80 does not call this method.
    /// - Parameter isStale: Whether the connection was used before, and was then closed or has received bytes that do
    ///   not belong to a response.
    func maySend(onStaleConnection isStale: Bool) -> Bool

    /// Receives a line of a header section. The lines of the proxy come before the lines of the server. Only called if
    /// tunnels are watched.
    func receiveTunnelHeader(_ line: UnsafeRawBufferPointer)

    /// Receives an event of a stream. The stream may belong to another transfer on the same connection. Only called if
    /// streams are watched.
    func receive(_ event: StreamEvent)

    /// Receives the notification that libcurl no longer watches the socket of the transfer.
    func socketReleased()

    /// Receives the notification that no connection may be opened to an address of the server. This call does not come
    /// from within libcurl.
    func addressRefused()

    /// Receives libcurl's result when the transfer has ended. This call does not come from within libcurl.
    func transferEnded(_ result: Int32)
}

/// An easy handle of libcurl. It performs one transfer after the other. Options that never change are set only once.
///
/// The handle belongs to the loop's thread.
final class EasyHandle {
    enum Reception {
        case taken
        /// No bytes were taken. The transfer pauses, and offers the same bytes again when it continues.
        case paused
        case refused
    }

    enum Provision {
        /// The number of provided bytes; 0 at the end.
        case bytes(Int)
        case paused
        case failed
    }

    /// The size of libcurl's receive buffer in bytes. libcurl allocates the buffer for every transfer. If the buffer
    /// were twice as large, malloc would return its memory to the system each time.
    static let bufferSize = 1 << 16

    let raw: UnsafeMutableRawPointer
    @exclusivity(unchecked) var client: (any EasyHandleClient)?
    @exclusivity(unchecked) private var lent = LentData()
    /// The credentials of the last transfer; nil if it had none.
    @exclusivity(unchecked) var credentials = Boxed<Credentials>()
    @exclusivity(unchecked) var route = Route()
    /// The use of connections by the current transfer.
    @exclusivity(unchecked) var connectionUse = ConnectionUse() {
        didSet { if connectionUse != oldValue { connectionUse.apply(to: self) } }
    }
    @exclusivity(unchecked) var security = Security()
    /// The parts of libcurl's trace that the engine reads.
    @exclusivity(unchecked) var trace = Trace() {
        didSet { if trace.isOn != oldValue.isOn { set(CURLOPT_VERBOSE, trace.isOn ? 1 : 0) } }
    }
    let support: ConnectionSupport
    /// The name of the watch of the connection's close; nil if the close is not watched.
    @exclusivity(unchecked) var watchedConnection: UInt?
    /// The state that determines whether another request may use the handle.
    @exclusivity(unchecked) var reuse = Reuse()
    /// Whether libcurl asks the client before it sends a request.
    @exclusivity(unchecked) var seesSendings = false
    @exclusivity(unchecked) private(set) var course = Course()
    private let errorText: UnsafeMutablePointer<CChar>
    /// The addresses for connections of the current transfer.
    @exclusivity(unchecked) var addresses = Addresses()

    struct Addresses {
        /// The addresses to which the transfer has tried to connect.
        var tried: [String] = []
        /// The first address to which the transfer was not allowed to connect; nil if there is none.
        var refused: ConnectionAddress?
    }

    /// Creates a handle; nil if memory has run out.
    init?(support: ConnectionSupport) {
        guard let raw = libcurl_easy_init() else { return nil }
        self.raw = raw
        self.support = support
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        let context = Unmanaged.passUnretained(self).toOpaque()
        set(CURLOPT_PRIVATE, context)
        set(CURLOPT_ERRORBUFFER, errorText)
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_NOPROGRESS, 1)
        set(CURLOPT_BUFFERSIZE, Self.bufferSize)
        set(CURLOPT_UPLOAD_BUFFERSIZE, 1 << 18)
        set(CURLOPT_PROTOCOLS, Int(CURLPROTO_HTTP | CURLPROTO_HTTPS))
        set(CURLOPT_PATH_AS_IS, 1)
        set(CURLOPT_HTTP09_ALLOWED, 0)
        // ``FramedContent`` decodes the chunks. libcurl would read the size `0x5` as 0, which is the size of the last
        // chunk.
        set(CURLOPT_HTTP_TRANSFER_DECODING, 0)
        // The responses to `CONNECT` are read from the trace, so that a proxy cannot forge a response of the server.
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // The table of sockets sets the times of probes, which libcurl would replace with its own.
        set(CURLOPT_TCP_KEEPALIVE, support.sockets.watch == nil ? 1 : 0)
        // Without this option, the removal of a transfer would wait for a look-up of its host. Older versions of
        // libcurl do not have the option.
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
        receiveTrace()
        set(CURLOPT_SHARE, support.share)
        useSockets(of: support.sockets)
        observeSendings()
    }

    deinit {
        libcurl_easy_cleanup(raw)
        lent.free()
        errorText.deallocate()
    }

    static func of(_ raw: UnsafeMutableRawPointer) -> EasyHandle? {
        // The initialiser sets CURLINFO_PRIVATE.
        libcurl_easy_getinfo_pointer(raw, CURLINFO_PRIVATE).map {
            Unmanaged<EasyHandle>.fromOpaque($0).takeUnretainedValue()
        }
    }

    // MARK: Setting up

    func set(_ option: Int32, _ value: Int) { note(libcurl_easy_setopt_long(raw, option, value)) }

    func set(_ option: Int32, int64 value: Int64) { note(libcurl_easy_setopt_int64(raw, option, value)) }

    func set(_ option: Int32, _ value: String?) { note(libcurl_easy_setopt_string(raw, option, value)) }

    /// Sets the URL of the next transfer.
    func setURL(_ text: String) { note(lent.url.replace(with: text, of: raw)) }

    /// Sets an option that not every libcurl has. Returns false if the loaded libcurl does not have it.
    func accepts(_ option: Int32, _ value: String) -> Bool { libcurl_easy_setopt_string(raw, option, value) == 0 }

    private func set(_ option: Int32, _ value: UnsafeRawPointer) {
        note(libcurl_easy_setopt_pointer(raw, option, value))
    }

    /// Records that libcurl could not set an option because memory has run out. Without the option, the request would
    /// lack fields, its content or its method.
    private func note(_ result: Int32) {
        if result == CURLE_OUT_OF_MEMORY { reuse.lacksOptions = true }
    }

    /// Resets the method and the content of the last request.
    func resetMethod() {
        set(CURLOPT_HTTPGET, 1)
        course.sendsContentWithHead = false
    }

    /// Sets a copy of the content to send.
    func setContent(_ data: Data) {
        course.sendsContentWithHead = true
        set(CURLOPT_POSTFIELDSIZE_LARGE, int64: Int64(data.count))
        data.withUnsafeBytes { note(libcurl_easy_setopt_pointer(raw, CURLOPT_COPYPOSTFIELDS, $0.baseAddress)) }
    }

    /// Makes libcurl ask for trailers at the end of the content. libcurl asks only if the content has no length and is
    /// sent over HTTP/1.1.
    func useTrailers() {
        set(CURLOPT_TRAILERDATA, Unmanaged.passUnretained(self).toOpaque())
        // The option is not reset, because a handle that has sent content of a producer is not used for another
        // request.
        _ = libcurl_easy_setopt_trailer_callback(raw, CURLOPT_TRAILERFUNCTION, Self.trailers)
    }

    /// Sets the fields of the request, in libcurl's notation.
    /// - Parameter lastLine: One more line; nil for none.
    func setFields(_ lines: [String], and lastLine: String?) {
        note(lent.fields.replace(with: lines, and: lastLine, for: CURLOPT_HTTPHEADER, of: raw))
    }

    /// Sets the fields for a proxy, in libcurl's notation.
    func setProxyFields(_ lines: [String]) {
        note(lent.proxyFields.replace(with: lines, for: CURLOPT_PROXYHEADER, of: raw))
    }

    /// Sets the addresses of hosts, in libcurl's notation. Called once.
    func setHostAddresses(_ lines: [String]) {
        lent.fixedAddresses = lines
        note(lent.addresses.replace(with: lines, for: CURLOPT_RESOLVE, of: raw))
    }

    /// Sets the addresses of the next transfer's host, in libcurl's notation. libcurl reads the option only once, so it
    /// is set for each transfer.
    func setResolvedAddresses(_ lines: [String]) {
        note(lent.addresses.replace(with: lent.fixedAddresses + lines, for: CURLOPT_RESOLVE, of: raw, always: true))
    }

    // MARK: Under way

    /// Pauses the given directions, and resumes the other directions. When receiving resumes, libcurl passes on the
    /// data that it has buffered.
    /// - Returns: libcurl's result if the client has refused this data or memory has run out; otherwise `CURLE_OK`. In
    ///   these cases, libcurl does not end the transfer.
    func pause(receiving: Bool, sending: Bool) -> Int32 {
        course.mustTake = !receiving && Libcurl.failsRepeatedPauses
        defer { course.mustTake = false }
        let directions = (receiving ? CURLPAUSE_RECV : 0) | (sending ? CURLPAUSE_SEND : 0)
        let result = libcurl_easy_pause(raw, directions)
        // Any other result means that there is no connection.
        return result == CURLE_WRITE_ERROR || result == CURLE_OUT_OF_MEMORY ? result : CURLE_OK
    }

    /// The state of the current transfer.
    struct Course {
        /// Whether libcurl has a copy of the content, which it sends together with the header section.
        fileprivate(set) var sendsContentWithHead = false
        /// Whether the client must not pause the transfer now (``Libcurl/failsRepeatedPauses``).
        fileprivate(set) var mustTake = false
    }

    // MARK: Results

    /// libcurl's message for a transfer that failed; empty if there is none.
    var errorMessage: String { String(cString: errorText) }

    /// Clears the message and the addresses of the last transfer.
    func clearFailure() {
        errorText.pointee = 0
        addresses.tried.removeAll(keepingCapacity: true)
        addresses.refused = nil
    }

    func long(_ info: Int32) -> Int { libcurl_easy_getinfo_long(raw, info) }

    func int64(_ info: Int32) -> Int64 { libcurl_easy_getinfo_int64(raw, info) }

    func string(_ info: Int32) -> String? { libcurl_easy_getinfo_string(raw, info).map { String(cString: $0) } }

    /// The TLS version, cipher suite and group of the connection, under OpenSSL's names.
    var tls: (version: String?, cipher: String?, group: String?) {
        (
            libcurl_tls_version(raw).map { String(cString: $0) },
            libcurl_tls_cipher(raw).map { String(cString: $0) },
            libcurl_tls_group(raw).map { String(cString: $0) }
        )
    }

    // MARK: Callbacks

    /// Usually, each call has one line. The first call after a pause of the receiving may have several lines that have
    /// arrived during the pause.
    private static let header: libcurl_data_callback = { bytes, size, count, context in
        let section = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
        guard let handle = handle(of: context), let client = handle.client else { return 0 }
        var rest = section
        repeat {
            let line = UnsafeMutableRawBufferPointer(rebasing: rest.prefix(lengthOfLine(in: rest)))
            if Libcurl.remembersFreedFields { handle.watchFirstField(after: line) }
            guard client.receiveHeader(UnsafeRawBufferPointer(line)) else { return 0 }
            rest = UnsafeMutableRawBufferPointer(rebasing: rest.dropFirst(line.count))
        } while !rest.isEmpty
        return section.count
    }

    /// The number of bytes up to the first line feed.
    private static func lengthOfLine(in bytes: UnsafeMutableRawBufferPointer) -> Int {
        guard let start = bytes.baseAddress, let end = memchr(start, 0x0A, bytes.count) else { return bytes.count }
        return start.distance(to: end) + 1
    }

    private static let write: libcurl_data_callback = { bytes, size, count, context in
        let total = size * count
        guard let client = handle(of: context)?.client else { return 0 }
        switch client.receiveContent(UnsafeRawBufferPointer(start: bytes, count: total)) {
        case .taken: return total
        case .paused: return Int(CURL_WRITEFUNC_PAUSE)
        // A result other than the number of offered bytes means a failure.
        case .refused: return total == 0 ? 1 : 0
        }
    }

    private static let read: libcurl_data_callback = { bytes, size, count, context in
        guard let client = handle(of: context)?.client else { return Int(CURL_READFUNC_ABORT) }
        switch client.provideContent(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count)) {
        case .bytes(let count): return count
        case .paused: return Int(CURL_READFUNC_PAUSE)
        case .failed: return Int(CURL_READFUNC_ABORT)
        }
    }

    private static let seek: libcurl_seek_callback = { context, offset, origin in
        guard origin == SEEK_SET, let client = handle(of: context)?.client, client.seekContent(to: offset) else {
            return CURL_SEEKFUNC_FAIL
        }
        return CURL_SEEKFUNC_OK
    }

    private static let trailers: libcurl_trailer_callback = { lines, context in
        guard let client = handle(of: context)?.client else { return CURL_TRAILERFUNC_ABORT }
        for line in client.trailerLines {
            guard let longer = libcurl_slist_append(lines.pointee, line) else { return CURL_TRAILERFUNC_ABORT }
            lines.pointee = longer
        }
        return CURL_TRAILERFUNC_OK
    }

    static func handle(of context: UnsafeMutableRawPointer?) -> EasyHandle? {
        context.map { Unmanaged<EasyHandle>.fromOpaque($0).takeUnretainedValue() }
    }
}
#endif
