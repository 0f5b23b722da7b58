#if canImport(FoundationNetworking)
internal import CLibcurl

/// The parts that all connections of a session use. They are retained until the last connection is closed.
final class ConnectionSupport {
    let poll: EventPoll
    let sockets: SocketTable
    /// The check of servers, as far as libcurl cannot make it; nil if it is not needed.
    let trust: ServerTrust?
    /// The watch for close_notify; nil without OpenSSL.
    let closeWatch = TLSCloseWatch()
    /// The addresses of names and the TLS sessions that all multi handles share. The share handle needs no lock
    /// functions, as all of them belong to one thread.
    let share: UnsafeMutableRawPointer

    init(tls: TLSSettings, poll: EventPoll) throws(LoopFailure) {
        guard let share = libcurl_share_init() else { throw .noHandle }
        self.share = share
        self.poll = poll
        sockets = SocketTable(poll: poll)
        trust = ServerTrust(tls)
        _ = libcurl_share_add(share, CURL_LOCK_DATA_DNS)
        _ = libcurl_share_add(share, CURL_LOCK_DATA_SSL_SESSION)
    }

    deinit { libcurl_share_cleanup(share) }
}
#endif
