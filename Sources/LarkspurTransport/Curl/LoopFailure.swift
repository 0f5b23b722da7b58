#if canImport(FoundationNetworking)
/// The failure of a session for which the machine has no resources at the moment. Its next task tries anew.
enum LoopFailure: Error, Equatable {
    /// With the `errno`.
    case noThread(Int32)
    /// libcurl has no memory.
    case noHandle
    /// libcurl has no descriptors with which the thread could be woken.
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
