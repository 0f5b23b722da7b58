#if canImport(FoundationNetworking)
internal import CLibcurl

/// libcurl's multi interface: all transfers, connections and names of one session.
///
/// Everything but ``wakeUp()`` belongs to the loop's thread.
final class MultiHandle: @unchecked Sendable {
    // Safe: one thread uses it at a time, and waking is the one call that libcurl allows on other threads.
    private let raw: UnsafeMutableRawPointer
    /// The checks of servers that libcurl alone does not make; retained until the last connection is closed.
    let trust: ServerTrust?
    /// The sockets of the connections; retained until the last connection is closed.
    let sockets = SocketTable()
    /// The watch for close_notify, retained until the last connection is closed; nil without OpenSSL.
    let closeWatch = TLSCloseWatch()

    init(maximumConnectionsPerHost: Int, tls: TLSSettings) throws(LoopFailure) {
        guard let raw = libcurl_multi_init() else { throw .noHandle }
        // Without descriptors for waking, libcurl creates the handle all the same, and the thread could never be woken.
        guard libcurl_multi_wakeup(raw) == 0 else {
            libcurl_multi_cleanup(raw)
            throw .noWakeup
        }
        self.raw = raw
        trust = ServerTrust(tls)
        _ = libcurl_multi_setopt_long(raw, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        _ = libcurl_multi_setopt_long(raw, CURLMOPT_MAX_HOST_CONNECTIONS, maximumConnectionsPerHost)
        // By default libcurl keeps four idle connections for each transfer under way, which is none between two bursts.
        _ = libcurl_multi_setopt_long(raw, CURLMOPT_MAXCONNECTS, max(64, 4 * min(maximumConnectionsPerHost, 1024)))
    }

    deinit { libcurl_multi_cleanup(raw) }

    func add(_ handle: EasyHandle) -> Bool { libcurl_multi_add_handle(raw, handle.raw) == 0 }

    func remove(_ handle: EasyHandle) { _ = libcurl_multi_remove_handle(raw, handle.raw) }

    /// Advances every transfer as far as possible without waiting.
    func perform() {
        var running: Int32 = 0
        _ = libcurl_multi_perform(raw, &running)
    }

    /// Waits until a transfer can advance, for at most this many milliseconds, or until it is woken.
    func poll(milliseconds: Int32) {
        var ready: Int32 = 0
        _ = libcurl_multi_poll(raw, milliseconds, &ready)
    }

    func wakeUp() { _ = libcurl_multi_wakeup(raw) }

    /// Returns the next transfer that has ended, with its result.
    func nextCompleted() -> (handle: EasyHandle, result: Int32)? {
        var message = libcurl_message()
        while libcurl_multi_info_read(raw, &message) {
            guard let easy = message.easy, let handle = EasyHandle.of(easy) else { continue }
            return (handle, message.result)
        }
        return nil
    }
}
#endif

#if canImport(FoundationNetworking)
/// The failure of a session because the machine temporarily lacks resources. Its next task tries again.
enum LoopFailure: Error, Equatable {
    /// No thread could be created, for the reason in the `errno`.
    case noThread(Int32)
    /// libcurl could not allocate memory.
    case noHandle
    /// libcurl has no file descriptors for waking the thread.
    case noWakeup

    func error(url: URL?) -> URLError {
        switch self {
        case .noThread(let number):
            .engine(
                .resourceUnavailable,
                "The session has no thread, as none could be made: \(String(cString: strerror(number))).",
                url: url,
                underlying: NSError(domain: NSPOSIXErrorDomain, code: Int(number))
            )
        case .noHandle: .engine(.resourceUnavailable, "libcurl could not make a handle for the session.", url: url)
        case .noWakeup:
            .engine(
                .resourceUnavailable,
                "The session's thread could not be woken, as no file descriptors were free for that (see ulimit -n).",
                url: url
            )
        }
    }
}
#endif
