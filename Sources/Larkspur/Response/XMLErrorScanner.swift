internal import HTTPSyntax

/// The text of an error message in XML.
///
/// The scanner is written by hand, because Foundation's parsers load libxml2 and ICU into each process. It needs only
/// one text, so the content is not checked, entities are not declared or loaded, and the time is proportional to the
/// length of the content.
struct XMLErrorScanner {
    /// The local names in lower case of the elements in which servers send messages, the most informative one first.
    /// S3 has `Message` and `Code`, sabre/dav has `message`, and RFC 9457, appendix B, has `detail` and `title`.
    private static let names = ["message", "detail", "title", "code"].map { Array($0.utf8) }
    /// The only entities that are decoded. XML predefines them.
    private static let entities = [("amp", "&"), ("lt", "<"), ("gt", ">"), ("quot", "\""), ("apos", "'")]
        .map { (name: Array("&\($0.0);".utf8), text: Array($0.1.utf8)) }

    private var rest: ArraySlice<UInt8>

    /// Returns the text of the first element with the most informative name; nil if there is none.
    ///
    /// The element must have no child elements. Content that is not UTF-8 is not read.
    static func text(in data: Data) -> String? {
        let bytes = [UInt8](data)
        guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
        var scanner = XMLErrorScanner(rest: bytes[...])
        var texts: [Int: String] = [:]
        while texts[0] == nil, let name = scanner.nextElement() {
            guard let rank = names.firstIndex(of: name), texts[rank] == nil else { continue }
            texts[rank] = scanner.text(of: name)
        }
        return texts.min { $0.key < $1.key }?.value
    }

    /// Moves behind the next start tag, and returns the local name of its element; nil at the end of the content.
    private mutating func nextElement() -> [UInt8]? {
        while upTo("<") != nil {
            if otherMarkup() != nil { continue }
            guard let tag = tag() else { return nil }
            if tag.first != UInt8(ascii: "/"), tag.last != UInt8(ascii: "/") { return Self.localName(tag) }
        }
        return nil
    }

    /// Reads the text of an element up to its end tag; nil if the text is blank, or if something else comes first.
    private mutating func text(of name: [UInt8]) -> String? {
        var text: [UInt8] = []
        while true {
            let start = rest
            guard let characters = upTo("<") else { return nil }
            text += Self.decoded(characters)
            if let characters = otherMarkup() {
                text += characters
            } else if rest.first == UInt8(ascii: "/") {
                guard let tag = tag(), Self.localName(tag.dropFirst()) == name else { return nil }
                let text = String(decoding: text, as: UTF8.self)
                return text.allSatisfy(\.isWhitespace) ? nil : text
            } else {
                // The next element may be one with a message.
                rest = start
                return nil
            }
        }
    }

    /// Skips markup that is no tag, behind its `<`. Returns the characters of a CDATA section, and no characters for
    /// other markup; nil if there is a tag.
    private mutating func otherMarkup() -> ArraySlice<UInt8>? {
        if skip("![CDATA[") { return upTo("]]>") ?? [] }
        for (start, end) in [("!--", "-->"), ("?", "?>"), ("!", ">")] where skip(start) {
            _ = upTo(end)
            return []
        }
        return nil
    }

    /// Reads a tag behind its `<`, without its `>`; nil if it has no end. A `>` in a quoted value does not end the tag.
    private mutating func tag() -> ArraySlice<UInt8>? {
        var quote: UInt8?
        let end = rest.firstIndex { byte in
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else {
                return byte == UInt8(ascii: ">")
            }
            return false
        }
        defer { rest = end.map { rest[($0 + 1)...] } ?? [] }
        return end.map { rest[..<$0] }
    }

    /// Reads up to a delimiter, and moves behind it; nil if there is none, which is the end of the content.
    private mutating func upTo(_ delimiter: String) -> ArraySlice<UInt8>? {
        let found = rest.firstRange(of: Array(delimiter.utf8))
        defer { rest = found.map { rest[$0.upperBound...] } ?? [] }
        return found.map { rest[..<$0.lowerBound] }
    }

    private mutating func skip(_ start: String) -> Bool {
        guard rest.starts(with: start.utf8) else { return false }
        rest = rest.dropFirst(start.utf8.count)
        return true
    }

    private static func localName(_ tag: ArraySlice<UInt8>) -> [UInt8] {
        let name = tag.prefix { $0 > UInt8(ascii: " ") && $0 != UInt8(ascii: "/") }
        return (name.split(separator: UInt8(ascii: ":")).last ?? []).map(\.asLowercase)
    }

    private static func decoded(_ characters: ArraySlice<UInt8>) -> [UInt8] {
        var (rest, decoded) = (characters, [UInt8]())
        while let index = rest.firstIndex(of: UInt8(ascii: "&")) {
            decoded += rest[..<index]
            rest = rest[index...]
            let entity = entities.first { rest.starts(with: $0.name) }
            decoded += entity?.text ?? [UInt8(ascii: "&")]
            rest = rest.dropFirst(entity?.name.count ?? 1)
        }
        return decoded + rest
    }
}
