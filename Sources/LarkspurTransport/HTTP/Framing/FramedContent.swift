#if canImport(FoundationNetworking)

/// The arriving content of one response. It separates content from framing, and determines whether all content has
/// arrived.
struct FramedContent: Sendable {
    enum Failure: Error, Equatable {
        case chunks(ChunkedDecoder.Failure)
        /// The server sends more content than it announced.
        case excess

        var sentence: String {
            switch self {
            case .chunks(let failure): failure.sentence
            case .excess: "The server sends more content than it announced."
            }
        }
    }

    let framing: ResponseFraming
    /// The number of bytes of content that have arrived.
    private(set) var count: Int64 = 0
    /// The first error in the bytes; nil if there is none.
    private(set) var failure: Failure?
    private var chunks = ChunkedDecoder()

    init(_ framing: ResponseFraming) { self.framing = framing }

    /// Takes bytes from libcurl, including chunk framing.
    /// - Returns: The content in the bytes, up to the first error.
    mutating func take(_ bytes: UnsafeRawBufferPointer) -> Part {
        var part = Part()
        guard failure == nil else { return part }
        switch framing {
        case .none: return part
        case .close, .stream: part.add(bytes)
        case .length(let length):
            let rest = Int(clamping: length - count)
            part.add(UnsafeRawBufferPointer(rebasing: bytes.prefix(rest)))
            if bytes.count > rest { failure = .excess }
        case .chunked:
            do throws(ChunkedDecoder.Failure) {
                try chunks.decode(bytes) { part.add($0) }
            } catch {
                failure = .chunks(error)
            }
        }
        count += Int64(part.count)
        return part
    }

    /// Whether all content has arrived, if the connection or the stream now ends without an error.
    var isComplete: Bool {
        guard failure == nil else { return false }
        return switch framing {
        case .none, .close, .stream: true
        case .length(let length): count == length
        case .chunked: chunks.isComplete
        }
    }

    /// Whether all content has arrived, whatever happens to the connection.
    var hasEnded: Bool {
        guard isComplete else { return false }
        return switch framing {
        case .none, .length, .chunked: true
        case .close, .stream: false
        }
    }

    /// The lines of the trailer section of chunked content, without their line ends. They are complete when the content
    /// is.
    var trailers: [[UInt8]] { chunks.trailers }

    /// The total number of bytes of content; nil if it is not known.
    var expectedCount: Int64? {
        switch framing {
        case .none: 0
        case .length(let length): length
        case .chunked, .close, .stream: nil
        }
    }
}

extension FramedContent {
    /// Contiguous content: a part of the received bytes themselves, or a copy if there was framing between parts of the
    /// content.
    struct Part {
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

        /// Passes the content to a closure. The content is valid only as long as the received bytes are.
        func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
            if joined.isEmpty { body(bytes) } else { joined.withUnsafeBytes(body) }
        }
    }
}

#endif
