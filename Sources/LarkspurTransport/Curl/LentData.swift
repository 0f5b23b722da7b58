#if canImport(FoundationNetworking)
internal import CLibcurl
import HTTPSyntax

/// The data to which a handle's options refer. It is stored here because libcurl does not copy it.
struct LentData {
    var url = ParsedURL()
    var fields = LineList()
    var proxyFields = LineList()
    var addresses = LineList()
    /// The lines with the addresses of the session's options.
    var fixedAddresses: [String] = []

    /// Frees the data. Called when the handle no longer exists.
    func free() {
        url.free()
        for list in [fields, proxyFields, addresses] { list.free() }
    }
}

/// The URL of the last transfer, as text and as libcurl has parsed it.
struct ParsedURL {
    private var text = ""
    private var parsed: UnsafeMutableRawPointer?

    /// Sets the URL of the next transfer. If the URL is the same as the last one, libcurl does not have to parse it
    /// again.
    /// - Returns: libcurl's code.
    mutating func replace(with text: String, of handle: UnsafeMutableRawPointer) -> Int32 {
        guard parsed == nil || text != self.text else { return CURLE_OK }
        self.text = text
        return libcurl_easy_set_url(handle, &parsed, text)
    }

    func free() { parsed.map(libcurl_url_free) }
}

/// A list of lines in libcurl's memory. An option of a handle refers to the list until another list is set.
struct LineList {
    private var lines: [String] = []
    private var lastLine: String?
    private var list: OpaquePointer?

    /// Sets an option to these lines. If the option already has the same lines, which is the most common case, this
    /// method does nothing.
    /// - Parameters:
    ///   - lines: The lines, in libcurl's notation.
    ///   - lastLine: One more line. Default: nil, for none.
    ///   - always: Whether the option is set even if it already has the same lines. Default: false.
    /// - Returns: libcurl's code.
    mutating func replace(
        with lines: [String],
        and lastLine: String? = nil,
        for option: Int32,
        of handle: UnsafeMutableRawPointer,
        always: Bool = false
    ) -> Int32 {
        guard always || lines != self.lines || lastLine != self.lastLine else { return CURLE_OK }
        self.lines = lines
        self.lastLine = lastLine
        let previous = list
        list = nil
        var isWhole = lines.allSatisfy { append($0) }
        if isWhole, let lastLine { isWhole = append(lastLine) }
        let result = libcurl_easy_setopt_pointer(handle, option, list.map { UnsafeRawPointer($0) })
        libcurl_slist_free_all(previous)
        return isWhole ? result : CURLE_OUT_OF_MEMORY
    }

    /// Returns false if there is no memory for the line.
    private mutating func append(_ line: String) -> Bool {
        let longer =
            line.hasOctets
            ? libcurl_slist_append(list, line.octets.map { CChar(bitPattern: $0) } + [0])
            : libcurl_slist_append(list, line)
        guard let longer else { return false }
        list = longer
        return true
    }

    func free() { libcurl_slist_free_all(list) }
}

/// A connection as a stream of bytes. An ``EasyHandle`` provides this stream for a connection of libcurl.
protocol ByteConnection: AnyObject {
    /// The socket of the connection; nil if there is none.
    var socket: Int32? { get }

    /// Sends bytes. If the result is `notReady`, the next call must pass the same bytes at the same address, because
    /// TLS requires this.
    func send(_ bytes: UnsafeRawBufferPointer) -> EasyHandle.ByteResult

    /// Receives bytes. At the end of the stream, their number is 0.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> EasyHandle.ByteResult
}

/// The connection of a transfer as a stream of bytes.
extension EasyHandle: ByteConnection {
    enum ByteResult {
        case bytes(Int)
        /// Nothing can be sent or received before the socket is ready.
        case notReady
        case failed(Int32)
    }

    /// Configures libcurl to open a connection without a request. If there is a proxy, the connection uses a tunnel.
    /// Route, TLS and the checks of the server are the same as for a request. The engine does not use libcurl's own
    /// WebSockets, because the oldest supported version does not have them.
    func connectOnly() {
        set(CURLOPT_CONNECT_ONLY, 1)
        set(CURLOPT_HTTPPROXYTUNNEL, 1)
        // `CURLOPT_FORBID_REUSE` is not set, because libcurl would then close the connection immediately. The option is
        // not needed, because no later transfer uses such a connection.
        connectionUse.makesConnection = true
        reuse.isClean = false
    }

    var socket: Int32? {
        let socket = libcurl_easy_socket(raw)
        return socket < 0 ? nil : socket
    }

    func send(_ bytes: UnsafeRawBufferPointer) -> ByteResult {
        guard let start = bytes.baseAddress else { return .bytes(0) }
        var count = 0
        let result = libcurl_easy_send(raw, start, bytes.count, &count)
        if count > 0 || result == CURLE_OK { return .bytes(count) }
        return result == CURLE_AGAIN ? .notReady : .failed(result)
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) -> ByteResult {
        guard let start = buffer.baseAddress else { return .bytes(0) }
        var count = 0
        let result = libcurl_easy_receive(raw, start, buffer.count, &count)
        if result == CURLE_OK { return .bytes(count) }
        return result == CURLE_AGAIN ? .notReady : .failed(result)
    }
}
#endif
