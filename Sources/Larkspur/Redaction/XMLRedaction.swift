internal import HTTPSyntax

/// The redaction of XML, also if it is malformed or cut off.
///
/// Hidden are the content of an element and the value of an attribute whose local name is that of a secret. The names
/// beside a value count too, as in JSON: in `<add key="password" value="…"/>`, `<string name="token">…</string>`,
/// `<Name>token</Name><Value>…</Value>`, and in property lists. Other text and values may themselves be encoded, such
/// as a URL, JSON, or XML in a CDATA section, and are redacted accordingly. Everything else stays the same.
///
/// If the content of a hidden element is not well-formed, it is hidden up to the end of the document. A document type
/// with declarations is also hidden up to the end, because entities may contain text and elements.
struct XMLRedaction {
    typealias Bytes = ArraySlice<UInt8>

    /// An element that contains the current position, and is not hidden.
    private struct Element {
        var name: Bytes = []
        /// The position behind the start tag.
        var start = 0
        var isLabel = false
        var isValue = false
        /// The text, if the element may name a value.
        var text: [UInt8] = []
        /// Whether a child has named the value beside it.
        var hasLabel = false
        /// Whether the name is that of a secret.
        var namesSecret = false
        var hidesNext = false
        /// The contents of the children that the name may refer to.
        var values: [Range<Int>] = []
    }

    /// Text, CDATA sections and comments without a tag between them.
    private struct Run {
        var range: Range<Int>
        var text: [UInt8] = []
        /// The text of the only CDATA section.
        var section: Range<Int>?
    }

    private let rule: Redaction
    private let depth: Int
    private let bytes: Bytes
    private var scanner: XMLScanner
    private var edits: [(range: Range<Int>, text: [UInt8])] = []
    private var elements = [Element()]
    private var run: Run?

    private init(_ bytes: Bytes, _ rule: Redaction, depth: Int) {
        (self.bytes, self.rule, self.depth) = (bytes, rule, depth)
        scanner = XMLScanner(bytes)
    }

    private static let word = Array(Redaction.word.utf8)

    /// Returns XML with its secrets hidden.
    /// - Parameters:
    ///   - bytes: The XML, in an encoding that contains ASCII.
    ///   - rule: The rule.
    ///   - depth: The number of nested encodings that may follow.
    static func content(_ bytes: Bytes, _ rule: Redaction, depth: Int) -> [UInt8] {
        var redaction = XMLRedaction(bytes, rule, depth: depth)
        redaction.readAll()
        return redaction.result
    }

    /// The bytes with the edits. Edits that overlap become one.
    private var result: [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var end = bytes.startIndex
        let ordered = edits.sorted {
            ($0.range.lowerBound, $1.range.upperBound) < ($1.range.lowerBound, $0.range.upperBound)
        }
        for (range, text) in ordered {
            if range.lowerBound >= end {
                result += bytes[end..<range.lowerBound] + text
            }
            end = max(end, range.upperBound)
        }
        return result + bytes[end...]
    }

    private mutating func edit(_ range: Range<Int>, _ text: [UInt8] = word) { edits.append((range, text)) }

    private mutating func readAll() {
        while true {
            let start = scanner.index
            guard let token = scanner.next() else { break }
            switch token {
            case .text(let text): append(Self.decoded(text), start)
            case .stray(let text): append(Array(text), start)
            case .characters(let text): append(Array(text), start, section: text.indices)
            case .comment(let text): editMarkup(text)
            case .instruction(let text), .documentType(let text):
                let name = text.prefix { !$0.isJSONBlank }
                if hides(name) { edit(name.endIndex..<text.endIndex) } else { editMarkup(text) }
            case .tag(let tag):
                endRun()
                read(tag, at: start)
            case .unreadable: edit(start..<bytes.endIndex)
            }
        }
        endRun()
        end()
    }

    // MARK: Tags

    private mutating func read(_ tag: XMLScanner.Tag, at start: Int) {
        guard tag.kind != .end else {
            if !tag.content.isEmpty { editValues(of: tag) }
            return close(tag.name, at: start)
        }
        let namesSecret = editValues(of: tag)
        let parent = elements.count - 1
        let (isLabel, isValue) = (Self.isLabel(tag.name), Self.isValue(tag.name))
        let isHidden = hides(tag.name) || namesSecret || elements[parent].hidesNext
        elements[parent].hidesNext = false
        guard tag.kind == .start else { return }
        guard tag.isComplete else {
            // Another tag begins within the tag. Its content may belong to either element.
            if isHidden, scanner.index < bytes.endIndex { hideRest() }
            return
        }
        if isHidden || isValue && elements[parent].namesSecret {
            let text = hideContent(of: tag)
            if isLabel, let text { setLabel(text[...], of: parent) }
        } else {
            elements.append(Element(name: tag.name, start: scanner.index, isLabel: isLabel, isValue: isValue))
        }
    }

    private mutating func close(_ name: Bytes, at position: Int) {
        // An end tag of another element is ignored.
        guard elements.count > 1, let element = elements.last, element.name == name else { return }
        elements.removeLast()
        if element.namesSecret { for range in element.values { edit(range) } }
        if element.isLabel { setLabel(element.text[...], of: elements.count - 1) }
        if element.isValue { elements[elements.count - 1].values.append(element.start..<position) }
    }

    /// Hides the values of elements that are cut off, if their names may have been cut off, too.
    private mutating func end() {
        let isCut = elements.count > 1
        while let element = elements.popLast() {
            if element.namesSecret || isCut && !element.hasLabel { for range in element.values { edit(range) } }
            guard let parent = elements.last else { return }
            if element.isValue, parent.namesSecret || !parent.hasLabel { edit(element.start..<bytes.endIndex) }
        }
    }

    /// Records a text that may name the values beside it.
    private mutating func setLabel(_ text: Bytes, of parent: Int) {
        let name = text.drop(while: \.isJSONBlank)
        guard let last = name.lastIndex(where: { !$0.isJSONBlank }) else { return }
        elements[parent].hasLabel = true
        guard isHiddenName(name[...last]) else { return }
        elements[parent].namesSecret = true
        // In a property list, the name of the next element is its type.
        elements[parent].hidesNext = true
    }

    /// Hides the content of an element up to its end tag, and returns the text of the content; nil if the end tag is
    /// not found.
    private mutating func hideContent(of tag: XMLScanner.Tag) -> [UInt8]? {
        let start = scanner.index
        var names = [tag.name]
        var text: [UInt8] = []
        while true {
            let position = scanner.index
            guard let token = scanner.next() else { break }
            switch token {
            case .text(let characters): text += Self.decoded(characters)
            case .characters(let characters): text += characters
            case .comment, .instruction: continue
            case .tag(let tag) where tag.isWellFormed && tag.kind == .empty: continue
            case .tag(let tag) where tag.isWellFormed && tag.kind == .start: names.append(tag.name)
            case .tag(let tag) where tag.isWellFormed && tag.name == names.last:
                names.removeLast()
                guard names.isEmpty else { continue }
                edit(start..<position)
                return text
            case .tag, .stray, .documentType, .unreadable: scanner.skipRest()
            }
        }
        edit(start..<bytes.endIndex)
        return nil
    }

    private mutating func hideRest() {
        edit(scanner.index..<bytes.endIndex)
        scanner.skipRest()
    }

    // MARK: Attributes

    /// Hides the secret values of a tag, and returns whether the tag names a secret that is the element's content.
    @discardableResult private mutating func editValues(of tag: XMLScanner.Tag) -> Bool {
        if tag.isWellFormed, tag.attributes.isEmpty { return false }
        let labels = tag.attributes.filter { Self.isLabel($0.name) }
        let namesSecret = labels.contains { isHiddenName(Self.decoded($0.value ?? [])[...]) }
        if !tag.isWellFormed, shown(Array(tag.content), isNested: false) != nil {
            edit(tag.content.indices, [.space] + Self.word)
            return namesSecret
        }
        // A name may be missing in a tag that is cut off.
        let hidesValues = namesSecret || !tag.isComplete
        for attribute in tag.attributes {
            guard let value = attribute.value else { continue }
            let isHidden = hides(attribute.name) || hidesValues && Self.isValue(attribute.name)
            if isHidden, !attribute.name.starts(with: "xmlns:".utf8) {
                // A value without quotation marks may contain blanks.
                edit(attribute.isQuoted ? value.indices : value.startIndex..<tag.content.endIndex)
            } else if let shown = shown(Self.decoded(value)) {
                edit(value.indices, Self.encoded(shown))
            }
        }
        return namesSecret
    }

    // MARK: Text

    private mutating func append(_ text: [UInt8], _ start: Int, section: Range<Int>? = nil) {
        if var run {
            self.run = nil
            run.range = run.range.lowerBound..<scanner.index
            run.text += text
            run.section = nil
            self.run = run
        } else {
            run = Run(range: start..<scanner.index, text: text, section: section)
        }
    }

    private mutating func endRun() {
        guard let run else { return }
        self.run = nil
        if elements[elements.count - 1].isLabel { elements[elements.count - 1].text += run.text }
        guard let shown = shown(run.text) else { return }
        if let section = run.section, !String(decoding: shown, as: UTF8.self).holds("]]>") {
            edit(section, shown)
        } else {
            edit(run.range, Self.encoded(shown))
        }
    }

    /// Hides the secrets within a comment, an instruction or a document type.
    private mutating func editMarkup(_ text: Bytes) {
        let shown = depth > 0 ? Self.content(text, rule, depth: depth - 1) : Self.word
        if shown != Array(text) { edit(text.indices, shown) }
    }

    /// Returns decoded text with its secrets hidden; nil if there is none.
    private func shown(_ text: [UInt8], isNested: Bool = true) -> [UInt8]? {
        let redaction = TextRedaction(rule, placeholder: Redaction.word, depth: depth)
        let shown: [UInt8]
        if let json = redaction.json(text[...]) {
            shown = json
        } else if isNested, XMLScanner.hasMarkup(text[...]) {
            shown = depth > 0 ? Self.content(text[...], rule, depth: depth - 1) : Self.word
        } else {
            shown = redaction.prose(text[...])
        }
        return shown == text ? nil : shown
    }

    // MARK: Names

    private static func local(_ name: Bytes) -> String {
        String(networkBytes: name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name)
    }

    private func hides(_ name: Bytes) -> Bool { rule.hides(Self.local(name)) }

    private static func isLabel(_ name: Bytes) -> Bool { ContentRedaction.isLabel(local(name)) }

    private static func isValue(_ name: Bytes) -> Bool { ContentRedaction.isValue(local(name)) }

    /// Returns whether a text is the name of a secret. A text with blanks is prose.
    private func isHiddenName(_ text: Bytes) -> Bool {
        !text.contains(where: \.isJSONBlank) && rule.hides(String(networkBytes: text))
    }

    // MARK: References

    private static let entities = [("amp", "&"), ("lt", "<"), ("gt", ">"), ("quot", "\""), ("apos", "'")]
        .map { (reference: Array("&\($0.0);".utf8), byte: Array($0.1.utf8)) }

    /// Returns text with the references of characters and the predefined entities decoded.
    private static func decoded(_ text: Bytes) -> [UInt8] {
        guard text.contains(UInt8(ascii: "&")) else { return Array(text) }
        var (rest, decoded) = (text, [UInt8]())
        decoded.reserveCapacity(text.count)
        while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
            decoded += rest[..<start]
            rest = rest[start...]
            if let entity = entities.first(where: { rest.starts(with: $0.reference) }) {
                decoded += entity.byte
                rest = rest.dropFirst(entity.reference.count)
            } else if let (scalar, end) = character(rest) {
                decoded += String(scalar).utf8
                rest = rest[end...]
            } else {
                decoded.append(rest.removeFirst())
            }
        }
        return decoded + rest
    }

    /// Returns the character of a reference such as `&#65;` or `&#x41;`, and the position behind it.
    private static func character(_ text: Bytes) -> (Unicode.Scalar, Int)? {
        guard text.starts(with: "&#".utf8) else { return nil }
        var digits = text.dropFirst(2)
        let radix: UInt32 = digits.first?.asLowercase == UInt8(ascii: "x") ? 16 : 10
        if radix == 16 { digits.removeFirst() }
        var value: UInt32 = 0
        for index in digits.indices {
            guard let digit = digits[index].hexDigitValue, digit < radix else {
                guard index > digits.startIndex, digits[index] == UInt8(ascii: ";") else { return nil }
                return Unicode.Scalar(value).map { ($0, index + 1) }
            }
            value = min(value * radix + UInt32(digit), 0x11_0000)
        }
        return nil
    }

    /// Returns text with references in place of the characters that could end it.
    private static func encoded(_ text: [UInt8]) -> [UInt8] {
        text.flatMap { byte in entities.first { $0.byte == [byte] }?.reference ?? [byte] }
    }
}
