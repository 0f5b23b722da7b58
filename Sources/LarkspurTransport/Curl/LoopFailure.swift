#if canImport(FoundationNetworking)
/// The failure of a session because the machine temporarily lacks resources. The next task of the session tries again.
enum LoopFailure: Error, Equatable {
    /// No thread could be created. The value is the `errno`.
    case noThread(Int32)
    /// libcurl could not allocate memory.
    case noHandle
    /// No file descriptors were free for waiting and for waking the thread.
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
