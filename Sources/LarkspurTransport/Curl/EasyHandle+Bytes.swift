#if canImport(FoundationNetworking)
internal import CLibcurl

/// A connection as a stream of bytes. An ``EasyHandle`` provides it for a connection of libcurl.
protocol ByteConnection: AnyObject {
    /// The socket of the connection; nil if there is none.
    var socket: Int32? { get }

    /// Sends bytes. If the result is `notReady`, the next call must have the same bytes at the same address, because
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

    /// Configures libcurl to open a connection and do nothing else. If there is a proxy, the connection goes through a
    /// tunnel. Route, TLS and the checks of the server are the same as for a request. The engine does not use libcurl's
    /// own WebSockets, because the oldest supported version has none.
    func connectOnly() {
        set(CURLOPT_CONNECT_ONLY, 1)
        set(CURLOPT_HTTPPROXYTUNNEL, 1)
        // `CURLOPT_FORBID_REUSE` is not set, because libcurl would then close the connection at once. The option is not
        // needed, because no later transfer uses such a connection.
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
