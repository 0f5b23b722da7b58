import Foundation

#if canImport(Glibc)
import Glibc

private let streamType = Int32(SOCK_STREAM.rawValue)
private let withoutSignal = Int32(MSG_NOSIGNAL)
#else
import Darwin

private let streamType = SOCK_STREAM
private let withoutSignal: Int32 = 0
#endif

/// A server that sends the content of each request back while it receives it: the same bytes, with the same framing, so
/// that trailers come back too. It has small buffers, and receives nothing while the client does not read.
///
/// `LoopbackServer` reads the whole content of a request before it responds.
final class EchoServer: Sendable {
    let port: UInt16
    private let listener: Int32

    init() throws {
        let listener = socket(AF_INET, streamType, 0)
        self.listener = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let failed = withUnsafeMutableBytes(of: &address) { bytes in
            guard let address = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress else { return true }
            return bind(listener, address, size) != 0 || listen(listener, 64) != 0
                || getsockname(listener, address, &size) != 0
        }
        if failed { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread {
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                Thread.detachNewThread { Connection(descriptor: connection).serve() }
            }
            close(listener)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// The URL of the server.
    var baseURL: URL {
        var components = URLComponents()
        (components.scheme, components.host, components.port) = ("http", "127.0.0.1", Int(port))
        return components.url ?? URL(filePath: "/")
    }
}

/// One connection, which serves one request.
private struct Connection {
    let descriptor: Int32

    func serve() {
        defer { close(descriptor) }
        set(IPPROTO_TCP, TCP_NODELAY, 1)
        set(SOL_SOCKET, SO_SNDBUF, 1 << 17)
        set(SOL_SOCKET, SO_RCVBUF, 1 << 17)
        var received = Data()
        while received.range(of: Data("\r\n\r\n".utf8)) == nil {
            guard let bytes = receive() else { return }
            received += bytes
        }
        guard let end = received.range(of: Data("\r\n\r\n".utf8)) else { return }
        let fields = String(decoding: received[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n").dropFirst()
        let framing = fields.filter {
            $0.lowercased().hasPrefix("content-length:") || $0.lowercased().hasPrefix("transfer-encoding:")
        }
        let head = ["HTTP/1.1 200 OK", "Connection: close"] + framing.map { String($0) } + ["", ""]
        guard send(Data(head.joined(separator: "\r\n").utf8)), send(received[end.upperBound...]) else { return }
        // The client closes the connection when it has the end of the content.
        while let bytes = receive(), send(bytes) {}
    }

    private func set(_ level: some BinaryInteger, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, Int32(level), option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    private func receive() -> Data? {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? Data(bytes.prefix(count)) : nil
    }

    private func send(_ data: Data) -> Bool {
        data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                #if canImport(Glibc)
                let sent = Glibc.send(descriptor, part.baseAddress, part.count, withoutSignal)
                #else
                let sent = Darwin.send(descriptor, part.baseAddress, part.count, withoutSignal)
                #endif
                guard sent > 0 else { return false }
                rest = rest.dropFirst(sent)
            }
            return true
        }
    }
}
