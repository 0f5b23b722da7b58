#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The functions of the C library for the listener. Each function is called only in this file, and the differences
/// between platforms are limited to it.
enum LoopbackSystem {
    typealias Descriptor = Int32

    /// Creates a socket that listens on a port of 127.0.0.1.
    /// - Parameter port: The port; 0 for a free one.
    static func makeListener(port: UInt16) throws -> Descriptor {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let descriptor = try check(socket(AF_INET, streamType, 0))
        do {
            prepare(descriptor)
            if port != 0 { setOption(descriptor, SO_REUSEADDR) }
            try withUnsafePointer(to: address) { pointer in
                try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    _ = try check(bind(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size)))
                }
            }
            // Linux drops further connections until the first ones are accepted, and clients try again after seconds.
            _ = try check(listen(descriptor, 128))
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Returns the port on which a socket listens.
    static func port(of descriptor: Descriptor) throws -> UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = try check(getsockname(descriptor, address, &length))
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Creates a pipe.
    static func makePipe() throws -> (output: Descriptor, input: Descriptor) {
        var pair: [Descriptor] = [-1, -1]
        _ = try check(pipe(&pair))
        for descriptor in pair { prepare(descriptor) }
        return (pair[0], pair[1])
    }

    /// Writes a byte to a pipe. A full pipe is readable already.
    static func wake(_ descriptor: Descriptor) {
        var byte: UInt8 = 1
        _ = write(descriptor, &byte, 1)
    }

    /// Waits until descriptors are readable, have ended, or have failed, and returns for each whether it is so.
    static func waitUntilReadable(_ descriptors: [Descriptor]) throws -> [Bool] {
        var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        _ = try check(poll(&entries, nfds_t(entries.count), -1))
        return entries.map { $0.revents != 0 }
    }

    /// Accepts a connection; nil if the client has closed it already.
    static func accept(_ listener: Descriptor) throws -> Descriptor? {
        do {
            let descriptor = try check(acceptConnection(listener, nil, nil))
            prepare(descriptor)
            #if canImport(Darwin)
            setOption(descriptor, SO_NOSIGPIPE)
            #endif
            return descriptor
        } catch let error as POSIXError {
            // A thread that waited in spite of an error without a remedy, such as the lack of descriptors, would turn
            // without end.
            guard [.EAGAIN, .ECONNABORTED].contains(error.code) else { throw error }
            return nil
        }
    }

    /// Receives the bytes that have arrived; nil at the end of the stream, or after an error.
    static func receive(_ descriptor: Descriptor) -> [UInt8]? {
        do {
            let bytes = try [UInt8](unsafeUninitializedCapacity: 1 << 14) { buffer, count in
                count = try check(recv(descriptor, buffer.baseAddress, buffer.count, 0))
            }
            return bytes.isEmpty ? nil : bytes
        } catch {
            return (error as? POSIXError)?.code == .EAGAIN ? [] : nil
        }
    }

    /// Sends bytes that fit into the buffer of a connection. If the client has gone, nothing is sent.
    static func send(_ descriptor: Descriptor, _ bytes: [UInt8]) {
        _ = try? check(sendBytes(descriptor, bytes, bytes.count, noSignalFlag))
    }

    /// Ends the stream to the client.
    static func endSending(_ descriptor: Descriptor) { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    static func close(_ descriptor: Descriptor) { _ = closeDescriptor(descriptor) }

    /// Prevents child processes from inheriting a descriptor, and calls on it from blocking.
    private static func prepare(_ descriptor: Descriptor) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    private static func setOption(_ descriptor: Descriptor, _ name: Int32) {
        var value: Int32 = 1
        _ = setsockopt(descriptor, SOL_SOCKET, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Returns the value of a call, or throws the error in `errno` if the call failed.
    private static func check<Value: SignedInteger>(_ call: @autoclosure () -> Value) throws -> Value {
        while true {
            let value = call()
            if value >= 0 { return value }
            let code = errno
            if code != EINTR { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
        }
    }

    #if canImport(Darwin)
    private static let streamType = SOCK_STREAM
    private static let noSignalFlag: Int32 = 0
    private static let sendBytes = Darwin.send
    private static let acceptConnection = Darwin.accept
    private static let closeDescriptor = Darwin.close
    #elseif canImport(Musl)
    private static let streamType = SOCK_STREAM
    private static let noSignalFlag = MSG_NOSIGNAL
    private static let sendBytes = Musl.send
    private static let acceptConnection = Musl.accept
    private static let closeDescriptor = Musl.close
    #else
    private static let streamType = Int32(SOCK_STREAM.rawValue)
    private static let noSignalFlag = Int32(MSG_NOSIGNAL)
    private static let sendBytes = Glibc.send
    private static let acceptConnection = Glibc.accept
    private static let closeDescriptor = Glibc.close
    #endif
}
