#if canImport(FoundationNetworking)
import Foundation
import Synchronization

@testable import LarkspurTesting

/// A server that sends the bytes of generated responses, segment by segment, over http. Where OpenSSL is found, it also
/// has a port for https.
final class GeneratedServer: Sendable {
    struct Script: Sendable {
        var wire: GeneratedResponse.Wire
        /// The ends of the segments, as numbers of bytes.
        var ends: [Int]
    }

    /// The values that the threads of the connections use, so that these threads do not retain the server.
    private final class Shared: Sendable {
        let scripts = Mutex<[Int: Script]>([:])
        let isStopped = Atomic(false)
    }

    private let listeners: [Socket]
    private let ports: [UInt16]
    private let identity: ServerIdentity?
    private let shared = Shared()

    /// The certificate in DER; nil without https.
    var certificate: Data? { identity?.certificate }

    /// - Parameter hasTLS: Whether there is a port for https, if OpenSSL is found. Default: true.
    init(hasTLS: Bool = true) throws {
        identity = hasTLS ? try? ServerIdentity(.selfSigned()) : nil
        let listeners = try (0..<(identity == nil ? 1 : 2)).map { _ in try Socket.listening(port: 0, backlog: 1_024) }
        self.listeners = listeners
        ports = try listeners.map { try $0.localPort() }
        for (index, listener) in listeners.enumerated() {
            let (identity, shared) = (index == 1 ? identity : nil, shared)
            Thread.detachNewThread { Self.accept(listener, identity, shared) }
        }
    }

    deinit { stop() }

    func stop() {
        shared.isStopped.store(true, ordering: .releasing)
        for listener in listeners { listener.shutDown() }
    }

    /// Whether a socket's port belongs to the server.
    func owns(port: UInt16) -> Bool { ports.contains(port) }

    func url(_ path: String, isSecure: Bool) throws -> URL {
        let port = ports[isSecure ? ports.count - 1 : 0]
        guard let url = URL(string: "\(isSecure ? "https" : "http")://127.0.0.1:\(port)\(path)") else {
            throw URLError(.badURL)
        }
        return url
    }

    func setScript(_ script: Script?, for number: Int) { shared.scripts.withLock { $0[number] = script } }

    static func usualContent(_ path: String) -> String { "The usual response to \(path)" }

    // MARK: The threads

    private static func accept(_ listener: Socket, _ identity: ServerIdentity?, _ shared: Shared) {
        while (try? System.wait(for: [(listener.descriptor, .readable)], milliseconds: -1)) != nil,
            !shared.isStopped.load(ordering: .acquiring)
        {
            // An error means that the client was gone before it was accepted.
            guard let socket = try? listener.accept(identity) else { continue }
            Thread.detachNewThread {
                defer { socket.close() }
                while let path = try? requestPath(socket) {
                    guard (try? answer(path, on: socket, shared)) == true else { return }
                }
            }
        }
        listener.close()
    }

    /// Reads the header section of a request; nil at the end. The requests have no content.
    private static func requestPath(_ socket: Socket) throws -> String? {
        var bytes: [UInt8] = []
        while !bytes.suffix(4).elementsEqual([13, 10, 13, 10]) {
            guard let more = try socket.receive(atMost: 4_096) else { return nil }
            bytes += more
        }
        let words = bytes.prefix { $0 != 13 }.split(separator: UInt8(ascii: " "))
        return words.count > 1 ? String(decoding: words[1], as: UTF8.self) : nil
    }

    /// Answers a request. Returns whether the connection stays open.
    private static func answer(_ path: String, on socket: Socket, _ shared: Shared) throws -> Bool {
        let parts = path.split(separator: "/")
        guard parts.first == "case", let number = parts.last.flatMap({ Int($0) }),
            let script = shared.scripts.withLock({ $0[number] })
        else {
            let content = usualContent(path)
            try socket.send(Data("HTTP/1.1 200 OK\r\nContent-Length: \(content.utf8.count)\r\n\r\n\(content)".utf8))
            return true
        }
        let wire = script.wire
        var start = 0
        for end in script.ends where end > start {
            try socket.send(Data(wire.bytes[start..<end]))
            start = end
            // The client may read the segment before the next one arrives.
            sched_yield()
        }
        // The client stops long before the end.
        for _ in 0..<(wire.repetition.isEmpty ? 0 : 20_000) { try socket.send(Data(wire.repetition)) }
        switch wire.ending {
        case .open: return true
        case .close: socket.closeAfterDraining(milliseconds: 0)
        case .reset: socket.reset()
        case .cut: socket.close()
        }
        return false
    }
}
#endif
