#if canImport(FoundationNetworking)
import Foundation
import HTTPSyntax
import Synchronization

@testable import LarkspurTesting

/// A server of crossings over HTTP/1.1, which is also a proxy for plain requests and for tunnels to itself.
///
/// It takes each byte of a connection for a part of a request of a known call, and records what is none. Content that
/// a response has left unread is read before the next request, as RFC 9112, section 9.3, has it.
final class CrossingServer: Sendable {
    /// The values that the threads of the connections use, so that these threads do not retain the server.
    final class Shared: Sendable {
        let records = Mutex<[Int: CrossingRecord]>([:])
        let isStopped = Atomic(false)
        let ports: (plain: UInt16, secure: UInt16)

        init(ports: (plain: UInt16, secure: UInt16)) { self.ports = ports }
    }

    /// The host of URLs that are asked for through the proxy.
    static let host = "crossing.test"
    static let otherHost = "next.test"
    /// The number of bytes of content that a response has before it is cut.
    static let cutLength = 300_000

    let port: UInt16
    private let listeners: [Socket]
    private let identity: ServerIdentity?
    private let shared: Shared

    /// The certificate in DER; nil without OpenSSL.
    var certificate: Data? { identity?.certificate }

    init() throws {
        identity = try? ServerIdentity(.selfSigned(hosts: [Self.host, Self.otherHost]))
        listeners = try (0..<2).map { _ in try Socket.listening(port: 0, backlog: 1_024) }
        port = try listeners[0].localPort()
        shared = Shared(ports: (port, try listeners[1].localPort()))
        for (index, listener) in listeners.enumerated() {
            let (identity, shared) = (index == 1 ? identity : nil, shared)
            Thread.detachNewThread { Self.accept(listener, identity, shared) }
        }
    }

    deinit {
        shared.isStopped.store(true, ordering: .releasing)
        for listener in listeners { listener.shutDown() }
    }

    func add(_ record: CrossingRecord) { shared.records.withLock { $0[record.number] = record } }

    func remove(_ record: CrossingRecord) { shared.records.withLock { $0[record.number] = nil } }

    private static func accept(_ listener: Socket, _ identity: ServerIdentity?, _ shared: Shared) {
        while (try? System.wait(for: [(listener.descriptor, .readable)], milliseconds: -1)) != nil,
            !shared.isStopped.load(ordering: .acquiring)
        {
            // An error means that the client was gone before it was accepted.
            guard let socket = try? listener.accept(identity) else { continue }
            Thread.detachNewThread {
                CrossingConnection(socket, shared).serve()
                socket.close()
            }
        }
        listener.close()
    }
}
#endif
