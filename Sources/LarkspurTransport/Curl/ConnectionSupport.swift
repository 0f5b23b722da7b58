#if canImport(FoundationNetworking)
internal import CLibcurl

/// The parts that all connections of a session use. They are retained until the last connection is closed.
final class ConnectionSupport {
    let poll: EventPoll
    let sockets: SocketTable
    /// The checks of servers that libcurl cannot make; nil if they are not needed.
    let trust: ServerTrust?
    /// The object that finds out whether a connection is closed with a close_notify; nil without OpenSSL.
    let closeWatch = TLSCloseWatch()
    /// The log of the secrets of connections; nil if there is none.
    let keyLog: TLSKeyLog?
    /// The share handle, through which all multi handles share the addresses of names and the TLS sessions. It needs no
    /// lock functions, because all multi handles belong to one thread.
    let share: UnsafeMutableRawPointer

    init(tls: TLSSettings, poll: EventPoll) throws(LoopFailure) {
        guard let share = libcurl_share_init() else { throw .noHandle }
        self.share = share
        self.poll = poll
        sockets = SocketTable(poll: poll)
        trust = ServerTrust(tls)
        keyLog = tls.keyLog
        _ = libcurl_share_add(share, CURL_LOCK_DATA_DNS)
        _ = libcurl_share_add(share, CURL_LOCK_DATA_SSL_SESSION)
    }

    deinit { libcurl_share_cleanup(share) }
}
#endif
