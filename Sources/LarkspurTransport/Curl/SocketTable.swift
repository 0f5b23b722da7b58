#if canImport(FoundationNetworking)
internal import CLibcurl
import HTTPSyntax

/// The sockets of a session's connections. The table creates the sockets, so that child processes do not inherit them.
/// It also finds the sockets of a connection by the local port.
///
/// The search is needed because libcurl 7.88 reports the socket of a transfer (`CURLINFO_ACTIVESOCKET`) only after the
/// transfer. The table belongs to the loop's thread, and exists longer than all connections.
final class SocketTable {
    private let poll: EventPoll
    /// The watch for lost machines; nil if there is none.
    let watch: PeerWatch?
    /// The sockets that were not yet connected at the last check.
    @exclusivity(unchecked) private var unplaced: [Int32] = []
    /// The connected sockets by their local ports. Sockets without a port, such as Unix-domain sockets, are stored at
    /// 0.
    @exclusivity(unchecked) private var socketsByPort: [Int: [Int32]] = [:]
    @exclusivity(unchecked) private var ports: [Int32: Int] = [:]
    @exclusivity(unchecked) private var openings: [Int32: Opening] = [:]

    /// The beginning of a connection.
    struct Opening {
        /// The transfer for which the connection was opened.
        let user: ConnectionOwner
        let time: LoopTime
    }

    init(poll: EventPoll, watch: PeerWatch?) {
        self.poll = poll
        self.watch = watch
    }

    /// The sockets that are open, with the beginnings of their connections.
    var all: [Int32: Opening] { openings }

    fileprivate func makeSocket(_ type: libcurl_socket_type, for user: ConnectionOwner) -> Int32 {
        let descriptor = socket(type.family, type.type | Int32(SOCK_CLOEXEC.rawValue), type.protocol)
        guard descriptor >= 0 else { return descriptor }
        if let watch, type.type == Int32(SOCK_STREAM.rawValue), type.family != AF_UNIX { watch.configure(descriptor) }
        unplaced.append(descriptor)
        openings[descriptor] = Opening(user: user, time: .now)
        poll.noteOpening(of: descriptor)
        return descriptor
    }

    fileprivate func closeSocket(_ socket: Int32) -> Int32 {
        openings[socket] = nil
        if let port = ports.removeValue(forKey: socket) {
            socketsByPort[port]?.removeAll { $0 == socket }
            if socketsByPort[port]?.isEmpty == true { socketsByPort[port] = nil }
        } else {
            unplaced.removeAll { $0 == socket }
        }
        poll.noteClosing(of: socket)
        return close(socket)
    }

    /// Returns the sockets that may belong to a connection. There is exactly one such socket, with two exceptions:
    /// Unix-domain sockets, and a port that is used for connections to several servers.
    /// - Parameter port: The local port of the connection; 0 for a socket without a port.
    func sockets(at port: Int) -> [Int32] {
        if !unplaced.isEmpty { place() }
        return socketsByPort[port] ?? []
    }

    /// Returns the sockets that may belong to a connection, with the times of their opening, if all of them were opened
    /// before a time. Otherwise returns nothing.
    func connection(at port: Int, openedBefore time: LoopTime) -> [OpenSocket] {
        let sockets = sockets(at: port).compactMap { socket in
            openings[socket].map { OpenSocket(number: socket, opening: $0.time) }
        }
        return sockets.allSatisfy { $0.opening < time } ? sockets : []
    }

    /// Whether a socket has not been closed since it was found.
    func isOpen(_ socket: OpenSocket) -> Bool { openings[socket.number]?.time == socket.opening }

    /// Whether the other machine is silent on a connection. The system has sent bytes two more times (RFC 6298), or two
    /// probes, and has received no confirmation. The first confirmation ends this state.
    ///
    /// After the second repetition, at least 0.6 seconds have passed since the bytes were first sent. On a slow path,
    /// the time is longer.
    static func hasSilentPeer(_ socket: Int32) -> Bool {
        // The beginning of tcp_info: the state, the state of congestion control, the retransmissions, and the probes.
        var information: (UInt8, UInt8, UInt8, UInt8) = (0, 0, 0, 0)
        var length = socklen_t(MemoryLayout.size(ofValue: information))
        let isKnown = getsockopt(socket, Int32(IPPROTO_TCP), TCP_INFO, &information, &length) == 0 && length == 4
        return isKnown && max(information.2, information.3) >= 2
    }

    private func place() {
        unplaced.removeAll { socket in
            guard let port = Self.localPort(of: socket) else { return false }
            ports[socket] = port
            socketsByPort[port, default: []].append(socket)
            return true
        }
    }

    /// Returns the local port of a socket; nil if the socket is not yet connected.
    private static func localPort(of socket: Int32) -> Int? {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &address) { bytes in
            guard let start = bytes.baseAddress,
                getsockname(socket, start.assumingMemoryBound(to: sockaddr.self), &length) == 0
            else { return nil }
            switch Int32(start.load(as: sa_family_t.self)) {
            // The port has the same offset in both structures.
            case AF_INET, AF_INET6:
                let port = Int(UInt16(bigEndian: start.load(fromByteOffset: 2, as: UInt16.self)))
                return port > 0 ? port : nil
            default: return 0
            }
        }
    }
}

/// An open socket. The system may give its number to another socket after it was closed.
struct OpenSocket: Sendable {
    let number: Int32
    let opening: LoopTime
}

/// The transfer for which a connection was opened.
struct ConnectionOwner {
    /// The identifier of the task; 0 if it is not known.
    var task = 0
    /// The scheme, host and port as they are written in the URL.
    var origin = ""
}

extension EasyHandle {
    /// The local port of the transfer's connection; nil if there is no connection yet.
    var localPort: Int? {
        let port = long(CURLINFO_LOCAL_PORT)
        return port > 0 ? port : nil
    }

    /// Configures libcurl to create and close its sockets with a table. The table must exist longer than all
    /// connections.
    func useSockets(of table: SocketTable) {
        _ = libcurl_easy_setopt_open_callback(raw, CURLOPT_OPENSOCKETFUNCTION) { context, _, type in
            guard let context else { return -1 }
            let handle = Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
            let target = IPAddress.ofSocket(type)
            guard handle.admits(target) else { return -1 }
            handle.noteAttempt(at: target?.address)
            return handle.support.sockets.makeSocket(type.pointee, for: handle.client?.owner ?? ConnectionOwner())
        }
        // A socket is opened during a transfer, so the context for opening is the handle. When a socket is closed, the
        // handle may no longer exist, so the context for closing is the table.
        _ = libcurl_easy_setopt_pointer(raw, CURLOPT_OPENSOCKETDATA, Unmanaged.passUnretained(self).toOpaque())
        _ = libcurl_easy_setopt_close_callback(raw, CURLOPT_CLOSESOCKETFUNCTION) { context, socket in
            context.map { Unmanaged<SocketTable>.fromOpaque($0).takeUnretainedValue().closeSocket(socket) } ?? -1
        }
        _ = libcurl_easy_setopt_pointer(raw, CURLOPT_CLOSESOCKETDATA, Unmanaged.passUnretained(table).toOpaque())
    }

    /// Returns whether a connection to an address may be opened. If not, libcurl tries the next address of the host,
    /// and fails if there is none.
    /// - Parameter target: The address and the port; nil if it is not an IP address.
    private func admits(_ target: (address: IPAddress, port: Int)?) -> Bool {
        // `CURLOPT_IPRESOLVE` limits look-ups, and in older versions of libcurl it does not limit known addresses.
        if let target, !route.family.contains(target.address) {
            support.refusedTransfers.append(self)
            return false
        }
        // A request with a proxy was refused before, unless the proxy is trusted.
        guard let allowed = support.allowedAddresses, route.proxy == nil else { return true }
        guard let address = target.map({ ConnectionAddress($0.address, port: $0.port) }) else { return false }
        if allowed.allows(address) { return true }
        if addresses.refused == nil { addresses.refused = address }
        support.refusedTransfers.append(self)
        return false
    }

    /// Records the address to which libcurl is about to connect, for errors.
    private func noteAttempt(at address: IPAddress?) {
        guard let address, addresses.tried.count < Self.mostAddresses else { return }
        if !addresses.tried.contains(address.text) { addresses.tried.append(address.text) }
    }

    private static let mostAddresses = 8
}

extension IPAddress {
    /// Returns the address and the port to which libcurl opens a socket; nil if it is not an IP address.
    fileprivate static func ofSocket(
        _ type: UnsafePointer<libcurl_socket_type>
    ) -> (address: IPAddress, port: Int)? {
        let length = Int(type.pointee.address_length)
        let socketAddress = UnsafeRawBufferPointer(start: type + 1, count: max(0, length))
        let bytes: Range<Int>
        switch type.pointee.family {
        case AF_INET: bytes = 4..<8
        case AF_INET6: bytes = 8..<24
        default: return nil
        }
        guard length <= 128, bytes.upperBound <= length else { return nil }
        // The port has the same offset in both structures, and its more significant byte comes first.
        let port = Int(socketAddress[2]) << 8 | Int(socketAddress[3])
        return (IPAddress(bytes: Array(socketAddress[bytes])), port)
    }
}
#endif
