#if canImport(FoundationNetworking)

/// The content of one response on its way in: what of the bytes is content, and whether all of it has come.
struct FramedContent: Sendable {
    enum Failure: Error, Equatable {
        case chunks(ChunkedDecoder.Failure)
        /// More content than was announced.
        case excess

        var sentence: String {
            switch self {
            case .chunks(let failure): failure.sentence
            case .excess: "The server sends more content than it announced."
            }
        }
    }

    let framing: ResponseFraming
    /// The number of bytes of content that have come.
    private(set) var count: Int64 = 0
    /// The error in the bytes; set once.
    private(set) var failure: Failure?
    private var chunks = ChunkedDecoder()

    init(_ framing: ResponseFraming) { self.framing = framing }

    /// Takes bytes as libcurl hands them over, chunks with all that is around them.
    /// - Returns: The content among them, up to what is wrong with them, if anything is.
    mutating func take(_ bytes: UnsafeRawBufferPointer) -> Piece {
        var piece = Piece()
        guard failure == nil else { return piece }
        switch framing {
        case .none: return piece
        case .close, .stream: piece.add(bytes)
        case .length(let length):
            let rest = Int(clamping: length - count)
            piece.add(UnsafeRawBufferPointer(rebasing: bytes.prefix(rest)))
            if bytes.count > rest { failure = .excess }
        case .chunked:
            do throws(ChunkedDecoder.Failure) {
                try chunks.decode(bytes) { piece.add($0) }
            } catch {
                failure = .chunks(error)
            }
        }
        count += Int64(piece.count)
        return piece
    }

    /// Whether all of the content has come, if the connection or the stream has ended now in order.
    var isComplete: Bool {
        guard failure == nil else { return false }
        return switch framing {
        case .none, .close, .stream: true
        case .length(let length): count == length
        case .chunked: chunks.isComplete
        }
    }

    /// The number of bytes of content that there will be; nil where that is not known.
    var expectedCount: Int64? {
        switch framing {
        case .none: 0
        case .length(let length): length
        case .chunked, .close, .stream: nil
        }
    }
}

extension FramedContent {
    /// Content in one piece: the bytes that came where they are, or a copy where there was something between them.
    struct Piece {
        private var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        private var joined: [UInt8] = []

        var count: Int { joined.isEmpty ? bytes.count : joined.count }

        fileprivate mutating func add(_ more: UnsafeRawBufferPointer) {
            if count == 0 {
                bytes = more
            } else {
                if joined.isEmpty { joined.append(contentsOf: bytes) }
                joined.append(contentsOf: more)
            }
        }

        /// Lends the content, which is valid as long as the bytes that it was taken from.
        func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
            if joined.isEmpty { body(bytes) } else { joined.withUnsafeBytes(body) }
        }
    }
}

#endif
