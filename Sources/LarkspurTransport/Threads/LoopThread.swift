#if canImport(FoundationNetworking)
/// The function that starts the threads of sessions. In contrast to Foundation's `Thread`, it reports a failure.
package struct LoopThread: Sendable {
    /// The name of the thread in the process's list of threads. The list has room for 15 bytes.
    static let name = "larkspur.loop"
    /// The stack size in bytes. It is the usual size for a main thread, because the code of Swift tasks may run on this
    /// thread. Only pages that are used need memory.
    private static let stackSize = 1 << 23

    /// Runs an action on a new thread. Returns 0; if the thread cannot be created, returns the `errno`, and the action
    /// does not run.
    let start: @Sendable (@escaping @Sendable () -> Void) -> Int32

    package init(start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Int32) { self.start = start }

    /// The function that starts threads of the system.
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
