package import Foundation

/// A port that says nothing: it accepts connections and never answers, or its queue of connections is full, so that it
/// accepts no more of them.
package final class SilentServer {
    package let port: UInt16
    private let sockets: [Int32]

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
