public import Foundation
internal import HTTPSyntax
internal import Synchronization

extension LoopbackServer {
    /// The server's side of a WebSocket connection (RFC 6455). A handler receives it
    /// (``LoopbackServer/webSocket(_:protocols:maximumMessageSize:handler:)``).
    ///
    /// It is a sequence of the client's messages. The sequence ends when the client closes or disconnects, or the
    /// server stops:
    ///
    ///     server.webSocket("/echo") { socket in
    ///         for message in socket { try socket.send(message) }
    ///     }
    ///
    /// While a thread waits for a message, the server sends a pong for each ping, and replies to a close frame with the
    /// same code. Every method may be called on any thread until the handler returns, but only one thread at a time may
    /// receive.
    public final class WebSocket: Sendable {
        /// A message.
        public enum Message: Sendable, Hashable {
            /// A text message.
            case text(String)
            /// A binary message.
            case data(Data)
        }

        /// A message or a control frame from the client.
        public enum Event: Sendable, Hashable {
            /// A whole message, in one or more frames.
            case message(Message)
            /// A ping with its content. The pong has been sent (``WebSocket/answersPings``).
            case ping(Data)
            /// A pong with its content.
            case pong(Data)
            /// The close frame. The client sends nothing after it. The code is nil if the frame has none. The server's
            /// close frame has been sent (``WebSocket/answersClose``).
            case close(code: UInt16?, reason: String)
        }

        /// The end of the connection after the handler has returned.
        public enum Ending: Sendable, Hashable {
            /// The server sends a close frame with the code 1000, unless it has already sent one. It waits up to 1
            /// second for the client's close frame.
            case close
            /// The server disconnects without a close frame.
            case disconnect
            /// The server resets the connection.
            case reset
        }

        /// The error of a connection that has ended, of an argument that is not allowed in a frame, or of a client that
        /// violates the protocol.
        public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
            /// The reason.
            public let description: String
            /// The code of the close frame that the server has sent because the client violates the protocol; nil for
            /// other reasons.
            public let closeCode: UInt16?

            fileprivate init(_ description: String, closeCode: UInt16? = nil) {
                self.description = description
                self.closeCode = closeCode
            }
        }

        private struct Settings {
            var answersPings = true
            var answersClose = true
            var ending = Ending.close
        }

        private struct Reading {
            var reader: WebSocketReader
            var events: ArraySlice<WebSocketEvent>
            /// Whether the client has disconnected, or the handler has returned.
            var hasEnded = false
        }

        private struct Writing {
            var hasSentClose = false
            /// Whether the handler has returned. After that, nothing may be sent, because the descriptor may belong to
            /// another file.
            var hasEnded = false
        }

        /// The opening request.
        public let request: Request
        /// The subprotocol that the server chose; nil if it chose none.
        public let subprotocol: String?

        private let socket: Socket
        private let settings = Mutex(Settings())
        /// The state of receiving. Its lock is held during the wait for bytes.
        private let reading: Mutex<Reading>
        /// The state of sending. Its lock is held during the sending of a frame.
        private let writing = Mutex(Writing())

        /// - Parameter received: The bytes that were received after the opening request.
        init(request: Request, subprotocol: String?, maximumMessageSize: Int, socket: Socket, received: [UInt8]) {
            self.request = request
            self.subprotocol = subprotocol
            self.socket = socket
            var reader = WebSocketReader(role: .server, limits: .init(messageSize: maximumMessageSize))
            let events = reader.read(received)
            reading = Mutex(Reading(reader: reader, events: events[...]))
        }

        /// Whether pongs are sent for pings while a thread waits for a message. Default: true.
        public var answersPings: Bool {
            get { settings.withLock { $0.answersPings } }
            set { settings.withLock { $0.answersPings = newValue } }
        }

        /// Whether a close frame is sent after the client's close frame. Default: true.
        public var answersClose: Bool {
            get { settings.withLock { $0.answersClose } }
            set { settings.withLock { $0.answersClose = newValue } }
        }

        /// The end of the connection after the handler has returned. Default: ``Ending/close``.
        public var ending: Ending {
            get { settings.withLock { $0.ending } }
            set { settings.withLock { $0.ending = newValue } }
        }
    }
}

// MARK: - Receiving

extension LoopbackServer.WebSocket {
    /// Blocks the thread until the client has sent a message, a control frame, or the end of the connection.
    ///
    /// - Returns: The event; nil after the client's close frame, if the client has disconnected, and if the server
    ///   stops.
    /// - Throws: ``Failure`` if the client violates the protocol; the server has then sent a close frame. `POSIXError`
    ///   if the client has reset the connection.
    public func receive() throws -> Event? {
        guard let event = try nextEvent() else { return nil }
        switch event {
        case .message(.text(let text)): return .message(.text(text))
        case .message(.binary(let data)): return .message(.data(data))
        case .ping(let content):
            // Sending the pong fails if the client has disconnected. That also ends the events.
            if answersPings { try? pong(content) }
            return .ping(content)
        case .pong(let content): return .pong(content)
        case .close(let code, let reason):
            if answersClose { try? close(code: code) }
            return .close(code: code, reason: reason)
        case .failure(let failure):
            try? close(code: failure.closeCode, reason: failure.sentence)
            throw Failure(failure.sentence, closeCode: failure.closeCode)
        }
    }

    private func nextEvent() throws -> WebSocketEvent? {
        try reading.withLock { state in
            while true {
                if let event = state.events.popFirst() { return event }
                guard !state.hasEnded, !state.reader.hasEnded else { return nil }
                guard let bytes = try socket.receive() else {
                    state.hasEnded = true
                    return nil
                }
                state.events = state.reader.read(bytes)[...]
            }
        }
    }

    /// Blocks the thread until the client has disconnected or the server stops. Everything that the client sends is
    /// ignored.
    public func waitUntilDisconnected() {
        reading.withLock { state in
            state.events = []
            while !state.hasEnded {
                // An error means that the client has reset the connection.
                if (try? socket.receive()) == nil { state.hasEnded = true }
            }
        }
    }
}

extension LoopbackServer.WebSocket: Sequence {
    /// The messages of a connection.
    public struct Iterator: IteratorProtocol {
        fileprivate let socket: LoopbackServer.WebSocket

        /// Blocks the thread until the client has sent a message, and returns the message; nil at the end of the
        /// connection, or if the client violates the protocol.
        public func next() -> Message? {
            while let event = try? socket.receive() {
                if case .message(let message) = event { return message }
            }
            return nil
        }
    }

    /// Returns an iterator over the messages that were not received yet.
    public func makeIterator() -> Iterator { Iterator(socket: self) }
}

// MARK: - Sending

extension LoopbackServer.WebSocket {
    /// Sends a text message.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - fragmentSize: The largest content of a frame, in bytes; nil for one frame. Default: nil.
    /// - Throws: ``Failure`` or `POSIXError` if the connection has ended; ``Failure`` after the server's close frame.
    public func send(_ text: String, fragmentSize: Int? = nil) throws {
        try send(.text(text), fragmentSize: fragmentSize)
    }

    /// Sends a binary message.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - fragmentSize: The largest content of a frame, in bytes; nil for one frame. Default: nil.
    /// - Throws: ``Failure`` or `POSIXError` if the connection has ended; ``Failure`` after the server's close frame.
    public func send(_ data: Data, fragmentSize: Int? = nil) throws {
        try send(.data(data), fragmentSize: fragmentSize)
    }

    /// Sends a message.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - fragmentSize: The largest content of a frame, in bytes; nil for one frame. Default: nil.
    /// - Throws: ``Failure`` or `POSIXError` if the connection has ended; ``Failure`` after the server's close frame.
    public func send(_ message: Message, fragmentSize: Int? = nil) throws {
        try write { output in
            var writer = WebSocketWriter(role: .server, fragmentSize: fragmentSize)
            switch message {
            case .text(let text): try writer.write(.text(text), into: &output)
            case .data(let data): try writer.write(.binary(data), into: &output)
            }
        }
    }

    /// Sends a ping.
    ///
    /// - Parameter content: The content, at most 125 bytes. The client's pong repeats it. Default: none.
    /// - Throws: ``Failure`` if the content is too long, or after the server's close frame; ``Failure`` or
    ///   `POSIXError` if the connection has ended.
    public func ping(_ content: Data = Data()) throws {
        try write { output in
            var writer = WebSocketWriter(role: .server)
            try writer.writePing(content, into: &output)
        }
    }

    /// Sends a pong.
    ///
    /// - Parameter content: The content, at most 125 bytes. Default: none.
    /// - Throws: ``Failure`` if the content is too long, or after the server's close frame; ``Failure`` or
    ///   `POSIXError` if the connection has ended.
    public func pong(_ content: Data = Data()) throws {
        try write { output in
            var writer = WebSocketWriter(role: .server)
            try writer.writePong(content, into: &output)
        }
    }

    /// Sends a close frame. After the close frame, only ``send(raw:)`` sends anything.
    ///
    /// - Parameters:
    ///   - code: The code: 1000 to 1003, 1007 to 1014, or 3000 to 4999; nil for a frame without code and reason.
    ///     Default: 1000.
    ///   - reason: The reason. At most 123 bytes of its UTF-8 are sent, without an incomplete character. Default: none.
    /// - Throws: ``Failure`` if the code is not one of these, or if the server has sent a close frame before;
    ///   ``Failure`` or `POSIXError` if the connection has ended.
    public func close(code: UInt16? = 1000, reason: String = "") throws {
        try write(isClose: true) { output in
            var writer = WebSocketWriter(role: .server)
            try writer.writeClose(code: code, reason: reason, into: &output)
        }
    }

    /// Sends bytes unchanged. They need not be frames.
    ///
    /// - Parameter bytes: The bytes.
    /// - Throws: ``Failure`` or `POSIXError` if the connection has ended.
    public func send(raw bytes: Data) throws {
        try writing.withLock { state in
            guard !state.hasEnded else { throw Failure("The connection has ended.") }
            try socket.send(bytes)
        }
    }

    private func write(isClose: Bool = false, _ encode: (inout [UInt8]) throws -> Void) throws {
        var bytes: [UInt8] = []
        do {
            try encode(&bytes)
        } catch let error as WebSocketArgumentError {
            throw Failure(error.sentence)
        }
        try writing.withLock { state in
            guard !state.hasEnded else { throw Failure("The connection has ended.") }
            guard !state.hasSentClose else { throw Failure("The server has sent its close frame.") }
            if isClose { state.hasSentClose = true }
            try socket.send(Data(bytes))
        }
    }
}

// MARK: - The end

extension LoopbackServer.WebSocket {
    /// Ends the connection, but does not close the socket. Called when the handler has returned.
    func finish() {
        if ending == .close {
            // Closing fails if the server has already sent its close frame, or the client has disconnected.
            try? close()
        }
        // If another thread still receives, this wakes it.
        if reading.withLockIfAvailable({ finishReading(&$0) }) == nil { socket.shutDown() }
        reading.withLock { $0.hasEnded = true }
        writing.withLock { $0.hasEnded = true }
    }

    /// Waits for a limited time for the client's close frame, or until the client disconnects.
    private func finishReading(_ state: inout Reading) {
        guard ending == .close else { return }
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(1)
        while !state.hasEnded, !state.reader.hasEnded, clock.now < deadline {
            guard (try? socket.waitUntilReadable(milliseconds: 1_000)) == true, let bytes = try? socket.receive() else {
                state.hasEnded = true
                return
            }
            _ = state.reader.read(bytes)
        }
    }
}
