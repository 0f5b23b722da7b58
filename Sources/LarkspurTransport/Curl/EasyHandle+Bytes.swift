#if canImport(FoundationNetworking)
internal import CLibcurl

/// A connection as a stream of bytes. An ``EasyHandle`` provides it for a connection of libcurl's.
protocol ByteConnection: AnyObject {
    /// The socket of the connection; nil if there is none.
    var socket: Int32? { get }

    /// Sends bytes. If the result is `notReady`, the next call must have the same bytes at the same address, as TLS
    /// requires it.
    func send(_ bytes: UnsafeRawBufferPointer) -> EasyHandle.ByteResult

    /// Receives bytes; none at the end of the stream.
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

    /// Has libcurl only make a connection, through a tunnel if there is a proxy. Route, TLS and the checks of the
    /// server are those of a request. libcurl's own WebSockets are not used, because the oldest supported version has
    /// none.
    func connectOnly() {
        set(CURLOPT_CONNECT_ONLY, 1)
        set(CURLOPT_HTTPPROXYTUNNEL, 1)
        // No later transfer uses such a connection. `CURLOPT_FORBID_REUSE` is not set, as libcurl would close it at
        // once.
        connectionUse.makesConnection = true
        servesAgain = false
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
