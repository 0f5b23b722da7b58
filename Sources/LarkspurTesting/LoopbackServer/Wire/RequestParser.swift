internal import Foundation
internal import HTTPSyntax

/// A parser of requests. It is a value without I/O: it takes the bytes of a connection and returns events.
///
/// It is strict where RFC 9112 leaves the choice to the server, so that faults of a client show in tests and not in
/// production.
///
/// The parser is written by hand, because Foundation and libcurl have no server.
struct RequestParser {
    enum Event: Equatable {
        case head(ReceivedHead)
        case body(Data)
        case end(trailers: LoopbackServer.Fields)
    }

    /// The error for bytes that are not a request. It has the status of the response. The connection is closed after
    /// the response.
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
        case header(ReceivedHead)
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
    /// The index up to which there is no line feed. With it, a line that arrives byte by byte is searched only once.
    private var searched = 0
    private var sectionSize = 0
    /// The fields of an incomplete section. They are stored outside the state, which would be copied for each new
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

    /// Removes and returns the bytes after a request, if the connection no longer uses HTTP.
    mutating func takeRest() -> [UInt8] {
        defer { self = RequestParser() }
        return Array(buffer[start...])
    }

    /// Returns the next event; nil if more bytes are needed.
    mutating func next() throws(Failure) -> Event? {
        while true {
            switch state {
            case .requestLine:
                guard let line = try takeSectionLine(tooLongStatus: 414) else { return nil }
                // An empty line before a request is ignored. It is the superfluous line end of an earlier body.
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
            // A control character ends the search immediately: other bytes, such as a TLS handshake, may never contain
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

/// The parsing of a request's lines, by the grammar of RFC 9112.
extension RequestParser {
    typealias Line = ArraySlice<UInt8>

    static func parseRequestLine(_ line: Line) throws(Failure) -> ReceivedHead {
        let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[1].isEmpty else {
            throw .malformed("The request line is not a method, a target and a version.")
        }
        guard isToken(parts[0]) else { throw .malformed("The method is not a token.") }
        guard !parts[1].contains(UInt8(ascii: "\t")) else { throw .malformed("The target has white space.") }
        return ReceivedHead(
            method: String(networkBytes: parts[0]),
            target: String(networkBytes: parts[1]),
            minorVersion: try parseVersion(String(networkBytes: parts[2]))
        )
    }

    private static func parseVersion(_ version: String) throws(Failure) -> Int {
        switch version {
        case "HTTP/1.1": return 1
        case "HTTP/1.0": return 0
        case _ where version.begins(with: "HTTP/"): throw Failure(status: 505, reason: "The version is not HTTP/1.")
        default: throw .malformed("The version is not that of HTTP.")
        }
    }

    static func parseField(_ line: Line) throws(Failure) -> LoopbackServer.Fields.Field {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw .malformed("A field has no colon.") }
        // This also rejects folded lines and white space before the colon (RFC 9112, section 5).
        guard isToken(line[..<colon]) else { throw .malformed("The name of a field is not a token.") }
        return LoopbackServer.Fields.Field(
            name: String(networkBytes: line[..<colon]),
            value: String(networkBytes: line[(colon + 1)...]).trimmingBlanks
        )
    }

    /// Returns the framing of the body (RFC 9112, section 6.3). Every ambiguity is a failure, because it would make
    /// request smuggling possible.
    static func framing(of head: ReceivedHead) throws(Failure) -> ReceivedHead.BodyFraming {
        let hosts = head.fields.values(for: "Host")
        guard hosts.count == 1 || (hosts.isEmpty && head.minorVersion == 0) else {
            throw .malformed("There is not exactly one Host field.")
        }
        let codings = head.fields.values(for: "Transfer-Encoding")
        let lengths = Set(head.fields.values(for: "Content-Length"))
        if codings.isEmpty {
            guard let text = lengths.first else { return .none }
            guard lengths.count == 1, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let length = Int(text)
            else {
                throw .malformed("The Content-Length is not one number.")
            }
            return .length(length)
        }
        guard lengths.isEmpty, head.minorVersion >= 1 else {
            throw .malformed("Transfer-Encoding does not go with Content-Length or HTTP/1.0.")
        }
        guard codings.count == 1, codings[0].hasSameLetters(as: "chunked") else {
            throw Failure(status: 501, reason: "The only transfer coding is chunked.")
        }
        return .chunked
    }

    static func parseChunkSize(_ line: Line) throws(Failure) -> Int {
        let digits = String(networkBytes: line.prefix { $0 != UInt8(ascii: ";") }).trimmingBlanks
        // A number of fifteen digits fits into an Int, and no body is longer.
        guard (1...15).contains(digits.utf8.count), digits.utf8.allSatisfy({ $0.hexDigitValue != nil }),
            let size = Int(digits, radix: 16)
        else {
            throw .malformed("The size of a chunk is not a hexadecimal number.")
        }
        return size
    }

    private static func isToken(_ bytes: Line) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy(\.isToken)
    }
}
