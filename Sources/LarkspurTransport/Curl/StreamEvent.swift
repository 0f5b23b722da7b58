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
    /// The server has not processed the request (REFUSED_STREAM, or a GOAWAY with a lower stream number). This line is
    /// reported to the transfer that owns the stream.
    case refused(Int)
    /// The server has not processed the request, because it requires HTTP/1.1 (HTTP_1_1_REQUIRED). Reported to the
    /// transfer that owns the stream.
    case downgraded(Int)
    /// The stream is closed. This line is also reported to the transfer that owns the stream. The lines about frames
    /// are reported to the transfer that reads from the connection.
    case closed(Int)
    /// The server has reset an HTTP/3 stream before its end. Reported to the transfer that owns the stream.
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

/// The record of the streams of a shard. It distinguishes streams that a server has ended from streams that it has
/// reset without an error.
///
/// libcurl, at least up to 8.16, treats both as complete.
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
#endif
