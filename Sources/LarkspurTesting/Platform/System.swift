internal import Foundation

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The functions of the C library that the server and the measurements of costs need, each called here and nowhere
/// else.
///
/// The differences between the platforms stay in this file, and so does `errno`: a function that fails throws a
/// `POSIXError`.
enum System {
    typealias Descriptor = Int32

    // MARK: Sockets

    /// A TCP socket that listens on a free port of 127.0.0.1.
    static func makeListeningSocket(backlog: Int32) throws -> Descriptor {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return try makeListeningSocket(AF_INET, address: address, backlog: backlog)
    }

    /// A socket that listens at a path, which must not exist yet.
    static func makeListeningSocket(path: String, backlog: Int32) throws -> Descriptor {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // A zero ends the path.
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { throw error(code: ENAMETOOLONG) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return try makeListeningSocket(AF_UNIX, address: address, backlog: backlog)
    }

    static func removeFile(_ path: String) {
        unlink(path)
    }

    private static func makeListeningSocket<Address: BitwiseCopyable>(
        _ family: Int32,
        address: Address,
        backlog: Int32
    ) throws -> Descriptor {
        let descriptor = try check(socket(family, streamType, 0))
        do {
            markCloseOnExec(descriptor)
            try withUnsafePointer(to: address) { pointer in
                try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    _ = try check(bind(descriptor, address, socklen_t(MemoryLayout<Address>.size)))
                }
            }
            _ = try check(listen(descriptor, backlog))
            // A client may withdraw between polling and accepting, which must not block.
            setFlag(descriptor, F_SETFL, O_NONBLOCK)
            return descriptor
        } catch {
            closeDescriptor(descriptor)
            throw error
        }
    }

    /// Two sockets, each of which receives what is sent on the other.
    static func makeSocketPair() throws -> (Descriptor, Descriptor) {
        var pair: [Descriptor] = [-1, -1]
        _ = try check(socketpair(AF_UNIX, streamType, 0, &pair))
        pair.forEach { descriptor in
            markCloseOnExec(descriptor)
            suppressBrokenPipeSignal(descriptor)
        }
        return (pair[0], pair[1])
    }

    static func localPort(of descriptor: Descriptor) throws -> UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = try check(getsockname(descriptor, address, &length))
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// The next connection of a listening socket, set up so that every write leaves at once.
    static func acceptConnection(_ listener: Descriptor) throws -> Descriptor {
        let descriptor = try check(accept(listener, nil, nil))
        markCloseOnExec(descriptor)
        // Where connections inherit the listener's mode, they must not: their threads block.
        setFlag(descriptor, F_SETFL, 0)
        suppressBrokenPipeSignal(descriptor)
        setOption(descriptor, level: Int32(IPPROTO_TCP), name: TCP_NODELAY, value: Int32(1))
        return descriptor
    }

    /// The number of bytes that were received, 0 at the end of the stream.
    static func receive(_ descriptor: Descriptor, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        try check(recv(descriptor, buffer.baseAddress, buffer.count, 0))
    }

    /// The number of bytes that were taken, which may be fewer than there are.
    static func send(_ descriptor: Descriptor, _ bytes: UnsafeRawBufferPointer, blocking: Bool) throws -> Int {
        let flags = noSignalFlag | (blocking ? 0 : Int32(MSG_DONTWAIT))
        return try check(sendBytes(descriptor, bytes.baseAddress, bytes.count, flags))
    }

    enum ShutdownDirection {
        case write, both
    }

    /// Fails silently: a connection that the client has reset cannot be shut down any more.
    static func shutDown(_ descriptor: Descriptor, _ direction: ShutdownDirection) {
        _ = shutdown(descriptor, direction == .both ? Int32(SHUT_RDWR) : Int32(SHUT_WR))
    }

    static func closeDescriptor(_ descriptor: Descriptor) {
        // Not repeated after EINTR: on Linux the descriptor is gone by then, and its number may be somebody else's.
        _ = close(descriptor)
    }

    /// Makes the next `closeDescriptor` send RST in place of FIN.
    static func resetOnClose(_ descriptor: Descriptor) {
        setOption(descriptor, level: SOL_SOCKET, name: SO_LINGER, value: linger(l_onoff: 1, l_linger: 0))
    }

    // MARK: Waiting

    enum Interest {
        case readable
        /// The peer has closed its side, whether or not there are bytes left to read.
        case hangUp
    }

    /// For each of the sockets whether that happened which was asked for.
    ///
    /// An error on a socket counts as an event, so that whoever waits for it comes to see the error.
    ///
    /// - Parameter milliseconds: At most so long; a negative value means without limit.
    static func wait(for sockets: [(descriptor: Descriptor, interest: Interest)], milliseconds: Int32) throws -> [Bool]
    {
        var entries = sockets.map { socket in
            pollfd(
                fd: socket.descriptor,
                events: socket.interest == .readable ? Int16(POLLIN) : hangUpEvent,
                revents: 0
            )
        }
        _ = try check(poll(&entries, nfds_t(entries.count), milliseconds))
        return entries.map { $0.revents != 0 }
    }

    // MARK: Threads

    typealias ThreadHandle = pthread_t

    /// A running thread, which must be joined or detached.
    static func startThread(stackSize: Int, body: @escaping @Sendable () -> Void) throws -> ThreadHandle {
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        defer { attributes.deallocate() }
        pthread_attr_init(attributes)
        defer { pthread_attr_destroy(attributes) }
        pthread_attr_setstacksize(attributes, stackSize)

        let argument = Unmanaged.passRetained(ThreadBody(body)).toOpaque()
        #if canImport(Darwin)
        var created: pthread_t?
        #else
        var created = pthread_t()
        #endif
        let code = pthread_create(&created, attributes, { System.runThreadBody($0) }, argument)
        let handle: pthread_t? = created
        guard code == 0, let handle else {
            Unmanaged<ThreadBody>.fromOpaque(argument).release()
            throw error(code: code)
        }
        return handle
    }

    static func joinThread(_ handle: ThreadHandle) {
        pthread_join(handle, nil)
    }

    static func detachThread(_ handle: ThreadHandle) {
        pthread_detach(handle)
    }

    static func isCurrentThread(_ handle: ThreadHandle) -> Bool {
        pthread_equal(pthread_self(), handle) != 0
    }

    /// The CPU time of the calling thread, in seconds.
    static var threadTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private final class ThreadBody: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    private static func runThreadBody(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { return nil }
        Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
        return nil
    }

    // MARK: Errors and options

    /// The value of a call, or what `errno` says about its failure.
    private static func check<Value: SignedInteger>(_ call: @autoclosure () -> Value) throws -> Value {
        while true {
            let value = call()
            if value >= 0 { return value }
            let code = errno
            if code != EINTR { throw error(code: code) }
        }
    }

    private static func error(code: Int32) -> POSIXError {
        POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
    }

    /// Options are improvements: where the system refuses one, the connection still works.
    private static func setOption<Value: BitwiseCopyable>(
        _ descriptor: Descriptor,
        level: Int32,
        name: Int32,
        value: Value
    ) {
        withUnsafeBytes(of: value) { bytes in
            _ = setsockopt(descriptor, level, name, bytes.baseAddress, socklen_t(bytes.count))
        }
    }

    private static func suppressBrokenPipeSignal(_ descriptor: Descriptor) {
        #if canImport(Darwin)
        setOption(descriptor, level: SOL_SOCKET, name: SO_NOSIGPIPE, value: Int32(1))
        #endif
    }

    private static func setFlag(_ descriptor: Descriptor, _ command: Int32, _ flag: Int32) {
        _ = fcntl(descriptor, command, flag)
    }

    /// Keeps the descriptor out of child processes, in which it would hold the connection open.
    private static func markCloseOnExec(_ descriptor: Descriptor) {
        setFlag(descriptor, F_SETFD, FD_CLOEXEC)
    }

    #if canImport(Darwin)
    private static let streamType = SOCK_STREAM
    private static let noSignalFlag: Int32 = 0
    private static let hangUpEvent = Int16(POLLHUP)
    private static let sendBytes = Darwin.send
    #elseif canImport(Musl)
    private static let streamType = SOCK_STREAM
    private static let noSignalFlag = MSG_NOSIGNAL
    private static let hangUpEvent: Int16 = 0x2000
    private static let sendBytes = Musl.send
    #else
    private static let streamType = Int32(SOCK_STREAM.rawValue)
    private static let noSignalFlag = Int32(MSG_NOSIGNAL)
    /// POLLRDHUP, which the C library declares only to programs that define `_GNU_SOURCE`.
    private static let hangUpEvent: Int16 = 0x2000
    private static let sendBytes = Glibc.send
    #endif
}
