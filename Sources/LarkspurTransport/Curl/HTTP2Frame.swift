#if canImport(FoundationNetworking)
/// A frame of HTTP/2 (RFC 9113, section 4.1).
///
/// By hand, because libcurl does not show the frames that it sends and receives.
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
        // RFC 7541: `:status: 200` is entry 8 of the static table (section 6.1), `content-length` is the name of entry
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

    /// - Parameter last: The last stream that the server has processed or will process.
    static func goAway(after last: UInt32, _ code: ErrorCode) -> HTTP2Frame {
        HTTP2Frame(kind: .goAway, stream: 0, payload: bytes(last) + bytes(code.rawValue))
    }

    /// A frame that breaks the rules: content belongs to a stream (RFC 9113, section 6.1). The connection has failed.
    static let faulty = data(1, of: 0)

    /// An error code (RFC 9113, section 7).
    enum ErrorCode: UInt32 {
        case noError = 0
        case internalError = 2
    }
}
#endif
