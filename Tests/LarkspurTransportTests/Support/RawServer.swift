#if canImport(FoundationNetworking)
import Foundation
import Synchronization

/// A server that does with a connection what a test says, byte by byte: for what no HTTP server would do.
final class RawServer: Sendable {
    /// A connection, used by the thread that serves it.
    struct Connection: Sendable {
        fileprivate let descriptor: Int32

        /// Reads until so many bytes have come, or the end; returns them.
        @discardableResult
        func read(atLeast count: Int) -> Data { read { $0.count >= count } }

        /// Reads so many bytes, or less at the end of the connection, and leaves those that follow.
        func read(exactly count: Int) -> Data {
            var data = Data()
            var buffer = [UInt8](repeating: 0, count: 1 << 14)
            while data.count < count {
                let received = recv(descriptor, &buffer, min(buffer.count, count - data.count), 0)
                guard received > 0 else { break }
                data += buffer[..<received]
            }
            return data
        }

        /// Reads a request's head.
        @discardableResult
        func readHead() -> Data { read { $0.range(of: Data("\r\n\r\n".utf8)) != nil } }

        /// Reads a request with its content, which has a length or comes in chunks; less at the end of the connection.
        @discardableResult
        func readRequest() -> Data { read(until: RawServer.isWhole) }

        /// Says that nothing more will come.
        func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

        /// Resets the connection.
        func reset() {
            // To connect a socket of TCP to no address ends its connection with a RST.
            var none = sockaddr()
            none.sa_family = sa_family_t(AF_UNSPEC)
            _ = connect(descriptor, &none, socklen_t(MemoryLayout<sockaddr>.size))
        }

        /// Drops all packets that arrive from now on, as if this machine were gone: none is confirmed.
        func vanish() { RawServer.vanish(descriptor) }

        private func read(until isEnough: (Data) -> Bool) -> Data {
            var data = Data()
            var buffer = [UInt8](repeating: 0, count: 1 << 14)
            while !isEnough(data) {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                guard count > 0 else { break }
                data += buffer[..<count]
            }
            return data
        }

        func write(_ text: String) { write(Data(text.utf8)) }

        /// Returns whether the client took it all.
        @discardableResult
        func write(_ data: Data) -> Bool {
            var rest = data[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    let port: Int
    private let listener: Int32
    private let isStopped = Mutex(false)

    var url: URL { URL(string: "http://127.0.0.1:\(port)/") ?? URL(filePath: "/") }

    /// - Parameter serve: Serves a connection, on a thread of its own; it is closed afterwards.
    init(_ serve: @escaping @Sendable (Connection) -> Void) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard listener >= 0, isListening else { throw POSIXError(.EADDRINUSE) }
        self.listener = listener
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread {
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else { break }
                Thread.detachNewThread {
                    serve(Connection(descriptor: descriptor))
                    shutdown(descriptor, Int32(SHUT_WR))
                    // What still arrives is read, as closing would reset the connection before the answer was read.
                    Connection(descriptor: descriptor).read(atLeast: .max)
                    close(descriptor)
                }
            }
            close(listener)
        }
    }

    /// Drops all packets that arrive from now on at a socket, by a filter of the system.
    static func vanish(_ descriptor: Int32) {
        // The only instruction of the filter returns 0, the number of bytes to keep (BPF_RET | BPF_K).
        var instruction: (code: UInt16, jumps: UInt16, value: UInt32) = (6, 0, 0)
        withUnsafePointer(to: &instruction) { start in
            var filter: (count: UInt16, start: UnsafeRawPointer) = (1, UnsafeRawPointer(start))
            let size = socklen_t(MemoryLayout.size(ofValue: filter))
            setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &filter, size)
        }
    }

    private static func isWhole(_ request: Data) -> Bool {
        guard let end = request.range(of: Data("\r\n\r\n".utf8)) else { return false }
        let lines = String(decoding: request[..<end.lowerBound], as: UTF8.self).lowercased().split(separator: "\r\n")
        if lines.contains("transfer-encoding: chunked") {
            guard lines.contains(where: { $0.hasPrefix("trailer: ") }) else {
                return request.suffix(5) == Data("0\r\n\r\n".utf8)
            }
            // The trailers of the tests are short.
            let rest = request[end.upperBound...].suffix(100)
            return rest.suffix(4) == Data("\r\n\r\n".utf8) && rest.range(of: Data("0\r\nX-".utf8)) != nil
        }
        let length = lines.compactMap { $0.hasPrefix("content-length: ") ? Int($0.dropFirst(16)) : nil }.first
        return request.count - end.upperBound >= length ?? 0
    }

    deinit { stop() }

    func stop() {
        let mustStop = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return !isStopped
        }
        if mustStop { shutdown(listener, Int32(SHUT_RDWR)) }
    }
}
#endif
