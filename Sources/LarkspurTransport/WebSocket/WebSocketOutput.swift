#if canImport(FoundationNetworking)
/// The bytes that a WebSocket sends, in pieces. Each piece is a frame or the request of the handshake.
///
/// A piece is sent from the array to which it was written. The array is not moved until all of its bytes are sent,
/// because TLS requires that a write is repeated with the same bytes at the same address.
struct WebSocketOutput {
    private struct Piece {
        let bytes: [UInt8]
        let answer: WebSocketChannel.Answer?
    }

    /// The piece that is being sent. It is stored here until all of its bytes are sent.
    private var current: Piece?
    /// The number of the current piece's bytes that were sent.
    private var sentBytes = 0
    /// The latest pong, if its sending has not begun.
    private var pong: [UInt8]?
    /// The pieces to send after the current piece and the pong.
    private var pieces = Line<Piece>()
    /// Whether the socket accepts no more bytes at the moment.
    private(set) var isBlocked = false
    /// libcurl's result code for the failure of the connection; nil if the connection has not failed.
    private(set) var failure: Int32?

    /// Adds a piece.
    /// - Parameter answer: Called when the whole piece was sent, or when it can no longer be sent.
    mutating func append(_ bytes: [UInt8], _ answer: WebSocketChannel.Answer? = nil) {
        pieces.append(Piece(bytes: bytes, answer: answer))
    }

    /// Adds a pong before the pieces whose sending has not begun. It replaces an earlier pong that waits, because only
    /// the latest ping needs a pong (RFC 6455, section 5.5.3). If all pongs were stored, a server that sends pings and
    /// never reads could fill the memory.
    mutating func setPong(_ bytes: [UInt8]) { pong = bytes }

    /// Records that the socket accepts bytes again.
    mutating func unblock() { isBlocked = false }

    /// Sends as many bytes as the connection accepts. Stops if the connection fails.
    /// - Parameter write: Sends the given bytes, or only the first of them.
    mutating func send(by write: (UnsafeRawBufferPointer) -> EasyHandle.ByteResult) {
        while !isBlocked, failure == nil, let piece = current ?? takeNext() {
            current = piece
            switch piece.bytes.withUnsafeBytes({ write(UnsafeRawBufferPointer(rebasing: $0[sentBytes...])) }) {
            case .notReady: isBlocked = true
            case .failed(let result): failure = result
            case .bytes(let count):
                sentBytes += count
                guard sentBytes == piece.bytes.count else { break }
                current = nil
                sentBytes = 0
                piece.answer?(.success(()))
            }
        }
    }

    private mutating func takeNext() -> Piece? {
        if let bytes = pong.take() { return Piece(bytes: bytes, answer: nil) }
        return pieces.take()
    }

    /// Discards the pieces that were not sent.
    mutating func fail(with error: any Error) {
        let current = current
        var rest = pieces
        self = WebSocketOutput()
        current?.answer?(.failure(error))
        while let piece = rest.take() { piece.answer?(.failure(error)) }
    }
}
#endif
