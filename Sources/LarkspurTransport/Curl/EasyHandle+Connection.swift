#if canImport(FoundationNetworking)
internal import CLibcurl

/// The connection that libcurl has chosen for a transfer.
extension EasyHandle {
    /// Configures libcurl to ask the client before each request is sent. Only libcurl 7.80 and later can do that.
    func observeSendings() {
        seesSendings = libcurl_easy_setopt_sending_callback(raw, CURLOPT_PREREQFUNCTION, Self.sending) == CURLE_OK
        _ = libcurl_easy_setopt_pointer(raw, CURLOPT_PREREQDATA, Unmanaged.passUnretained(self).toOpaque())
    }

    /// The state that determines whether another request may use the handle.
    struct Reuse {
        /// Whether the last transfer has left no state that affects the next transfer.
        var isClean = true
        /// Whether an option could not be set, because memory has run out. Such a handle is not used.
        var lacksOptions = false
        /// The number of times that libcurl has sent the request of the current transfer. Only known if libcurl asks
        /// before it sends.
        fileprivate var sendingCount = 0
    }

    /// Returns whether another request may use the handle after the last transfer, and resets the record of that
    /// transfer.
    func takeReusability() -> Bool {
        // For each handle, libcurl up to 8.16 counts the repetitions of all transfers that have lost a connection. At
        // the sixth repetition, the transfer fails ("Connection died, tried 5 times before giving up"). If libcurl does
        // not report what it sends, each transfer on a new connection may be a repetition.
        let count = exchange(&reuse.sendingCount, with: 0)
        let isRepetition = seesSendings ? count > 1 : !usesKnownConnection
        return !isRepetition && reuse.isClean && !reuse.lacksOptions
    }

    /// The number of the current or last connection; nil if libcurl does not report it (before 8.2).
    var connection: Int64? { Libcurl.identifiesConnections ? int64(CURLINFO_CONN_ID) : nil }

    /// Whether the transfer's connection was used before, or is shared with another transfer.
    var usesKnownConnection: Bool { long(CURLINFO_NUM_CONNECTS) == 0 }

    /// Whether the TLS handshake of the transfer's connection has selected HTTP/1.1. False if this is not known.
    var hasSelectedHTTP1: Bool { libcurl_has_selected_http1(raw) }

    /// The sockets that may be the socket of the transfer's connection. See ``SocketTable/sockets(at:)``.
    var possibleSockets: [Int32] { support.sockets.sockets(at: long(CURLINFO_LOCAL_PORT)) }

    /// The state of the other machine of the transfer's connection; nil if there is no established TCP connection. If
    /// several sockets may be the connection's socket, this is the state with the shortest silence.
    var peerState: PeerState? {
        possibleSockets.compactMap { PeerState(of: $0) }.min { $0.silence < $1.silence }
    }

    /// Whether a socket may be the socket of the transfer's connection.
    func mayUse(_ socket: Int32) -> Bool { possibleSockets.contains(socket) }

    /// Whether a reused connection was closed, or has received bytes that do not belong to a response.
    ///
    /// On an HTTP/2 connection, frames may arrive at any time, and libcurl itself checks such connections.
    /// - Parameter sockets: The sockets that may be the socket of the connection.
    private func hasInput(at sockets: [Int32]) -> Bool {
        let isDirect = route.proxy?.kind != .https
        return sockets.withUnsafeBufferPointer {
            libcurl_connection_state(raw, $0.baseAddress, $0.count, isDirect) == LIBCURL_CONNECTION_HAS_INPUT
        }
    }

    private static let sending: libcurl_sending_callback = { context, _, _, _, localPort in
        guard let context else { return CURL_PREREQFUNC_ABORT }
        let handle = Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
        handle.reuse.sendingCount += 1
        var isStale = false
        if handle.usesKnownConnection {
            let sockets = handle.support.sockets.sockets(at: Int(localPort))
            // If the other machine is silent, the connection may be lost. TCP reports a lost connection only after a
            // quarter of an hour.
            let isSilent = sockets.contains(where: SocketTable.hasSilentPeer)
            // libcurl closes the connection as soon as the other streams on it have ended.
            if isSilent { handle.connectionUse.closesConnection = true }
            isStale = isSilent || handle.hasInput(at: sockets)
        }
        guard let client = handle.client, client.maySend(onStaleConnection: isStale) else {
            return CURL_PREREQFUNC_ABORT
        }
        return CURL_PREREQFUNC_OK
    }

    // MARK: TLS

    /// Begins to watch whether the connection is closed with a close_notify. Called when the response has begun.
    func watchClose() {
        guard watchedConnection == nil else { return }
        watchedConnection = support.closeWatch?.begin(self)
    }

    /// Ends the watch. Returns whether the connection was watched and was closed without a close_notify.
    func endCloseWatch() -> Bool {
        guard let name = watchedConnection, let closeWatch = support.closeWatch else { return false }
        watchedConnection = nil
        return !closeWatch.end(name)
    }
}

/// The use of connections by one transfer.
struct ConnectionUse: Equatable {
    /// Whether the connection is closed after the transfer.
    var closesConnection = false
    /// Whether some announced content was not sent on the connection. The server would then read the next request as
    /// this content.
    var lacksContent = false
    /// Whether no other transfer uses the connection.
    var isAlone = false
    /// Whether the transfer needs a new connection.
    var makesConnection = false

    fileprivate var forbidsReuse: Bool { isAlone || closesConnection || lacksContent }
    fileprivate var isFresh: Bool { isAlone || makesConnection }

    func apply(to handle: EasyHandle) {
        handle.set(CURLOPT_FRESH_CONNECT, isFresh ? 1 : 0)
        handle.set(CURLOPT_FORBID_REUSE, forbidsReuse ? 1 : 0)
    }
}

extension EasyHandle {
    /// Sets the times of connections, which are the same for all transfers of a session. Returns false if libcurl
    /// cannot limit the age of connections (before 7.80).
    /// - Parameters:
    ///   - idle: The time for which a connection may be used after its last request, in seconds.
    ///   - age: The time for which a connection may be used after it was opened, in seconds; nil for no limit.
    ///   - familyDelay: The time in seconds after which addresses of the other family are tried.
    func setTimes(idle: TimeInterval, age: TimeInterval?, familyDelay: TimeInterval) -> Bool {
        set(CURLOPT_HAPPY_EYEBALLS_TIMEOUT_MS, Int.milliseconds(familyDelay))
        // The unit of the next two options is a second, and 0 would mean no limit.
        set(CURLOPT_MAXAGE_CONN, .wholeSeconds(idle))
        guard let age else { return true }
        return libcurl_easy_setopt_long(raw, CURLOPT_MAXLIFETIME_CONN, .wholeSeconds(age)) == CURLE_OK
    }

    /// Sets the time for which libcurl uses the addresses of a name after it has looked them up, in seconds.
    func setNameCacheTime(_ time: TimeInterval) {
        guard time != Self.defaultNameCacheTime else { return }
        set(CURLOPT_DNS_CACHE_TIMEOUT, time > 0 ? .wholeSeconds(time) : 0)
    }

    /// libcurl's default.
    private static var defaultNameCacheTime: TimeInterval { 60 }
}

extension Int {
    /// Rounds seconds up to a whole number, which is at least 1.
    static func wholeSeconds(_ seconds: TimeInterval) -> Int { (milliseconds(seconds) + 999) / 1000 }

    /// Converts seconds into milliseconds. The result is rounded up, at least 1, and at most the largest number that
    /// libcurl accepts.
    static func milliseconds(_ seconds: TimeInterval) -> Int {
        guard seconds > 0 else { return 1 }
        return Int(Swift.max(1, Swift.min((seconds * 1000).rounded(.up), Double(Int32.max))))
    }
}

/// The objects that all connections of a session use. They are retained until the last connection is closed.
final class ConnectionSupport {
    let poll: EventPoll
    let sockets: SocketTable
    /// The addresses to which connections may be opened; nil if all addresses are allowed.
    let allowedAddresses: AllowedAddresses?
    /// The transfers for which an address was refused since libcurl was last called.
    @exclusivity(unchecked) var refusedTransfers: [EasyHandle] = []
    /// The checks of servers that libcurl cannot make, by the numbers of the TLS settings; nil for settings that need
    /// none.
    let trusts: [ServerTrust?]
    /// The object that detects whether a connection is closed with a close_notify; nil without OpenSSL.
    let closeWatch = TLSCloseWatch()
    /// The TLS settings, whose key logs must exist as long as the connections.
    private let tls: HostTLSTable
    /// The share handle. Through this handle, all multi handles share the addresses of names and the TLS sessions. It
    /// needs no lock functions, because all multi handles belong to one thread.
    let share: UnsafeMutableRawPointer

    /// - Parameter watch: The watch for lost machines; nil if there is none.
    init(
        tls: HostTLSTable,
        allowedAddresses: AllowedAddresses,
        poll: EventPoll,
        watch: PeerWatch?
    ) throws(LoopFailure) {
        guard let share = libcurl_share_init() else { throw .noHandle }
        self.share = share
        self.poll = poll
        sockets = SocketTable(poll: poll, watch: watch)
        self.allowedAddresses = allowedAddresses.allowsAll ? nil : allowedAddresses
        trusts = tls.settings.map { ServerTrust($0) }
        self.tls = tls
        _ = libcurl_share_add(share, CURL_LOCK_DATA_DNS)
        _ = libcurl_share_add(share, CURL_LOCK_DATA_SSL_SESSION)
    }

    deinit { libcurl_share_cleanup(share) }
}
#endif
