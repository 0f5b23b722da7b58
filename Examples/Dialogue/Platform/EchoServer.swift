#if canImport(FoundationNetworking)
import Foundation

/// A server that reads a request and sends its response at the same time, over HTTP/1.1. It sends each line of the
/// request's content back in upper case, as soon as the line has arrived.
///
/// The trailers of the response are the trailer `X-Lines` of the request, and the number of lines that have arrived.
/// `LoopbackServer` reads a request to its end before it responds, so the example cannot use it.
final class EchoServer: Sendable {
    /// The URL of the server, at a free port of 127.0.0.1.
    let url: String
    private let listener: Int32

    init() throws {
        // The number of SOCK_STREAM, which is an enum in some C libraries and a number in others.
        let listener = try Self.check(socket(AF_INET, 1, 0))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = try Self.check(bind(listener, address, length))
                _ = try Self.check(listen(listener, 16))
                _ = try Self.check(getsockname(listener, address, &length))
            }
        }
        self.listener = listener
        url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/"
        Thread.detachNewThread {
            while true {
                let socket = accept(listener, nil, nil)
                if socket < 0 { break }
                Thread.detachNewThread { Conversation(socket).run() }
            }
            close(listener)
        }
    }

    /// Accepts no more connections.
    func stop() { _ = shutdown(listener, Int32(SHUT_RDWR)) }

    private static func check(_ result: Int32) throws -> Int32 {
        if result < 0 { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return result
    }
}

/// One connection with one request and its response, on a thread of its own.
private struct Conversation {
    private let socket: Int32
    private var received: [UInt8] = []

    init(_ socket: Int32) { self.socket = socket }

    consuming func run() {
        defer { close(socket) }
        var head = 0
        while let line = readLine(), !line.isEmpty { head += 1 }
        guard head > 0 else { return }
        // The client gets the head before it has written a line.
        say("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n")
        say("Trailer: X-Lines, X-Lines-Received\r\nConnection: close\r\n\r\n")
        var rest: [UInt8] = []
        var count = 0
        while let size = readLine().flatMap({ Int($0, radix: 16) }), size > 0 {
            guard let bytes = read(size), readLine() == "" else { return }
            rest += bytes
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: rest[..<end], as: UTF8.self).uppercased() + "\n"
                rest.removeSubrange(...end)
                count += 1
                say("\(String(line.utf8.count, radix: 16))\r\n\(line)\r\n")
            }
        }
        var said = "none"
        while let line = readLine(), !line.isEmpty {
            if line.lowercased().hasPrefix("x-lines:") { said = line.dropFirst(8).trimmingCharacters(in: .whitespaces) }
        }
        say("0\r\nX-Lines: \(said)\r\nX-Lines-Received: \(count)\r\n\r\n")
    }

    /// Reads a line, without its end; nil if the client has disconnected.
    private mutating func readLine() -> String? {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                let line = received[..<end].filter { $0 != UInt8(ascii: "\r") }
                received.removeSubrange(...end)
                return String(decoding: line, as: UTF8.self)
            }
            guard receive() else { return nil }
        }
    }

    /// Reads a number of bytes; nil if the client has disconnected.
    private mutating func read(_ count: Int) -> [UInt8]? {
        while received.count < count {
            guard receive() else { return nil }
        }
        defer { received.removeFirst(count) }
        return Array(received.prefix(count))
    }

    private mutating func receive() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(socket, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        received += buffer.prefix(count)
        return true
    }

    /// Sends text. If the client has disconnected, nothing is sent.
    private func say(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
#endif
