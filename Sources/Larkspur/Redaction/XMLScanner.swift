internal import HTTPSyntax

/// A scanner that splits XML into its markup and its text.
///
/// It reads any bytes, and takes time that is proportional to their number. Markup that is cut off extends to the end
/// of the bytes. References are not decoded.
struct XMLScanner {
    typealias Bytes = ArraySlice<UInt8>

    enum Token {
        /// The text between markup.
        case text(Bytes)
        /// A `<` that begins no markup.
        case stray(Bytes)
        /// The text of a CDATA section.
        case characters(Bytes)
        /// The content of a comment, a processing instruction, or a document type without declarations.
        case comment(Bytes), instruction(Bytes), documentType(Bytes)
        case tag(Tag)
        /// The rest of the bytes, if their markup cannot be read, or if they begin with declarations.
        case unreadable
    }

    struct Tag {
        enum Kind { case start, end, empty }

        var kind: Kind
        /// The name with its prefix.
        let name: Bytes
        var attributes: [Attribute] = []
        /// Whether the tag has an end.
        var isComplete = false
        /// Whether the tag has an end and complies with the grammar of XML.
        var isWellFormed = true
        /// Everything between the name and the end of the tag.
        var content: Bytes
    }

    struct Attribute {
        /// The name with its prefix.
        let name: Bytes
        /// The value without its quotation marks; nil if there is none.
        let value: Bytes?
        let isQuoted: Bool
    }

    private let bytes: Bytes
    /// The position behind the last token.
    private(set) var index: Int
    private var isUnreadable = false

    init(_ bytes: Bytes) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    /// Returns the next token; nil at the end of the bytes.
    mutating func next() -> Token? {
        guard index < bytes.endIndex else { return nil }
        guard !isUnreadable else { return unreadable() }
        guard bytes[index] == .less else { return .text(upTo { $0 == .less }) }
        if skip("<![CDATA[") { return .characters(upTo("]]>")) }
        if skip("<!--") { return .comment(upTo("-->")) }
        if skip("<?") { return .instruction(upTo("?>")) }
        if bytes[index...].starts(with: "<!".utf8) {
            let isDocumentType = bytes[index...].prefix(9).map(\.asLowercase).elementsEqual("<!doctype".utf8)
            return isDocumentType ? documentType() : unreadable()
        }
        guard Self.beginsMarkup(bytes[index...]) else {
            index += 1
            return .stray(bytes[(index - 1)..<index])
        }
        return .tag(tag())
    }

    /// Returns whether bytes begin with `<` and the next byte of a tag or of other markup.
    private static func beginsMarkup(_ bytes: Bytes) -> Bool {
        guard bytes.first == .less, let next = bytes.dropFirst().first else { return false }
        return next.beginsXMLName || next == .slash || next == UInt8(ascii: "!") || next == .questionMark
    }

    /// Returns whether bytes have markup.
    static func hasMarkup(_ bytes: Bytes) -> Bool {
        var rest = bytes
        while let start = rest.firstIndex(of: .less) {
            if beginsMarkup(rest[start...]) { return true }
            rest = rest[(start + 1)...]
        }
        return false
    }

    /// Returns whether a text begins like an XML document, and not like a reference in angle brackets.
    static func beginsDocument(_ bytes: Bytes) -> Bool {
        let text = bytes.drop(while: \.isJSONBlank)
        guard beginsMarkup(text), let next = text.dropFirst().first, next != .slash else { return false }
        guard next.beginsXMLName else { return true }
        let rest = text.dropFirst().drop(while: \.isXMLName)
        guard let end = rest.first else { return false }
        return end == .greater || end.isJSONBlank || rest.starts(with: "/>".utf8)
    }

    /// Moves to the end of the bytes.
    mutating func skipRest() { index = bytes.endIndex }

    // MARK: Tokens

    private mutating func unreadable() -> Token {
        skipRest()
        return .unreadable
    }

    private mutating func documentType() -> Token {
        // A declaration may contain anything, also the text of elements.
        let start = index + 2
        guard let end = bytes[start...].firstIndex(where: { $0 == .greater || $0 == .less || $0 == .openingBracket })
        else {
            index = bytes.endIndex
            return .documentType(bytes[start...])
        }
        guard bytes[end] == .greater else { return unreadable() }
        index = end + 1
        return .documentType(bytes[start..<end])
    }

    private mutating func tag() -> Tag {
        index += 1
        let kind = bytes[index] == .slash ? Tag.Kind.end : .start
        if kind == .end { index += 1 }
        let name = upTo { !$0.isXMLName }
        var tag = Tag(kind: kind, name: name, isWellFormed: !name.isEmpty, content: bytes[index..<index])
        let start = index
        readAttributes(of: &tag)
        tag.content = bytes[start..<index]
        if tag.isComplete {
            tag.content.removeLast(tag.kind == .empty ? 2 : 1)
        } else {
            tag.isWellFormed = false
        }
        if kind == .end, !tag.attributes.isEmpty { tag.isWellFormed = false }
        return tag
    }

    private mutating func readAttributes(of tag: inout Tag) {
        while true {
            _ = upTo { !$0.isJSONBlank }
            guard index < bytes.endIndex, bytes[index] != .less else { return }
            let byte = bytes[index]
            if byte == .greater || tag.kind == .start && bytes[index...].starts(with: "/>".utf8) {
                index += byte == .greater ? 1 : 2
                if byte == .slash { tag.kind = .empty }
                tag.isComplete = true
                return
            }
            if byte == .slash {
                tag.isWellFormed = false
                index += 1
                continue
            }
            guard byte.isXMLName, !bytes[index - 1].isQuotationMark else {
                // After a quotation mark at a wrong place, names and values are confused.
                isUnreadable = true
                return
            }
            let attribute = attribute(&tag)
            tag.attributes.append(attribute)
        }
    }

    private mutating func attribute(_ tag: inout Tag) -> Attribute {
        let name = upTo { !$0.isXMLName }
        let end = index
        _ = upTo { !$0.isJSONBlank }
        guard index < bytes.endIndex, bytes[index] == .equals else {
            index = end
            tag.isWellFormed = false
            return Attribute(name: name, value: nil, isQuoted: false)
        }
        index += 1
        _ = upTo { !$0.isJSONBlank }
        guard index < bytes.endIndex, bytes[index].isQuotationMark else {
            tag.isWellFormed = false
            let value = upTo { $0.isJSONBlank || $0 == .greater || $0 == .less }
            return Attribute(name: name, value: value, isQuoted: false)
        }
        let quote = bytes[index]
        index += 1
        let value = upTo { $0 == quote }
        if index < bytes.endIndex { index += 1 }
        if value.contains(.less) { tag.isWellFormed = false }
        return Attribute(name: name, value: value, isQuoted: true)
    }

    // MARK: Bytes

    /// Reads up to a byte that meets a condition, or to the end.
    private mutating func upTo(_ condition: (UInt8) -> Bool) -> Bytes {
        let start = index
        index = bytes[start...].firstIndex(where: condition) ?? bytes.endIndex
        return bytes[start..<index]
    }

    /// Reads up to a delimiter that ends with `>`, and moves behind the delimiter. Without the delimiter, reads to the
    /// end.
    private mutating func upTo(_ delimiter: String) -> Bytes {
        let start = index
        var rest = bytes[start...]
        while let end = rest.firstIndex(of: .greater) {
            if bytes[start...end].suffix(delimiter.utf8.count).elementsEqual(delimiter.utf8) {
                index = end + 1
                return bytes[start..<(index - delimiter.utf8.count)]
            }
            rest = rest[(end + 1)...]
        }
        index = bytes.endIndex
        return bytes[start...]
    }

    private mutating func skip(_ start: String) -> Bool {
        guard bytes[index...].starts(with: start.utf8) else { return false }
        index += start.utf8.count
        return true
    }
}

extension UInt8 {
    fileprivate static var less: UInt8 { UInt8(ascii: "<") }
    fileprivate static var greater: UInt8 { UInt8(ascii: ">") }
    fileprivate static var slash: UInt8 { UInt8(ascii: "/") }
    fileprivate static var equals: UInt8 { UInt8(ascii: "=") }
    fileprivate static var questionMark: UInt8 { UInt8(ascii: "?") }
    fileprivate static var openingBracket: UInt8 { UInt8(ascii: "[") }

    fileprivate var isQuotationMark: Bool { self == UInt8(ascii: "\"") || self == UInt8(ascii: "'") }

    /// Whether the byte may be part of a name, or of another text that stands in its place.
    fileprivate var isXMLName: Bool {
        !(isJSONBlank || isQuotationMark || self == .less || self == .greater || self == .slash || self == .equals)
    }

    fileprivate var beginsXMLName: Bool {
        isLetter || self == UInt8(ascii: "_") || self == UInt8(ascii: ":") || self >= 0x80
    }
}
