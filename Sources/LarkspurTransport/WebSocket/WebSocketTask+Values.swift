#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The settings of a WebSocket.
public struct WebSocketOptions: Sendable, Hashable {
    /// The names of the subprotocols that the server may choose, in the order of preference. Default: none.
    public var protocols: [String] = []
    /// The maximum size of a received message, in bytes after decompression. Default: 16 MiB. If a message is larger,
    /// the connection ends with the close code 1009.
    public var maximumMessageSize = 16 << 20
    /// Whether compression by permessage-deflate (RFC 7692) is offered to the server. Default: true. If the machine has
    /// no zlib, compression is not offered.
    public var offersCompression = true
    /// The time between two pings; nil for no pings. Default: nil. Pings detect that the server is no longer reachable.
    /// If no pong has arrived before the next ping is due, the task ends with the code `timedOut`.
    public var pingInterval: Duration?
    /// The maximum time in which the server must send its close frame and close the connection. Default: 10 seconds.
    public var closeTimeout: Duration = .seconds(10)

    /// Creates options with their defaults.
    public init() {}
}

extension WebSocketTask {
    /// A message that is sent to the other side or was received from it.
    public enum Message: Sendable, Hashable {
        /// Text, which is sent as UTF-8.
        case text(String)
        /// Bytes.
        case data(Data)
    }

    /// The reason for which a side closes the connection (RFC 6455, section 7.4).
    public struct CloseCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The number.
        public let rawValue: Int

        /// Creates a code from its number. Programs may define codes from 4000 to 4999.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The connection is no longer needed.
        public static let normalClosure = CloseCode(rawValue: 1000)
        /// The server shuts down, or the user has left.
        public static let goingAway = CloseCode(rawValue: 1001)
        /// The other side has violated a rule of the protocol.
        public static let protocolError = CloseCode(rawValue: 1002)
        /// The other side has sent a message of a type that the receiver does not accept.
        public static let unsupportedData = CloseCode(rawValue: 1003)
        /// The other side has sent text that is not UTF-8, or malformed compressed content.
        public static let invalidFramePayloadData = CloseCode(rawValue: 1007)
        /// The other side has sent a message that violates a rule of the receiver.
        public static let policyViolation = CloseCode(rawValue: 1008)
        /// The other side has sent a message that is larger than the receiver accepts.
        public static let messageTooBig = CloseCode(rawValue: 1009)
        /// The server has not agreed to an extension that the client needs.
        public static let mandatoryExtensionMissing = CloseCode(rawValue: 1010)
        /// The server has failed.
        public static let internalServerError = CloseCode(rawValue: 1011)
        /// The server restarts, and accepts connections later.
        public static let serviceRestart = CloseCode(rawValue: 1012)
        /// The server is overloaded, and accepts connections later.
        public static let tryAgainLater = CloseCode(rawValue: 1013)

        /// The number.
        public var description: String { String(rawValue) }

        /// Whether the code means that there was no error.
        var isOrderly: Bool { self == .normalClosure || self == .goingAway }
    }

    /// The close frame of the other side.
    public struct CloseFrame: Sendable, Hashable {
        /// The code; nil if the frame had no code.
        public var code: CloseCode?
        /// The reason in words; empty if the frame had no reason.
        public var reason: String

        /// Creates a close frame.
        /// - Parameters:
        ///   - code: The code; nil for none.
        ///   - reason: The reason in words. Default: none.
        public init(code: CloseCode?, reason: String = "") {
            self.code = code
            self.reason = reason
        }
    }

    /// The messages of a WebSocket as they arrive.
    ///
    /// The sequence ends when the server closes the connection with the code 1000, with the code 1001, or without a
    /// code. If the connection ends in another way, the sequence throws a ``WebSocketError`` or a `URLError`. If the
    /// consuming task is cancelled, it throws `CancellationError`. If too many messages are not consumed, the
    /// connection pauses.
    public struct Messages: AsyncSequence, Sendable {
        /// The element: a message.
        public typealias Element = Message

        let channel: WebSocketChannel

        /// The iterator over the messages.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let channel: WebSocketChannel

            /// Returns the next message; nil after the end of the sequence.
            public mutating func next() async throws -> Message? { try await channel.next() }
        }

        /// Creates an iterator.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(channel: channel) }
    }
}

/// The error of a WebSocket. The server has refused the handshake, has violated the protocol, or has closed the
/// connection with an error code.
///
/// Failures of the network are `URLError`s, as in other tasks.
public struct WebSocketError: LocalizedError, CustomStringConvertible, Sendable {
    /// The kind of an error. Later releases may add kinds.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        // The cases have raw values, because a program that was built without reflection metadata cannot print the
        // names of its cases.
        private enum Value: String { case refused, violation, closed, invalidArgument, ended }

        private let value: Value

        /// The server's response was not a 101, or was not a valid 101. See ``WebSocketError/response`` and
        /// ``WebSocketError/content``.
        public static let refused = Kind(value: .refused)
        /// The server has violated a rule of the protocol, or has exceeded a limit of the options.
        public static let violation = Kind(value: .violation)
        /// The server has closed the connection with a code other than 1000 and 1001. See
        /// ``WebSocketError/closeFrame``.
        public static let closed = Kind(value: .closed)
        /// An argument is not allowed. It is a control frame of more than 125 bytes, a subprotocol that is not a token,
        /// or a close code that must not be sent.
        public static let invalidArgument = Kind(value: .invalidArgument)
        /// The connection has ended or is being closed.
        public static let ended = Kind(value: .ended)

        /// The name of the kind, such as `refused`.
        public var description: String { value.rawValue }
    }

    /// The kind of the error.
    public let kind: Kind
    /// The response to the handshake; nil if there is none.
    public let response: HTTPURLResponse?
    /// The content of a response that refused the handshake; nil if there is none.
    public let content: Data?
    /// The close frame of the server; nil if there is none.
    public let closeFrame: WebSocketTask.CloseFrame?
    private let sentence: String

    init(
        _ kind: Kind,
        _ sentence: String,
        response: HTTPURLResponse? = nil,
        content: Data? = nil,
        closeFrame: WebSocketTask.CloseFrame? = nil
    ) {
        self.kind = kind
        self.sentence = sentence
        self.response = response
        self.content = content
        self.closeFrame = closeFrame
    }

    /// The description of the failure, in one or more sentences.
    public var errorDescription: String? { sentence }

    /// The description of the failure, in one or more sentences.
    public var description: String { sentence }
}

extension WebSocketError: CustomReflectable {
    /// The kind and the description. A dump does not show the response, whose fields and URL may have secrets.
    public var customMirror: Mirror {
        Mirror(self, children: ["kind": kind.description, "description": description], displayStyle: .struct)
    }
}

extension WebSocketError {
    static let closing = WebSocketError(.ended, "The WebSocket is being closed, and sends no more messages.")

    static func ended(_ frame: WebSocketTask.CloseFrame?) -> WebSocketError {
        WebSocketError(.ended, "The WebSocket has been closed.", closeFrame: frame)
    }

    /// Creates the error of a handshake that has not opened a connection. `response` is nil if the server has sent no
    /// response.
    package static func refused(_ response: HTTPURLResponse?, _ content: Data?) -> WebSocketError {
        let sentence =
            switch response?.statusCode {
            case nil, 101: "The WebSocket's handshake was answered without a connection."
            case let status?: "The server refused the WebSocket: it responded with the status \(status), not with 101."
            }
        return WebSocketError(.refused, sentence, response: response, content: content)
    }

    static func closed(_ frame: WebSocketTask.CloseFrame) -> WebSocketError {
        let code = frame.code.map { "the code \($0)" } ?? "no code"
        let reason = frame.reason.isEmpty ? "" : " and the reason: \(frame.reason.onOneLine)"
        return WebSocketError(.closed, "The server closed the WebSocket with \(code)\(reason).", closeFrame: frame)
    }

    init(_ failure: WebSocketFailure) { self.init(.violation, failure.sentence) }

    init(_ error: WebSocketArgumentError) { self.init(.invalidArgument, error.sentence) }
}

extension WebSocketMessage {
    init(_ message: WebSocketTask.Message) {
        switch message {
        case .text(let text): self = .text(text)
        case .data(let data): self = .binary(data)
        }
    }
}

extension WebSocketTask.Message {
    init(_ message: WebSocketMessage) {
        switch message {
        case .text(let text): self = .text(text)
        case .binary(let data): self = .data(data)
        }
    }

    /// The approximate number of bytes, for the limit of buffered messages.
    var size: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .data(let data): data.count
        }
    }
}
#endif
