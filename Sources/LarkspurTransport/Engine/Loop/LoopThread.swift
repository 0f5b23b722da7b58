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
#endif
