#if canImport(FoundationNetworking)
/// The bytes on their way to the server of a WebSocket, piece by piece, each a whole frame.
///
/// A piece is sent from the array that it was written to, which keeps its address until all of it is sent: TLS demands
/// that a write is repeated with the same bytes at the same address.
struct WebSocketOutput {
    private struct Piece {
        let bytes: [UInt8]
        let answer: WebSocketChannel.Answer?
    }

    /// The piece that was offered to the connection, and stays until all of it is sent.
    private var current: Piece?
    /// The number of its bytes that have been sent.
    private var sentBytes = 0
    /// The newest pong, which has not been offered.
    private var pong: [UInt8]?
    /// The pieces after the current one.
    private var pieces = Line<Piece>()
    /// Whether the socket has no room for more.
    private(set) var isBlocked = false
    /// libcurl's result, if the connection has failed.
    private(set) var failure: Int32?

    /// Adds a piece.
    /// - Parameter answer: Called when all of its bytes are sent, or when they never will be.
    mutating func append(_ bytes: [UInt8], _ answer: WebSocketChannel.Answer? = nil) {
        pieces.append(Piece(bytes: bytes, answer: answer))
    }

    /// Puts a pong before the pieces that have not been offered, in place of an earlier one there: only the most recent
    /// ping needs an answer (RFC 6455, section 5.5.3). A server that sends pings and never reads would otherwise fill
    /// the memory.
    mutating func setPong(_ bytes: [UInt8]) { pong = bytes }

    /// Records that the socket has room again.
    mutating func unblock() { isBlocked = false }

    /// Sends as much as the connection takes, until it fails.
    /// - Parameter write: Sends the beginning of some bytes.
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

    /// Drops the pieces that have not been sent.
    mutating func fail(with error: any Error) {
        let current = current
        var rest = pieces
        self = WebSocketOutput()
        current?.answer?(.failure(error))
        while let piece = rest.take() { piece.answer?(.failure(error)) }
    }
}
#endif
