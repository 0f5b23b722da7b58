#if canImport(FoundationNetworking)
import Foundation
import HTTPSyntax
import Synchronization

@testable import LarkspurTesting

extension CrossingConnection {
    // MARK: WebSocket

    func answerWebSocket(_ head: Head, _ call: Int, _ record: CrossingRecord) throws -> Bool {
        switch record.crossing.response {
        case .silence: return false
        case .redirect where !head.target.contains("/again"):
            let parts = head.target.split(separator: "?", maxSplits: 1)
            try send("307 There", ["Location: \(parts[0])/again?\(parts[1])"], content: "")
            return true
        case .held: hold(call, record)
        default: break
        }
        guard let key = head.values("sec-websocket-key").first.flatMap({ WebSocketKey($0) }) else {
            record.note("call \(call) has no key of a WebSocket")
            return false
        }
        try send(
            "101 Switching Protocols",
            ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: \(key.accept)"]
        )
        if record.crossing.response == .cut {
            try socket.send(Data([0x81, 100, 0x41]))
            return false
        }
        // Echoes short messages, and the close.
        while true {
            while input.count < 2 || input.count < 6 + Int(input[1] & 0x7F) {
                guard try receive() else { return false }
            }
            let length = Int(input[1] & 0x7F)
            let mask = Array(input[2..<6])
            let payload = input[6..<(6 + length)].enumerated().map { $1 ^ mask[$0 % 4] }
            try socket.send(Data([input[0], UInt8(length)] + payload))
            let isClose = input[0] & 0x0F == 8
            input = Data(input[(6 + length)...])
            if isClose { return false }
        }
    }

    // MARK: Tunnels

    /// Connects the client with the port for https, or with the other one, as for a WebSocket.
    func tunnel(isSecure: Bool) throws -> Bool {
        let port = isSecure ? shared.ports.secure : shared.ports.plain
        guard let other = Socket.connected(to: port) else { return false }
        try send("200 OK")
        let (one, two) = (socket, other)
        let hasEnded = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            Self.copy(from: two, to: one)
            hasEnded.signal()
        }
        Self.copy(from: one, to: two)
        hasEnded.wait()
        other.close()
        return false
    }

    private static func copy(from source: Socket, to target: Socket) {
        while let bytes = try? source.receive(), (try? target.send(Data(bytes))) != nil {}
        System.shutDown(target.descriptor, .write)
    }
}

extension Socket {
    /// A connection to a port of this machine.
    fileprivate static func connected(to port: UInt16) -> Socket? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        return isConnected ? Socket(descriptor: descriptor) : nil
    }
}
#endif
