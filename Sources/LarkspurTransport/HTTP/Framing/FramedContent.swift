#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The arriving content of one response. This type separates content from framing, and determines whether all content
/// has arrived.
struct FramedContent: Sendable {
    enum Failure: Error, Equatable {
        case chunks(ChunkedDecoder.Failure)
        /// The server has sent more content than it announced.
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
    /// The first error in the received bytes; nil if there is none.
    private(set) var failure: Failure?
    private var chunks = ChunkedDecoder()

    init(_ framing: ResponseFraming) { self.framing = framing }

    /// Takes bytes from libcurl, including the framing of chunks.
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

    /// Whether all content has arrived if the connection or the stream now ends without an error.
    var isComplete: Bool {
        guard failure == nil else { return false }
        return switch framing {
        case .none, .close, .stream: true
        case .length(let length): count == length
        case .chunked: chunks.isComplete
        }
    }

    /// Whether all content has arrived, even if the connection fails now.
    var hasEnded: Bool {
        guard isComplete else { return false }
        return switch framing {
        case .none, .length, .chunked: true
        case .close, .stream: false
        }
    }

    /// The lines of the trailer section of chunked content, without their line ends. They are complete when the content
    /// is complete.
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
    /// Contiguous content. It is a part of the received bytes, or a copy if there was framing between the parts of the
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

        /// Passes the content to a closure. The content is valid only while the received bytes are valid.
        func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
            if joined.isEmpty { body(bytes) } else { joined.withUnsafeBytes(body) }
        }
    }
}

/// The combined meaning of the `Content-Length` fields of a message (RFC 9110, section 8.6).
enum ContentLength: Equatable, Sendable {
    /// One valid number, possibly repeated.
    case bytes(Int64)
    /// Several different values.
    case contradictory
    /// A value with characters other than digits, or a number that is too large.
    case malformed

    /// Reads the value of a field, or the values of several fields joined by commas.
    init(_ list: String) {
        let values = list.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        var number: Int64?
        for value in values {
            guard let next = Self.number(value), number == nil || number == next else {
                self = values.count > 1 ? .contradictory : .malformed
                return
            }
            number = next
        }
        self = number.map(Self.bytes) ?? .malformed
    }

    /// The number of bytes; nil if the fields do not determine it.
    var value: Int64? {
        if case .bytes(let value) = self { value } else { nil }
    }

    private static func number(_ text: Substring.UTF8View) -> Int64? {
        var value: Int64?
        var hasEnded = false
        for byte in text.drop(while: \.isBlank) {
            if byte.isBlank {
                hasEnded = true
                continue
            }
            guard byte.isDigit, !hasEnded else { return nil }
            let (tens, overflows) = (value ?? 0).multipliedReportingOverflow(by: 10)
            let (sum, overflowsToo) = tens.addingReportingOverflow(Int64(byte &- UInt8(ascii: "0")))
            guard !overflows, !overflowsToo else { return nil }
            value = sum
        }
        return value
    }
}
#endif
