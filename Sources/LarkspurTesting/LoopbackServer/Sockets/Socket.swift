internal import Foundation
internal import Synchronization

/// A stream socket. It closes its descriptor once, at the latest when its last reference is released.
///
/// One thread receives, sends and closes. Any thread may shut the socket down. This wakes the thread that uses the
/// socket.
final class Socket: Sendable {
    let descriptor: System.Descriptor
    /// Whether the descriptor is open. The lock protects the descriptor's number, because the system may give the
    /// number to another file as soon as the descriptor is closed.
    private let isOpen = Mutex(true)
    private let tls: TLSStream?
    /// The lock for sending with TLS, because the encrypted bytes must stay in order.
    private let sending = Mutex(())

    /// The number of bytes that are encrypted at a time, so that a long response is not in memory twice.
    private static let chunkSize = 1 << 18

    init(descriptor: System.Descriptor, tls: TLSStream? = nil) {
        self.descriptor = descriptor
        self.tls = tls
    }

    /// Whether the connection uses TLS.
    var isSecure: Bool { tls != nil }

    deinit {
        close()
    }

    static func listening(port: UInt16, backlog: Int32) throws -> Socket {
        Socket(descriptor: try System.makeListeningSocket(port: port, backlog: backlog))
    }

    static func listening(path: String, backlog: Int32) throws -> Socket {
        Socket(descriptor: try System.makeListeningSocket(path: path, backlog: backlog))
    }

    /// Creates a socket that receives the bytes that are sent on it.
    static func reflecting() throws -> Socket { Socket(descriptor: try System.makeReflectingSocket()) }

    static func pair() throws -> (Socket, Socket) {
        let (first, second) = try System.makeSocketPair()
        return (Socket(descriptor: first), Socket(descriptor: second))
    }

    func localPort() throws -> UInt16 {
        try System.localPort(of: descriptor)
    }

    /// Accepts a connection. Its TLS handshake begins with the first received bytes.
    /// - Parameter identity: The certificate for TLS; nil for a plain connection.
    func accept(_ identity: ServerIdentity?) throws -> Socket {
        let descriptor = try System.acceptConnection(descriptor)
        do {
            return Socket(descriptor: descriptor, tls: try identity.map(TLSStream.init))
        } catch {
            System.closeDescriptor(descriptor)
            throw error
        }
    }

    /// Receives at least one byte; nil at the end of the stream.
    func receive(atMost count: Int = 64 * 1024) throws -> [UInt8]? {
        guard let tls else { return try receiveUnprotected(atMost: count) }
        while true {
            let reading = Result { try tls.read(atMost: count) }
            // The bytes to send are parts of the handshake, or the alert after a failure.
            try flush(tls)
            switch try reading.get() {
            case .bytes(let bytes): return bytes
            case .end: return nil
            case .needsInput:
                guard let bytes = try receiveUnprotected(atMost: count) else { return nil }
                try tls.feed(bytes)
            }
        }
    }

    private func receiveUnprotected(atMost count: Int) throws -> [UInt8]? {
        let bytes = try [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            initialized = try System.receive(descriptor, into: UnsafeMutableRawBufferPointer(buffer))
        }
        return bytes.isEmpty ? nil : bytes
    }

    func send(_ data: Data) throws {
        guard let tls else { return try sendUnprotected(data) }
        try sending.withLock { _ in
            try data.withUnsafeBytes { bytes in
                var rest = bytes[...]
                while !rest.isEmpty {
                    try tls.write(UnsafeRawBufferPointer(rebasing: rest.prefix(Self.chunkSize)))
                    try sendUnprotected(tls.takeOutput())
                    rest = rest.dropFirst(Self.chunkSize)
                }
            }
        }
    }

    /// Sends the bytes that TLS has for the client.
    private func flush(_ tls: TLSStream) throws {
        try sending.withLock { _ in
            let output = tls.takeOutput()
            if !output.isEmpty { try sendUnprotected(output) }
        }
    }

    private func sendUnprotected(_ data: Data) throws {
        try data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let sent = try System.send(descriptor, UnsafeRawBufferPointer(rebasing: rest), blocking: true)
                rest = rest.dropFirst(sent)
            }
        }
    }

    /// Sends one byte. If the buffer is full, no byte is sent, because the bytes in it wake the receiver.
    func nudge() {
        withUnsafeBytes(of: UInt8(1)) { byte in
            _ = try? System.send(descriptor, byte, blocking: false)
        }
    }

    /// Returns whether bytes or the end of the stream arrived in time.
    func waitUntilReadable(milliseconds: Int32) throws -> Bool {
        try System.wait(for: [(descriptor, .readable)], milliseconds: milliseconds).contains(true)
    }

    /// Ends the stream in both directions. A thread that is blocked in `receive` or `send` returns.
    func shutDown() {
        isOpen.withLock { isOpen in
            if isOpen { System.shutDown(descriptor, .both) }
        }
    }

    func close() {
        isOpen.withLock { isOpen in
            if isOpen { System.closeDescriptor(descriptor) }
            isOpen = false
        }
    }

    /// Closes the socket with RST instead of FIN.
    func reset() {
        isOpen.withLock { isOpen in
            if isOpen {
                System.resetOnClose(descriptor)
                System.closeDescriptor(descriptor)
            }
            isOpen = false
        }
    }

    /// Ends the outgoing stream, and reads for a limited time before it closes the socket.
    ///
    /// If a socket with unread bytes is closed, the system sends RST. That can destroy the end of the response before
    /// the client has read it (RFC 9112, section 9.6).
    func closeAfterDraining(milliseconds limit: Int = 1_000) {
        if let tls, self.isOpen.withLock({ $0 }) {
            tls.close()
            // An error means that the client has disconnected.
            try? flush(tls)
        }
        let isOpen = isOpen.withLock { isOpen in
            if isOpen { System.shutDown(descriptor, .write) }
            return isOpen
        }
        guard isOpen else { return }
        let clock = ContinuousClock()
        let deadline = clock.now + .milliseconds(limit)
        // An error here means that the client has disconnected, which ends the wait.
        while clock.now < deadline, (try? waitUntilReadable(milliseconds: Int32(limit))) == true,
            (try? receiveUnprotected(atMost: 64 * 1024)) != nil
        {}
        close()
    }
}
