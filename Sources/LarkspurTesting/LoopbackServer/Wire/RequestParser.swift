internal import Foundation

/// A parser that turns the bytes of a connection into requests. It is a value without I/O: it takes bytes and returns
/// events.
///
/// It is strict in all cases that RFC 9112 leaves to the server's choice, so that faults of a client appear in tests
/// rather than in production.
struct RequestParser {
    enum Event: Equatable {
        case head(RequestHead)
        case body(Data)
        case end(trailers: LoopbackServer.Fields)
    }

    /// The error for bytes that are not a request, with the status of the response before the connection is closed.
    struct Failure: Error, Equatable {
        var status: Int
        var reason: String

        static func malformed(_ reason: String) -> Failure {
            Failure(status: 400, reason: reason)
        }
    }

    /// The maximum number of bytes of the request line and the header together, or of the trailer section.
    static let maximumSectionSize = 256 * 1024
    private static let maximumChunkLineSize = 4 * 1024

    private enum State {
        case requestLine
        case header(RequestHead)
        case sizedBody(remaining: Int)
        case chunkSize
        case chunk(remaining: Int)
        case chunkEnd
        case trailers
        case end
    }

    private var state = State.requestLine
    private var buffer: [UInt8] = []
    /// The index of the first byte that no event has consumed.
    private var start = 0
    /// The index up to which there is no line feed, so that a line that arrives byte by byte is not searched
    /// repeatedly.
    private var searched = 0
    private var sectionSize = 0
    /// The fields so far of an incomplete section. They are stored outside the state, which would copy them for each
    /// field.
    private var fields: LoopbackServer.Fields = [:]

    /// Whether a request has begun but is not complete.
    var isInsideRequest: Bool {
        if case .requestLine = state { return start < buffer.count }
        return true
    }

    mutating func append(_ bytes: some Collection<UInt8>) {
        if start > 0 {
            buffer.removeSubrange(..<start)
            searched = max(searched - start, 0)
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// Returns the next event, or nil if more bytes are needed.
    mutating func next() throws(Failure) -> Event? {
        while true {
            switch state {
            case .requestLine:
                guard let line = try takeSectionLine(tooLongStatus: 414) else { return nil }
                // An empty line before a request is ignored: it remains from a body that was sent with an extra line
                // end.
                if !line.isEmpty { state = .header(try Self.parseRequestLine(line)) }
            case .header(var head):
                guard let line = try takeSectionLine(tooLongStatus: 431) else { return nil }
                guard line.isEmpty else {
                    fields.append(field: try Self.parseField(line))
                    continue
                }
                head.fields = takeSection()
                head.framing = try Self.framing(of: head)
                switch head.framing {
                case .none, .length(0): state = .end
                case .length(let length): state = .sizedBody(remaining: length)
                case .chunked: state = .chunkSize
                }
                return .head(head)
            case .sizedBody(let remaining):
                guard let data = takeBytes(atMost: remaining) else { return nil }
                state = data.count == remaining ? .end : .sizedBody(remaining: remaining - data.count)
                return .body(data)
            case .chunkSize:
                guard let line = try takeLine(limit: Self.maximumChunkLineSize, tooLongStatus: 400) else { return nil }
                let size = try Self.parseChunkSize(line)
                state = size == 0 ? .trailers : .chunk(remaining: size)
            case .chunk(let remaining):
                guard let data = takeBytes(atMost: remaining) else { return nil }
                state = data.count == remaining ? .chunkEnd : .chunk(remaining: remaining - data.count)
                return .body(data)
            case .chunkEnd:
                guard let line = try takeLine(limit: 0, tooLongStatus: 400) else { return nil }
                guard line.isEmpty else { throw .malformed("A chunk is longer than its size.") }
                state = .chunkSize
            case .trailers:
                guard let line = try takeSectionLine(tooLongStatus: 431) else { return nil }
                if line.isEmpty {
                    state = .requestLine
                    return .end(trailers: takeSection())
                }
                fields.append(field: try Self.parseField(line))
            case .end:
                state = .requestLine
                return .end(trailers: [:])
            }
        }
    }

    private mutating func takeSection() -> LoopbackServer.Fields {
        defer {
            fields = [:]
            sectionSize = 0
        }
        return fields
    }

    private mutating func takeBytes(atMost count: Int) -> Data? {
        let available = buffer[start...].prefix(count)
        if available.isEmpty { return nil }
        start = available.endIndex
        searched = max(searched, start)
        return Data(available)
    }

    private mutating func takeSectionLine(tooLongStatus: Int) throws(Failure) -> ArraySlice<UInt8>? {
        let limit = Self.maximumSectionSize - sectionSize
        guard let line = try takeLine(limit: limit, tooLongStatus: tooLongStatus) else { return nil }
        sectionSize += line.count + 2
        return line
    }

    /// Returns the bytes up to the next CRLF, without it.
    private mutating func takeLine(limit: Int, tooLongStatus: Int) throws(Failure) -> ArraySlice<UInt8>? {
        searched = max(searched, start)
        while searched < buffer.count {
            let byte = buffer[searched]
            let followsReturn = searched > start && buffer[searched - 1] == UInt8(ascii: "\r")
            searched += 1
            if byte == UInt8(ascii: "\n") {
                guard followsReturn else { throw .malformed("A line ends without a carriage return.") }
                let line = buffer[start..<searched - 2]
                start = searched
                return line
            }
            // A control character ends the search immediately, because bytes such as a TLS handshake may never contain
            // a line feed.
            if followsReturn || (byte < 0x20 && byte != UInt8(ascii: "\t") && byte != UInt8(ascii: "\r"))
                || byte == 0x7F
            {
                throw .malformed("A line has a control character.")
            }
            if searched - start > limit + 1 {
                throw Failure(status: tooLongStatus, reason: "A line or section is too long.")
            }
        }
        return nil
    }
}

extension LoopbackServer.Fields {
    fileprivate mutating func append(field: Field) {
        append(field.name, field.value)
    }
}
