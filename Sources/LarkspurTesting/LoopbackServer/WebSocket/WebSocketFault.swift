internal import Foundation
internal import HTTPSyntax

extension LoopbackServer {
    /// A fault of a WebSocket server, to test the behaviour of a client.
    ///
    /// Each fault is available as a route, ``LoopbackServer/webSocket(_:fault:)``, and at the path ``path`` of every
    /// server. A fault of the connection begins after the opening response. After the fault, the server waits until the
    /// client disconnects. While it waits, it replies to pings and close frames, unless the fault consists in sending
    /// no replies.
    public enum WebSocketFault: String, Sendable, CaseIterable {
        // MARK: A broken opening

        /// The response is a 403 with a body.
        case refusal
        /// The response's `Sec-WebSocket-Accept` belongs to another key.
        case wrongAccept = "wrong-accept"
        /// The response has an extension that the client has not offered.
        case unofferedExtension = "unoffered-extension"
        /// The response has the extension permessage-deflate with a window of 99 bits.
        case invalidExtension = "invalid-extension"
        /// The response has a subprotocol that the client has not offered.
        case unofferedSubprotocol = "unoffered-subprotocol"

        // MARK: Broken frames

        /// A complete HTTP response follows the opening response.
        case httpAfterOpening = "http-after-opening"
        /// A text frame is masked.
        case maskedFrame = "masked-frame"
        /// A text frame has the reserved bit RSV1, although no extension was negotiated.
        case reservedBits = "reserved-bits"
        /// A frame has an opcode that does not exist in the protocol.
        case reservedOpcode = "reserved-opcode"
        /// A text message is not UTF-8.
        case invalidText = "invalid-text"
        /// A continuation frame is sent before any message has begun.
        case unexpectedContinuation = "unexpected-continuation"
        /// A ping is a fragment.
        case fragmentedPing = "fragmented-ping"
        /// A frame announces 2^62 bytes, of which 1,024 are sent.
        case oversizedFrame = "oversized-frame"
        /// A close frame has the code 1005, which must never be sent.
        case invalidCloseCode = "invalid-close-code"

        // MARK: A broken end

        /// The connection is closed in the middle of a frame.
        case truncatedFrame = "truncated-frame"
        /// The connection is reset in the middle of a fragmented message.
        case resetInMessage = "reset-in-message"
        /// The connection is closed after a message, without a close frame.
        case noCloseFrame = "no-close-frame"

        // MARK: No end

        /// Fragments of one message follow each other without end, as fast as the client reads them.
        case endlessFragments = "endless-fragments"
        /// Empty fragments of one message follow each other without end, as fast as the client reads them.
        case endlessEmptyFragments = "endless-empty-fragments"
        /// The server does not reply to the client's close frame, and the connection stays open.
        case unansweredClose = "unanswered-close"
        /// Nothing is ever sent, not even pongs, and the connection stays open.
        case silence

        /// The path at which every server has this fault, such as `/websocket/fault/masked-frame`.
        public var path: String { "/websocket/fault/\(rawValue)" }

        /// The outcome that a client can expect.
        public var outcome: Outcome {
            switch self {
            case .refusal, .wrongAccept, .unofferedExtension, .invalidExtension, .unofferedSubprotocol: .refusal
            case .httpAfterOpening, .maskedFrame, .reservedBits, .reservedOpcode, .invalidText, .unexpectedContinuation,
                .fragmentedPing, .oversizedFrame, .invalidCloseCode, .truncatedFrame, .resetInMessage, .noCloseFrame,
                .endlessFragments:
                .failure
            case .endlessEmptyFragments, .unansweredClose, .silence: .endless
            }
        }

        /// The outcome that a client can expect from a fault.
        public enum Outcome: Sendable {
            /// The client does not open the connection, and reports an error.
            case refusal
            /// The client opens the connection, and then reports an error.
            case failure
            /// The connection does not end: the client has to end it.
            case endless
        }

        /// The body of the response of ``refusal``.
        public static let refusalBody = "You may not open this connection.\n"

        /// The message that ``noCloseFrame`` sends before it disconnects.
        public static let message = "The last message."
    }
}

extension LoopbackServer.WebSocketFault {
    /// Changes the fields of an opening response, if the fault is in them.
    func change(_ fields: inout LoopbackServer.Fields) {
        switch self {
        case .wrongAccept: fields["Sec-WebSocket-Accept"] = WebSocketKey().accept
        case .unofferedExtension: fields["Sec-WebSocket-Extensions"] = "x-unoffered"
        case .invalidExtension: fields["Sec-WebSocket-Extensions"] = "permessage-deflate; server_max_window_bits=99"
        case .unofferedSubprotocol: fields["Sec-WebSocket-Protocol"] = "x-unoffered"
        default: break
        }
    }

    /// Sends the frames of the fault. Then waits until the client disconnects, unless the connection ends before.
    func run(on socket: LoopbackServer.WebSocket) throws {
        switch self {
        case .refusal, .wrongAccept, .unofferedExtension, .invalidExtension, .unofferedSubprotocol: break
        case .httpAfterOpening:
            try socket.send(raw: Data("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHello".utf8))
        case .maskedFrame: try socket.send(.text, "Hello", mask: WebSocketMask(key: 0x0102_0304))
        case .reservedBits: try socket.send(.text, "Hello", reserved: WebSocketFrameHeader.compressed)
        case .reservedOpcode: try socket.send(raw: Data([0x83, 0]))
        case .invalidText: try socket.send(raw: Data([0x81, 3, 0x41, 0xFF, 0x42]))
        case .unexpectedContinuation: try socket.send(.continuation, "Hello")
        case .fragmentedPing: try socket.send(.ping, "Hello", isFinal: false)
        case .oversizedFrame:
            try socket.send(.binary, String(repeating: "x", count: 1_024), announcing: 1 << 62)
        case .invalidCloseCode: try socket.send(raw: Data([0x88, 2, 0x03, 0xED]))

        case .truncatedFrame:
            try socket.send(.text, "Hello", announcing: 100)
            socket.ending = .disconnect
            return
        case .resetInMessage:
            try socket.send(.text, "Hello", isFinal: false)
            socket.ending = .reset
            return
        case .noCloseFrame:
            try socket.send(Self.message)
            socket.ending = .disconnect
            return

        case .endlessFragments: try sendFragments(of: 16 * 1_024, on: socket)
        case .endlessEmptyFragments: try sendFragments(of: 0, on: socket)
        case .unansweredClose, .silence:
            socket.ending = .disconnect
            if self == .unansweredClose { try answerPings(on: socket) }
            return socket.waitUntilDisconnected()
        }
        for _ in socket {}
    }

    /// Sends fragments until the client has disconnected or the server stops.
    private func sendFragments(of size: Int, on socket: LoopbackServer.WebSocket) throws {
        socket.ending = .disconnect
        try socket.send(.text, "Hello", isFinal: false)
        var frames: [UInt8] = []
        // Many frames are sent at once, because sending each frame alone would be slow.
        while frames.count < 16 * 1_024 {
            WebSocketFrameHeader(isFinal: false, opcode: .continuation, length: UInt64(size)).write(into: &frames)
            frames.append(contentsOf: repeatElement(UInt8(ascii: "x"), count: size))
        }
        while true { try socket.send(raw: Data(frames)) }
    }

    private func answerPings(on socket: LoopbackServer.WebSocket) throws {
        socket.answersClose = false
        for _ in socket {}
    }
}

extension LoopbackServer.WebSocket {
    /// Sends a frame that may be invalid.
    fileprivate func send(
        _ opcode: WebSocketOpcode,
        _ content: String,
        isFinal: Bool = true,
        reserved: UInt8 = 0,
        mask: WebSocketMask? = nil,
        announcing length: UInt64? = nil
    ) throws {
        var bytes: [UInt8] = []
        var content = Array(content.utf8)
        WebSocketFrameHeader(
            isFinal: isFinal,
            reserved: reserved,
            opcode: opcode,
            mask: mask,
            length: length ?? UInt64(content.count)
        ).write(into: &bytes)
        content.withUnsafeMutableBytes { mask?.apply(to: $0, offset: 0) }
        try send(raw: Data(bytes + content))
    }
}
