internal import HTTPSyntax

/// A parser of an event stream: it receives bytes and returns events (WHATWG HTML, section 9.2.6).
///
/// The bytes may be split at any position. Invalid UTF-8 is replaced by U+FFFD. The cost grows with the number of
/// bytes.
///
/// The parser is written by hand, because Foundation and libcurl have none.
struct EventStreamParser: Sendable {
    /// The maximum lengths that the parser accepts, in bytes.
    struct Limits: Sendable {
        /// The maximum length of a line without its line break. Default: 1 MiB.
        var line = 1 << 20
        /// The maximum length of the data of an event. Default: 1 MiB.
        var data = 1 << 20
        /// The maximum length of an event ID. A longer ID is ignored, because each new connection would send it to the
        /// server. Default: 4 KiB.
        var id = 1 << 12
    }

    private let limits: Limits
    /// The bytes that were received, and the offset of the first byte that has not been parsed.
    private var buffer: [UInt8] = []
    private var position = 0
    /// The beginning of a line whose line break has not arrived.
    private var line: [UInt8] = []
    private var hasParsedLine = false
    /// Whether a line feed at the next position belongs to the previous line break.
    private var skipsLineFeed = false
    /// The lines of the event's data, each with a line feed.
    private var data: [UInt8] = []
    private var event = ""
    private var id: String

    /// The ID of the last event that had an ID. The next connection sends it.
    private(set) var lastEventID: String
    /// The delay before the next connection, if the server has requested a delay.
    private(set) var retry: Duration?

    /// - Parameters:
    ///   - lastEventID: The ID of the last event of an earlier stream. Default: empty.
    ///   - limits: The maximum lengths that the parser accepts. Default: 1 MiB each, and 4 KiB for an ID.
    init(lastEventID: String = "", limits: Limits = Limits()) {
        self.lastEventID = lastEventID
        self.limits = limits
        id = lastEventID
    }

    /// Adds the next bytes of the stream. Before that, call ``next()`` until it returns nil.
    mutating func append(_ bytes: some Sequence<UInt8>) {
        if position == buffer.count {
            buffer.removeAll(keepingCapacity: true)
            position = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// Returns the next event; nil if none is complete.
    /// - Throws: `contentTooLarge`, if a line or the data of an event exceeds its limit.
    mutating func next() throws(LarkspurError) -> ServerSentEvent? {
        while position < buffer.count {
            if skipsLineFeed {
                skipsLineFeed = false
                if buffer[position] == .lineFeed {
                    position += 1
                    continue
                }
            }
            let end = lineEnd()
            guard line.count + end - position <= limits.line else { throw Self.tooLarge("A line", limits.line) }
            guard end < buffer.count else {
                line += buffer[position...]
                position = end
                return nil
            }
            // CR LF is one line break. The LF may arrive only with the next bytes.
            skipsLineFeed = buffer[end] == .carriageReturn
            let rest = buffer[position..<end]
            position = end + 1
            if let event = try takeLine(endingIn: rest) { return event }
        }
        return nil
    }

    /// Discards an incomplete event, because another stream follows. The ID of the last event and the delay stay.
    mutating func restart() {
        let retry = retry
        self = Self(lastEventID: lastEventID, limits: limits)
        self.retry = retry
    }

    /// Returns the offset of the next line break; the offset of the end of the bytes if there is none.
    private func lineEnd() -> Int {
        buffer.withUnsafeBufferPointer { buffer in
            var index = position
            while index < buffer.count, buffer[index] != .lineFeed, buffer[index] != .carriageReturn { index += 1 }
            return index
        }
    }

    /// Parses a line. The parameter is the rest of the line; its beginning is in ``line``.
    private mutating func takeLine(endingIn rest: ArraySlice<UInt8>) throws(LarkspurError) -> ServerSentEvent? {
        var bytes = rest
        if !line.isEmpty {
            line += rest
            bytes = exchange(&line, with: [])[...]
        }
        // A byte order mark at the start of the stream is not part of the first line.
        if !hasParsedLine, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        hasParsedLine = true
        guard !bytes.isEmpty else { return dispatch() }
        let colon = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
        var value = bytes[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        try takeField(bytes[..<colon], value)
        return nil
    }

    private mutating func takeField(
        _ name: ArraySlice<UInt8>,
        _ value: ArraySlice<UInt8>
    ) throws(LarkspurError) {
        if name.elementsEqual("data".utf8) {
            guard data.count + value.count <= limits.data else {
                throw Self.tooLarge("The data of an event", limits.data)
            }
            data += value
            data.append(.lineFeed)
        } else if name.elementsEqual("event".utf8) {
            event = String(decoding: value, as: UTF8.self)
        } else if name.elementsEqual("id".utf8) {
            // The limit applies to the decoded text, because U+FFFD is longer than the invalid byte that it replaces.
            // The standard ignores an ID that contains NUL.
            let text = String(decoding: value, as: UTF8.self)
            if text.utf8.count <= limits.id, !value.contains(0) { id = text }
        } else if name.elementsEqual("retry".utf8), !value.isEmpty, value.allSatisfy(\.isDigit) {
            // A number that is too large counts as the largest number.
            retry = .milliseconds(Int64(String(decoding: value, as: UTF8.self)) ?? .max)
        }
    }

    /// Returns the event that an empty line has completed; nil if it has no data.
    private mutating func dispatch() -> ServerSentEvent? {
        // The standard sets the ID even if the event has no data.
        lastEventID = id
        let type = exchange(&event, with: "")
        guard !data.isEmpty else { return nil }
        // A small buffer is used again; a large buffer is released.
        defer { data.removeAll(keepingCapacity: data.capacity <= 1 << 16) }
        return ServerSentEvent(
            type: type.isEmpty ? "message" : type,
            data: String(decoding: data.dropLast(), as: UTF8.self),
            id: lastEventID
        )
    }

    private static func tooLarge(_ subject: String, _ limit: Int) -> LarkspurError {
        LarkspurError(.contentTooLarge, "\(subject) of the event stream has more than \(limit) bytes.")
    }
}

extension UInt8 {
    fileprivate static let lineFeed = UInt8(ascii: "\n")
    fileprivate static let carriageReturn = UInt8(ascii: "\r")
}

/// An event of an event stream (WHATWG HTML, section 9.2).
///
/// ``EventSource`` delivers such events. They can be created for tests.
public struct ServerSentEvent: Sendable, Hashable {
    /// The type of the event. Default: `message`.
    public var type: String
    /// The data of the event, with line feeds between its lines.
    public var data: String
    /// The ID of this event. If the event has no ID, the ID of the last earlier event that had an ID; empty if there
    /// was none. An ID of more than 4 KiB is ignored.
    public var id: String

    /// Creates an event.
    /// - Parameters:
    ///   - type: The type of the event. Default: `message`.
    ///   - data: The data of the event.
    ///   - id: The ID of the last event that had an ID. Default: empty.
    public init(type: String = "message", data: String, id: String = "") {
        self.type = type
        self.data = data
        self.id = id
    }
}
