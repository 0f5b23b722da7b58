import Larkspur

/// A decoder of text that arrives in chunks, with the library's charsets. Bytes that are invalid in their charset
/// become U+FFFD.
///
/// The decoder is written by hand, because Foundation decodes only whole texts.
struct TextDecoder {
    private var charset: Charset
    /// Whether the beginning of the text, which may have a byte order mark, has arrived.
    private var hasBegun = false
    /// The bytes that could not be decoded without the ones that follow.
    private var pending = Data()

    init(_ charset: Charset) { self.charset = charset }

    /// Returns the text of the next bytes.
    mutating func text(of data: Data) -> String {
        pending.append(data)
        if !hasBegun {
            // A byte order mark has two or three bytes, and begins with one of these.
            guard pending.count >= 3 || ![0xEF, 0xFE, 0xFF].contains(pending.first ?? 0xEF) else { return "" }
            begin()
        }
        return decode(isLast: false)
    }

    /// Returns the text of the remaining bytes.
    mutating func finish() -> String {
        if !hasBegun { begin() }
        return decode(isLast: true)
    }

    private mutating func begin() {
        hasBegun = true
        // The mark of UTF-32 begins like that of UTF-16.
        guard charset.codeUnitSize < 4, let marked = Charset(markedIn: pending) else { return }
        charset = marked
        switch (marked.encoding, pending.first) {
        case (.utf8, _): pending.removeFirst(3)
        case (_, 0xFE):
            charset = Charset(.utf16BigEndian)
            pending.removeFirst(2)
        default:
            charset = Charset(.utf16LittleEndian)
            pending.removeFirst(2)
        }
    }

    private mutating func decode(isLast: Bool) -> String {
        let bytes = Array(pending)
        let (text, count) =
            switch charset.encoding {
            case .utf8: Self.utf8(bytes, isLast)
            case .utf16BigEndian: Self.utf16(bytes, isLast) { UInt16($0) << 8 | UInt16($1) }
            // Without a mark, UTF-16 is little-endian (WHATWG, Encoding), as on nearly all machines.
            case .utf16, .utf16LittleEndian: Self.utf16(bytes, isLast) { UInt16($1) << 8 | UInt16($0) }
            default: whole(bytes, isLast)
            }
        pending = Data(bytes[count...])
        return text
    }

    private static func utf8(_ bytes: [UInt8], _ isLast: Bool) -> (String, Int) {
        let count = bytes.count - (isLast ? 0 : incompleteSuffix(of: bytes))
        return (String(decoding: bytes[..<count], as: UTF8.self), count)
    }

    /// The number of bytes at the end that belong to an incomplete character of UTF-8.
    private static func incompleteSuffix(of bytes: [UInt8]) -> Int {
        for (distance, byte) in bytes.suffix(3).reversed().enumerated() {
            let length =
                switch byte {
                case 0xC2...0xDF: 2
                case 0xE0...0xEF: 3
                case 0xF0...0xF4: 4
                case 0x80...0xBF: 0
                default: 1
                }
            if length == 0 { continue }
            return length > distance + 1 ? distance + 1 : 0
        }
        return 0
    }

    private static func utf16(
        _ bytes: [UInt8],
        _ isLast: Bool,
        _ unit: (UInt8, UInt8) -> UInt16
    ) -> (String, Int) {
        var units = stride(from: 0, to: bytes.count - 1, by: 2).map { unit(bytes[$0], bytes[$0 + 1]) }
        // A high surrogate at the end waits for its low surrogate.
        if !isLast, let last = units.last, (0xD800...0xDBFF).contains(last) { units.removeLast() }
        let text = String(decoding: units, as: UTF16.self)
        guard isLast else { return (text, units.count * 2) }
        return (text + (bytes.count.isMultiple(of: 2) ? "" : "\u{FFFD}"), bytes.count)
    }

    /// The largest number of bytes of a character, in the charsets that are decoded here.
    private static let longestCharacter = 4

    /// Decodes with the library's decoder, which decodes only whole and valid texts.
    private func whole(_ bytes: [UInt8], _ isLast: Bool) -> (String, Int) {
        // The meaning of a byte may depend on all bytes before it, or on the mark at the beginning.
        if !charset.keepsASCII, !isLast { return ("", 0) }
        for missing in 0..<(isLast ? 1 : min(Self.longestCharacter, bytes.count + 1)) {
            let count = bytes.count - missing
            if let text = charset.decode(Data(bytes[..<count])) { return (text, count) }
        }
        return lossy(bytes, isLast)
    }

    /// Decodes bytes that are not all valid, line by line, and an invalid line character by character.
    private func lossy(_ bytes: [UInt8], _ isLast: Bool) -> (String, Int) {
        var text = ""
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? bytes.count
            if let line = charset.decode(Data(bytes[start..<end])) {
                text += line
                start = end
                continue
            }
            while start < end {
                let rest = bytes[start..<end].prefix(Self.longestCharacter)
                // At the end of a chunk, the rest of a character may follow.
                if !isLast, end == bytes.count, rest.count < Self.longestCharacter { return (text, start) }
                let length = stride(from: charset.codeUnitSize, through: rest.count, by: charset.codeUnitSize)
                    .first { charset.decode(Data(rest.prefix($0))) != nil }
                text += length.flatMap { charset.decode(Data(rest.prefix($0))) } ?? "\u{FFFD}"
                start += length ?? min(charset.codeUnitSize, rest.count)
            }
        }
        return (text, bytes.count)
    }
}
