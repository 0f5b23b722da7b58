#if canImport(FoundationNetworking)
internal import CLibcurl

/// The receiver of a multi handle's reports. It is called on the loop's thread, from within libcurl.
protocol MultiHandleClient: AnyObject {
    /// Receives the time after which transfers are due; nil if none are due. It replaces the previous time.
    func setTimer(milliseconds: Int?)
    /// Called before libcurl advances the transfers of a socket.
    func socketIsReady(_ socket: Int32)
    /// Called when transfers have advanced and may have ended.
    func noteProgress()
}

/// libcurl's multi interface: some of the transfers of a session, and the connections that they share.
///
/// The handle belongs to the loop's thread, which closes it. libcurl reports the sockets and the time for which it
/// waits. So a transfer without an event has no cost in a turn of the thread.
final class MultiHandle: SocketOwner {
    private let raw: UnsafeMutableRawPointer
    private let support: ConnectionSupport
    // Safe: the client owns the handle.
    @exclusivity(unchecked) unowned(unsafe) var client: (any MultiHandleClient)?
    /// The transfers that the engine has added. Nil if libcurl adds no transfers itself.
    @exclusivity(unchecked) private var ownHandles: Set<UnsafeMutableRawPointer>?

    /// - Parameters:
    ///   - maximumConnectionsPerHost: The maximum number of connections to a host; 0 for no limit.
    ///   - connectionLimit: The number of connections that remain open.
    ///   - maximumConnections: The maximum number of all connections; 0 for no limit.
    ///   - hasForeignHandles: Whether libcurl itself adds transfers, to look up names over HTTPS.
    init(
        support: ConnectionSupport,
        maximumConnectionsPerHost: Int,
        connectionLimit: Int,
        maximumConnections: Int,
        hasForeignHandles: Bool
    ) throws(LoopFailure) {
        guard let raw = libcurl_multi_init() else { throw .noHandle }
        self.raw = raw
        self.support = support
        ownHandles = hasForeignHandles ? [] : nil
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = libcurl_multi_setopt_pointer(raw, CURLMOPT_SOCKETDATA, context)
        _ = libcurl_multi_setopt_socket_callback(raw, Self.watch)
        _ = libcurl_multi_setopt_pointer(raw, CURLMOPT_TIMERDATA, context)
        _ = libcurl_multi_setopt_timer_callback(raw, Self.setTimer)
        _ = libcurl_multi_setopt_long(raw, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        _ = libcurl_multi_setopt_long(raw, CURLMOPT_MAX_HOST_CONNECTIONS, maximumConnectionsPerHost)
        if maximumConnections > 0 {
            _ = libcurl_multi_setopt_long(raw, CURLMOPT_MAX_TOTAL_CONNECTIONS, maximumConnections)
        }
        // By default, libcurl retains four idle connections for each running transfer. Between two bursts of requests,
        // no transfer is running, so libcurl would not retain any connection.
        _ = libcurl_multi_setopt_long(raw, CURLMOPT_MAXCONNECTS, connectionLimit)
    }

    /// Closes all connections. Called when the handle has no transfers. Afterwards, the handle is not used again.
    func close() {
        _ = libcurl_multi_setopt_socket_callback(raw, nil)
        _ = libcurl_multi_setopt_timer_callback(raw, nil)
        support.poll.forgetSockets(of: self)
        libcurl_multi_cleanup(raw)
    }

    func add(_ handle: EasyHandle) -> Bool {
        ownHandles?.insert(handle.raw)
        return libcurl_multi_add_handle(raw, handle.raw) == 0
    }

    func remove(_ handle: EasyHandle) {
        _ = libcurl_multi_remove_handle(raw, handle.raw)
        ownHandles?.remove(handle.raw)
    }

    /// Returns the engine's handle for a handle of libcurl. Returns nil if libcurl itself has added the transfer,
    /// because some versions of libcurl use the private pointer of such transfers.
    private func handle(of easy: UnsafeMutableRawPointer) -> EasyHandle? {
        ownHandles?.contains(easy) == false ? nil : EasyHandle.of(easy)
    }

    // MARK: Advancing

    func socketIsReady(_ socket: Int32, _ conditions: SocketConditions) {
        var bits: Int32 = 0
        if conditions.contains(.readable) { bits |= CURL_CSELECT_IN }
        if conditions.contains(.writable) { bits |= CURL_CSELECT_OUT }
        if conditions.contains(.failed) { bits |= CURL_CSELECT_ERR }
        client?.socketIsReady(socket)
        advance(socket, bits)
    }

    /// Whether libcurl waits for a socket, because transfers use its connection.
    func isWatching(_ socket: Int32) -> Bool { support.poll.isWatched(socket, by: self) }

    /// Advances the transfers whose time has come.
    func timeIsUp() {
        advance(CURL_SOCKET_TIMEOUT, 0)
    }

    /// The number of milliseconds until transfers are due; nil if none are due. This property is read if libcurl was
    /// called too early, because libcurl does not report the same time again.
    var timer: Int? {
        let milliseconds = libcurl_multi_timeout(raw)
        return milliseconds < 0 ? nil : milliseconds
    }

    private func advance(_ socket: Int32, _ conditions: Int32) {
        var running: Int32 = 0
        _ = libcurl_multi_socket_action(raw, socket, conditions, &running)
        if !support.refusedTransfers.isEmpty {
            for handle in exchange(&support.refusedTransfers, with: []) { handle.client?.addressRefused() }
        }
        client?.noteProgress()
    }

    /// Returns the next transfer that has ended, with its result.
    func nextCompleted() -> (handle: EasyHandle, result: Int32)? {
        var message = libcurl_message()
        while libcurl_multi_info_read(raw, &message) {
            guard let easy = message.easy, let handle = EasyHandle.of(easy) else { continue }
            return (handle, message.result)
        }
        return nil
    }

    // MARK: Callbacks

    private static let watch: libcurl_socket_callback = { easy, socket, conditions, context, _ in
        guard let context else { return 0 }
        let multi = Unmanaged<MultiHandle>.fromOpaque(context).takeUnretainedValue()
        let poll = multi.support.poll
        if conditions == CURL_POLL_REMOVE {
            poll.forget(socket)
            multi.handle(of: easy)?.client?.socketReleased()
        } else {
            var wanted: SocketConditions = []
            if conditions & CURL_POLL_IN != 0 { wanted.insert(.readable) }
            if conditions & CURL_POLL_OUT != 0 { wanted.insert(.writable) }
            if wanted.isEmpty { poll.forget(socket) } else { poll.watch(socket, for: wanted, owner: multi) }
        }
        return 0
    }

    private static let setTimer: libcurl_timer_callback = { _, milliseconds, context in
        guard let context else { return 0 }
        let multi = Unmanaged<MultiHandle>.fromOpaque(context).takeUnretainedValue()
        multi.client?.setTimer(milliseconds: milliseconds < 0 ? nil : milliseconds)
        return 0
    }
}
#endif
