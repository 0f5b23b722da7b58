#if canImport(FoundationNetworking)
/// An event of an HTTP/2 or HTTP/3 stream, from a line of libcurl's trace.
enum StreamEvent: Equatable {
    /// The stream of a request was opened. This line is reported to the transfer that owns the stream.
    case opened(Int)
    /// A frame with END_STREAM has arrived.
    case ended(Int)
    /// Another frame has arrived.
    case received(Int)
    /// A DATA frame with END_STREAM was sent. The line is reported to the transfer that writes to the connection.
    case sent(Int)
    /// A RST_STREAM frame has arrived.
    case reset(Int)
    /// The server has not processed the request. It has sent REFUSED_STREAM, or a GOAWAY with a lower stream number.
    /// This line is reported to the transfer that owns the stream.
    case refused(Int)
    /// The server has not processed the request, because it requires HTTP/1.1 (HTTP_1_1_REQUIRED). This line is
    /// reported to the transfer that owns the stream.
    case downgraded(Int)
    /// The stream is closed. This line is reported to the transfer that owns the stream. But the lines about frames are
    /// reported to the transfer that reads from the connection.
    case closed(Int)
    /// The server has reset an HTTP/3 stream before its end. This line is reported to the transfer that owns the
    /// stream.
    case abandoned(Int)

    /// Parses a line; nil if the line reports no event of this type.
    init?(_ line: UnsafeRawBufferPointer) {
        let isHTTP3 = line.starts(with: Self.http3Prefix)
        guard isHTTP3 || line.starts(with: Self.prefix) else { return nil }
        // Both prefixes have the same length.
        var rest = line[Self.prefix.count...]
        var stream = 0
        while let digit = rest.first.map({ Int($0) - 0x30 }), (0...9).contains(digit), stream < 1 << 31 {
            stream = stream * 10 + digit
            rest = rest.dropFirst()
        }
        if isHTTP3 {
            guard rest.starts(with: Self.abandonment) else { return nil }
            self = .abandoned(stream)
        } else if rest.starts(with: Self.closing) {
            self = .closed(stream)
        } else if rest.starts(with: Self.opening) {
            self = .opened(stream)
        } else if rest.starts(with: Self.refusal) {
            self = .refused(stream)
        } else if rest.starts(with: Self.downgrade) {
            self = .downgraded(stream)
        } else if rest.starts(with: Self.reset) {
            self = .reset(stream)
        } else if rest.starts(with: Self.data) || rest.starts(with: Self.headers), rest.contains(Self.endStream) {
            self = .ended(stream)
        } else if rest.starts(with: Self.sentData), rest.contains(Self.endStream) {
            self = .sent(stream)
        } else if rest.starts(with: Self.received) {
            self = .received(stream)
        } else {
            return nil
        }
    }

    private static let prefix = Array("[HTTP/2] [".utf8)
    private static let http3Prefix = Array("[HTTP/3] [".utf8)
    private static let abandonment = Array("] reset -> ".utf8)
    private static let opening = Array("] OPENED stream ".utf8)
    private static let closing = Array("] CLOSED".utf8)
    private static let refusal = Array("] RESET: REFUSED_STREAM".utf8)
    private static let downgrade = Array("] RESET: HTTP_1_1_REQUIRED".utf8)
    private static let reset = Array("] <- FRAME[RST_STREAM,".utf8)
    private static let data = Array("] <- FRAME[DATA,".utf8)
    private static let received = Array("] <- FRAME[".utf8)
    private static let sentData = Array("] -> FRAME[DATA,".utf8)
    private static let headers = Array("] <- FRAME[HEADERS,".utf8)
    private static let endStream = Array(" eos=1".utf8)
}

/// The record of the streams of a shard. It distinguishes the streams that a server has ended from the streams that a
/// server has reset without an error.
///
/// libcurl, at least up to 8.16, considers both complete.
struct StreamWatch {
    private struct Stream: Hashable {
        let connection: Int64?
        let number: Int
    }

    private var ended: Set<Stream> = []
    private var reset: Stream?

    /// Records an event of a stream. Returns true if the event closes a stream that was reset before its end.
    mutating func note(_ event: StreamEvent, on connection: Int64?) -> Bool {
        func stream(_ number: Int) -> Stream { Stream(connection: connection, number: number) }
        switch event {
        case .ended(let number): ended.insert(stream(number))
        case .reset(let number): reset = ended.contains(stream(number)) ? nil : stream(number)
        case .refused: reset = nil
        case .abandoned, .downgraded, .opened, .received, .sent: break
        case .closed(let number):
            defer { reset = nil }
            ended.remove(stream(number))
            return reset == stream(number)
        }
        return false
    }
}

extension Slice<UnsafeRawBufferPointer> {
    fileprivate func contains(_ text: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: text) }
    }
}

/// A frame of HTTP/2 (RFC 9113, section 4.1).
///
/// The engine encodes frames itself, because libcurl does not show the frames that it sends and receives.
struct HTTP2Frame: Equatable {
    enum Kind: UInt8 {
        case data = 0
        case headers = 1
        case reset = 3
        case settings = 4
        case goAway = 7
    }

    struct Flags: OptionSet {
        let rawValue: UInt8

        static let endStream = Flags(rawValue: 0x1)
        static let acknowledgement = Flags(rawValue: 0x1)
        static let endHeaders = Flags(rawValue: 0x4)
    }

    var kind: Kind
    var flags: Flags = []
    var stream: UInt32
    var payload: [UInt8] = []

    var bytes: [UInt8] {
        let length = UInt32(payload.count)
        return [UInt8(truncatingIfNeeded: length >> 16), UInt8(truncatingIfNeeded: length >> 8)]
            + [UInt8(truncatingIfNeeded: length), kind.rawValue, flags.rawValue] + Self.bytes(stream) + payload
    }

    private static func bytes(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian, Array.init) }
}

/// The frames of a server.
extension HTTP2Frame {
    static let settings = HTTP2Frame(kind: .settings, stream: 0)
    static let settingsAcknowledgement = HTTP2Frame(kind: .settings, flags: .acknowledgement, stream: 0)

    /// The header section of a response with the status 200.
    /// - Parameter length: The value of Content-Length, one digit; nil for no such field.
    static func head(of stream: UInt32, length: Int? = nil) -> HTTP2Frame {
        // RFC 7541: `:status: 200` is entry 8 of the static table (section 6.1). `content-length` is the name of entry
        // 28, and its value is a literal (section 6.2.2).
        let field: [UInt8] = length.map { [0x0F, 28 - 15, 1, UInt8(ascii: "0") + UInt8($0 % 10)] } ?? []
        return HTTP2Frame(kind: .headers, flags: .endHeaders, stream: stream, payload: [0x88] + field)
    }

    static func data(_ count: Int, of stream: UInt32, endsStream: Bool = false) -> HTTP2Frame {
        HTTP2Frame(
            kind: .data,
            flags: endsStream ? .endStream : [],
            stream: stream,
            payload: Array(repeating: UInt8(ascii: "x"), count: count)
        )
    }

    static func reset(of stream: UInt32, _ code: ErrorCode) -> HTTP2Frame {
        HTTP2Frame(kind: .reset, stream: stream, payload: bytes(code.rawValue))
    }

    /// - Parameter last: The last stream that the server has processed or may still process.
    static func goAway(after last: UInt32, _ code: ErrorCode) -> HTTP2Frame {
        HTTP2Frame(kind: .goAway, stream: 0, payload: bytes(last) + bytes(code.rawValue))
    }

    /// An invalid frame: content that belongs to no stream (RFC 9113, section 6.1). The connection then fails.
    static let faulty = data(1, of: 0)

    /// An error code (RFC 9113, section 7).
    enum ErrorCode: UInt32 {
        case noError = 0
        case internalError = 2
    }
}
#endif
