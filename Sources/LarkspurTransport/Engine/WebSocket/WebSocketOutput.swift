#if canImport(FoundationNetworking)
/// The bytes on their way to the server of a WebSocket, piece by piece.
///
/// A piece is sent from the array that it was written to, which keeps its address until all of it is sent: TLS demands
/// that a write is repeated with the same bytes at the same address.
struct WebSocketOutput {
    private struct Piece {
        let bytes: [UInt8]
        let answer: WebSocketChannel.Answer?
    }

    private var pieces: [Piece] = []
    /// The number of pieces that have been sent completely.
    private var sentPieces = 0
    /// The number of bytes of the next piece that have been sent.
    private var sentBytes = 0
    /// Whether the socket has no room for more.
    private(set) var isBlocked = false

    /// Adds a piece.
    /// - Parameter answer: Called when all of its bytes are sent, or when they never will be.
    mutating func append(_ bytes: [UInt8], _ answer: WebSocketChannel.Answer? = nil) {
        pieces.append(Piece(bytes: bytes, answer: answer))
    }

    /// Notes that the socket has room again.
    mutating func unblock() { isBlocked = false }

    /// Sends as much as the connection takes.
    /// - Parameter write: Sends the beginning of some bytes.
    /// - Returns: libcurl's result if the connection has failed; nil if it has not.
    mutating func send(by write: (UnsafeRawBufferPointer) -> EasyHandle.ByteResult) -> Int32? {
        while !isBlocked, sentPieces < pieces.count {
            let piece = pieces[sentPieces]
            let result = piece.bytes.withUnsafeBytes { write(UnsafeRawBufferPointer(rebasing: $0[sentBytes...])) }
            switch result {
            case .notReady: isBlocked = true
            case .failed(let result): return result
            case .bytes(let count):
                sentBytes += count
                guard sentBytes == piece.bytes.count else { break }
                sentPieces += 1
                sentBytes = 0
                piece.answer?(.success(()))
            }
        }
        if sentPieces > 64 || sentPieces == pieces.count {
            pieces.removeFirst(sentPieces)
            sentPieces = 0
        }
        return nil
    }

    /// Drops the pieces that have not been sent.
    mutating func fail(with error: any Error) {
        let rest = pieces[sentPieces...]
        self = WebSocketOutput()
        for piece in rest { piece.answer?(.failure(error)) }
    }
}
#endif
