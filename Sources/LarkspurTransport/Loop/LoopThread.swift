#if canImport(FoundationNetworking)
/// Starts the threads of sessions, and says where that fails, as Foundation's `Thread` does not.
package struct LoopThread: Sendable {
    /// Shown in the process's list of threads, which has room for 15 bytes.
    static let name = "larkspur.loop"
    /// Enough for the verification of certificates and what delegates do; in bytes, of which only those that are
    /// touched cost memory.
    private static let stackSize = 1 << 20

    /// Runs an action on a new thread. Returns 0, or the `errno` for which there is none, and the action does not run.
    let start: @Sendable (@escaping @Sendable () -> Void) -> Int32

    package init(start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Int32) { self.start = start }

    /// A thread of the system's.
    package static let system = LoopThread { action in
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        defer { attributes.deallocate() }
        pthread_attr_init(attributes)
        defer { pthread_attr_destroy(attributes) }
        pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(attributes, stackSize)
        var thread = pthread_t()
        let body = Unmanaged.passRetained(Body(action: action))
        let result = pthread_create(&thread, attributes, { run($0) }, body.toOpaque())
        if result != 0 { body.release() }
        return result
    }

    private final class Body: Sendable {
        let action: @Sendable () -> Void

        init(action: @escaping @Sendable () -> Void) { self.action = action }
    }

    private static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { return nil }
        Thread.current.name = name
        Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().action()
        return nil
    }
}

/// Why a session cannot work for the moment: the machine has not what it needs. Its next task tries anew.
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
