/// The media type and the content of a `data:` URL, read by the rules of the Fetch standard ("data: URL processor").
///
/// The reader is written by hand, because libcurl does not load such URLs, and Foundation loads them only in its own
/// sessions.
package struct DataURL: Equatable, Sendable {
    /// The reason why a URL has no content.
    package enum Defect: Error, Equatable, Sendable {
        case noComma, malformedBase64

        /// The reason as a sentence.
        package var sentence: String {
            switch self {
            case .noComma: "The data URL has no comma before its content."
            case .malformedBase64: "The content of the data URL is not base64."
            }
        }
    }

    /// The media type, in lower case and without parameters.
    package let essence: String
    /// The parameters of the media type, with names in lower case.
    package let parameters: [Parameter]
    package let content: [UInt8]

    /// A parameter of a media type.
    package struct Parameter: Equatable, Sendable {
        package let name: String
        package let value: String
    }

    /// The name of the charset; nil if there is none.
    package var charset: String? { parameters.first { $0.name.utf8.elementsEqual("charset".utf8) }?.value }

    /// Reads the text of a URL with the scheme `data`. Its fragment is ignored.
    package init(_ text: String) throws(Defect) {
        let url = text.before("#")
        let body = url.cut(at: ":")?.after ?? ""
        guard let (head, encoded) = body.cut(at: ",") else { throw .noComma }
        // Foundation's URLs cannot contain spaces and quotes, so the escapes of these stand for them. The standard
        // decodes no escapes here.
        var type = Self.decodingBlanks(head).trimmed
        var content = String(encoded).percentDecodedBytes()
        if let end = Self.endBeforeBase64(type) {
            guard let decoded = Self.forgivingBase64(content) else { throw .malformedBase64 }
            (type, content) = (Array(type[..<end]), decoded)
        }
        self.content = content
        if type.first == UInt8(ascii: ";") { type = Array("text/plain".utf8) + type }
        if let read = Self.mediaType(type) {
            (essence, parameters) = read
        } else {
            (essence, parameters) = ("text/plain", [Parameter(name: "charset", value: "US-ASCII")])
        }
    }

    private static func decodingBlanks(_ text: Substring) -> [UInt8] {
        var result: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.starts(with: "20".utf8) || rest.starts(with: "22".utf8) {
                result.append(rest.starts(with: "20".utf8) ? .space : UInt8(ascii: "\""))
                rest = rest.dropFirst(2)
            } else {
                result.append(byte)
            }
        }
        return result
    }

    /// Returns the end of the media type before `;base64`; nil if the text does not end with it. Spaces may precede
    /// `base64` and the semicolon.
    private static func endBeforeBase64(_ type: [UInt8]) -> Int? {
        let name = Array("base64".utf8)
        guard type.count > name.count, type.suffix(name.count).map(\.asLowercase) == name else { return nil }
        let head = type.dropLast(name.count)
        guard let last = head.lastIndex(where: { $0 != .space }), head[last] == UInt8(ascii: ";") else { return nil }
        return last
    }

    // MARK: Base64

    /// Decodes base64 by the Infra standard ("forgiving-base64 decode"): white space is ignored, and padding may be
    /// missing.
    package static func forgivingBase64(_ text: [UInt8]) -> [UInt8]? {
        var digits = text.filter { !$0.isWhiteSpace }
        if digits.count % 4 == 0 {
            for _ in 0..<2 where digits.last == UInt8(ascii: "=") { digits.removeLast() }
        }
        guard digits.count % 4 != 1 else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(digits.count / 4 * 3 + 2)
        var (bits, count): (UInt32, Int) = (0, 0)
        for byte in digits {
            guard let value = value(ofDigit: byte) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            result.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        return result
    }

    private static func value(ofDigit byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }

    // MARK: Media types

    /// Parses a media type by the MIME Sniffing standard (section 4.4); nil if it has no valid type and subtype.
    private static func mediaType(_ text: [UInt8]) -> (essence: String, parameters: [Parameter])? {
        let text = text.trimmed
        let end = text.firstIndex(of: UInt8(ascii: ";")) ?? text.endIndex
        guard let slash = text[..<end].firstIndex(of: UInt8(ascii: "/")) else { return nil }
        let (type, subtype) = (text[..<slash], Array(text[(slash + 1)..<end]).trimmedAtEnd)
        guard !type.isEmpty, !subtype.isEmpty, type.allSatisfy(\.isToken), subtype.allSatisfy(\.isToken) else {
            return nil
        }
        let essence = String(decoding: (type + [UInt8(ascii: "/")] + subtype).map(\.asLowercase), as: UTF8.self)
        return (essence, parameters(text[end...]))
    }

    /// Parses the parameters of a media type. Of several with the same name, the first one counts.
    private static func parameters(_ text: ArraySlice<UInt8>) -> [Parameter] {
        var rest = text
        var parameters: [Parameter] = []
        while rest.popFirst() != nil {
            rest = rest.drop(while: \.isWhiteSpace)
            let name = rest.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "=") }
            rest = rest[name.endIndex...]
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest.removeFirst()
            var value: [UInt8]
            if rest.first == UInt8(ascii: "\"") {
                rest.removeFirst()
                value = quotedString(&rest)
                rest = rest.drop { $0 != UInt8(ascii: ";") }
            } else {
                let plain = rest.prefix { $0 != UInt8(ascii: ";") }
                rest = rest[plain.endIndex...]
                value = Array(plain).trimmedAtEnd
                if value.isEmpty { continue }
            }
            let lowercased = String(decoding: name.map(\.asLowercase), as: UTF8.self)
            guard !name.isEmpty, name.allSatisfy(\.isToken), value.allSatisfy(\.isInQuotedString),
                !parameters.contains(where: { $0.name.utf8.elementsEqual(lowercased.utf8) })
            else { continue }
            parameters.append(Parameter(name: lowercased, value: String(networkBytes: value)))
        }
        return parameters
    }

    /// Reads the rest of a quoted string, and its last quote if there is one.
    private static func quotedString(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        var value: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            // A backslash at the end stands for itself.
            value.append(byte == UInt8(ascii: "\\") ? rest.popFirst() ?? byte : byte)
        }
        return value
    }
}

extension UInt8 {
    /// Whether the byte is ASCII white space (Infra standard).
    fileprivate var isWhiteSpace: Bool { self == 0x09 || self == 0x0A || self == 0x0C || self == 0x0D || self == 0x20 }

    /// Whether a quoted string may contain the byte.
    fileprivate var isInQuotedString: Bool { self == .tab || self >= 0x20 && self != 0x7F }
}

extension [UInt8] {
    fileprivate var trimmedAtEnd: [UInt8] { Array(self[..<((lastIndex { !$0.isWhiteSpace } ?? -1) + 1)]) }
    fileprivate var trimmed: [UInt8] { Array(trimmedAtEnd.drop(while: \.isWhiteSpace)) }
}
