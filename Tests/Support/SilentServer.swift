package import Foundation

/// A port that says nothing: it accepts connections and never answers, or its queue of connections is full, so that it
/// accepts no more of them.
package final class SilentServer {
    package let port: UInt16
    private let sockets: [Int32]

    /// Fills the same port of the address ::1, where nothing is accepted either. Returns nil without IPv6.
    package func fillSixthVersion() -> AnyObject? {
        let listener = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_addr = in6addr_loopback
        address.sin6_port = port.bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let sockets =
            [listener]
            + (0..<4).map { _ in
                socket(AF_INET6, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
            }
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(listener, address, length) == 0, listen(listener, 0) == 0 else { return false }
                for client in sockets.dropFirst() { _ = connect(client, address, length) }
                return true
            }
        }
        let holder = SocketHolder(sockets)
        return isBound ? holder : nil
    }

    private final class SocketHolder {
        private let sockets: [Int32]

        init(_ sockets: [Int32]) { self.sockets = sockets }

        deinit { for socket in sockets { close(socket) } }
    }

    /// - Parameter isFull: Whether no connection is accepted.
    package init(isFull: Bool) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, isFull ? 0 : 128) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EINVAL) }
        port = UInt16(bigEndian: address.sin_port)
        let copy = address
        // These fill the queue.
        let clients = (0..<(isFull ? 4 : 0)).map { _ in
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
            _ = withUnsafePointer(to: copy) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(client, $0, length) }
            }
            return client
        }
        sockets = [listener] + clients
    }

    deinit { for socket in sockets { close(socket) } }

    /// Returns the URL of the server.
    package func url(scheme: String = "http") throws -> URL {
        guard let url = URL(string: "\(scheme)://127.0.0.1:\(port)/") else { throw URLError(.badURL) }
        return url
    }
}
