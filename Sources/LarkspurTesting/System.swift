internal import Foundation

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The functions of the C library for the server and for measurements of costs. Each function is called only in this
/// file.
///
/// The differences between platforms are limited to this file, and so is `errno`: a function that fails throws a
/// `POSIXError`.
enum System {
    typealias Descriptor = Int32

    // MARK: Sockets

    /// Creates a TCP socket that listens on a port of 127.0.0.1.
    /// - Parameter port: The port; 0 for a free one.
    static func makeListeningSocket(port: UInt16, backlog: Int32) throws -> Descriptor {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        // On a fixed port, the system may still remember connections of an earlier server, so the address is reused.
        return try makeListeningSocket(AF_INET, address: address, reusesAddress: port != 0, backlog: backlog)
    }

    /// Creates a socket that listens at a path. The path must not exist yet.
    static func makeListeningSocket(path: String, backlog: Int32) throws -> Descriptor {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // The path needs room for the zero byte at its end.
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { throw error(code: ENAMETOOLONG) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return try makeListeningSocket(AF_UNIX, address: address, backlog: backlog)
    }

    static func removeFile(_ path: String) {
        unlink(path)
    }

    /// Creates a socket that receives the bytes that are sent on it. It needs one descriptor. A pair of sockets would
    /// need two.
    static func makeReflectingSocket() throws -> Descriptor {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let descriptor = try check(socket(AF_INET, datagramType, 0))
        do {
            markCloseOnExec(descriptor)
            try withSocketAddress(address) { _ = try check(bind(descriptor, $0, $1)) }
            address.sin_port = try localPort(of: descriptor).bigEndian
            try withSocketAddress(address) { _ = try check(connect(descriptor, $0, $1)) }
            return descriptor
        } catch {
            closeDescriptor(descriptor)
            throw error
        }
    }

    private static func withSocketAddress<Address: BitwiseCopyable>(
        _ address: Address,
        _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Void
    ) throws {
        try withUnsafePointer(to: address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                try body(address, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }

    private static func makeListeningSocket<Address: BitwiseCopyable>(
        _ family: Int32,
        address: Address,
        reusesAddress: Bool = false,
        backlog: Int32
    ) throws -> Descriptor {
        let descriptor = try check(socket(family, streamType, 0))
        do {
            markCloseOnExec(descriptor)
            if reusesAddress { setOption(descriptor, level: SOL_SOCKET, name: SO_REUSEADDR, value: Int32(1)) }
            try withSocketAddress(address) { _ = try check(bind(descriptor, $0, $1)) }
            _ = try check(listen(descriptor, backlog))
            // If a client disconnects between polling and accepting, accepting must not block.
            setFlag(descriptor, F_SETFL, O_NONBLOCK)
            return descriptor
        } catch {
            closeDescriptor(descriptor)
            throw error
        }
    }

    /// Creates two sockets, each of which receives the bytes that are sent on the other.
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

    /// Accepts the next connection of a listening socket. Every write on it is sent immediately.
    static func acceptConnection(_ listener: Descriptor) throws -> Descriptor {
        let descriptor = try check(accept(listener, nil, nil))
        markCloseOnExec(descriptor)
        // Some platforms pass the listener's nonblocking mode on to connections. The mode is reset here, because the
        // threads of connections block.
        setFlag(descriptor, F_SETFL, 0)
        suppressBrokenPipeSignal(descriptor)
        setOption(descriptor, level: Int32(IPPROTO_TCP), name: TCP_NODELAY, value: Int32(1))
        return descriptor
    }

    /// Receives bytes. Returns their number, 0 at the end of the stream.
    static func receive(_ descriptor: Descriptor, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        try check(recv(descriptor, buffer.baseAddress, buffer.count, 0))
    }

    /// Sends bytes. Returns the number of bytes that the system has accepted, which may not be all.
    static func send(_ descriptor: Descriptor, _ bytes: UnsafeRawBufferPointer, blocking: Bool) throws -> Int {
        let flags = noSignalFlag | (blocking ? 0 : Int32(MSG_DONTWAIT))
        return try check(sendBytes(descriptor, bytes.baseAddress, bytes.count, flags))
    }

    enum ShutdownDirection {
        case write, both
    }

    /// Ends the stream in a direction. Errors are ignored, because a connection that the client has reset cannot be
    /// shut down.
    static func shutDown(_ descriptor: Descriptor, _ direction: ShutdownDirection) {
        _ = shutdown(descriptor, direction == .both ? Int32(SHUT_RDWR) : Int32(SHUT_WR))
    }

    static func closeDescriptor(_ descriptor: Descriptor) {
        // Not repeated after EINTR: on Linux the descriptor is then closed, and its number may belong to another file.
        _ = close(descriptor)
    }

    /// Makes the next `closeDescriptor` send RST instead of FIN.
    static func resetOnClose(_ descriptor: Descriptor) {
        setOption(descriptor, level: SOL_SOCKET, name: SO_LINGER, value: linger(l_onoff: 1, l_linger: 0))
    }

    // MARK: Waiting

    enum Interest {
        case readable
        /// The peer has closed its side, even if there are bytes left to read.
        case hangUp
    }

    /// Waits for events on sockets. Returns for each socket whether its event has occurred.
    ///
    /// An error on a socket counts as an event, so that the waiting thread sees the error.
    ///
    /// - Parameter milliseconds: The limit in milliseconds; a negative value means no limit.
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

    /// Starts a thread. It must be joined or detached.
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

    /// Returns the value of a call, or throws the error in `errno` if the call failed.
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

    /// Sets an option of a socket. Errors are ignored, because a connection works without the option.
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

    /// Prevents child processes from inheriting the descriptor, because they would keep the connection open.
    private static func markCloseOnExec(_ descriptor: Descriptor) {
        setFlag(descriptor, F_SETFD, FD_CLOEXEC)
    }

    #if canImport(Darwin)
    private static let streamType = SOCK_STREAM
    private static let datagramType = SOCK_DGRAM
    private static let noSignalFlag: Int32 = 0
    private static let hangUpEvent = Int16(POLLHUP)
    private static let sendBytes = Darwin.send
    #elseif canImport(Musl)
    private static let streamType = SOCK_STREAM
    private static let datagramType = SOCK_DGRAM
    private static let noSignalFlag = MSG_NOSIGNAL
    private static let hangUpEvent: Int16 = 0x2000
    private static let sendBytes = Musl.send
    #else
    private static let streamType = Int32(SOCK_STREAM.rawValue)
    private static let datagramType = Int32(SOCK_DGRAM.rawValue)
    private static let noSignalFlag = Int32(MSG_NOSIGNAL)
    /// The event POLLRDHUP. The C library declares it only for programs that define `_GNU_SOURCE`.
    private static let hangUpEvent: Int16 = 0x2000
    private static let sendBytes = Glibc.send
    #endif
}
