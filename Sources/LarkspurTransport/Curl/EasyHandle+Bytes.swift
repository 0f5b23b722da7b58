#if canImport(FoundationNetworking)
internal import CLibcurl

/// A connection as a stream of bytes. That of libcurl is an ``EasyHandle``.
protocol ByteConnection: AnyObject {
    /// The socket of the connection; nil if there is none.
    var socket: Int32? { get }

    /// Sends bytes. If it is not ready, the next call has the same bytes at the same address, which TLS demands.
    func send(_ bytes: UnsafeRawBufferPointer) -> EasyHandle.ByteResult

    /// Receives bytes; none at the end of the stream.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> EasyHandle.ByteResult
}

/// The connection of a transfer as a stream of bytes.
extension EasyHandle: ByteConnection {
    enum ByteResult {
        case bytes(Int)
        /// Nothing can be done before the socket is ready.
        case notReady
        case failed(Int32)
    }

    /// Has libcurl make a connection, through a tunnel if there is a proxy, and send nothing.
    func connectOnly() {
        set(CURLOPT_CONNECT_ONLY, 1)
        set(CURLOPT_HTTPPROXYTUNNEL, 1)
        // Such a connection is never reused, and libcurl would not keep one that is forbidden to be reused.
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
