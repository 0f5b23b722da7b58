internal import HTTPSyntax
internal import JSONSyntax

/// The redaction of content, according to its media type.
struct ContentRedaction {
    typealias Bytes = ArraySlice<UInt8>

    private let rule: Redaction
    private let depth: Int
    private let text: TextRedaction
    private static let placeholder = Array(Redaction.placeholder.utf8)

    /// - Parameters:
    ///   - rule: The rule.
    ///   - depth: The maximum number of nested encodings that are read. Values with more encodings are hidden.
    init(_ rule: Redaction, depth: Int = TextRedaction.maximumDepth) {
        self.rule = rule
        self.depth = depth
        text = TextRedaction(rule, placeholder: Redaction.word, depth: depth)
    }

    private enum Kind {
        case form, json, jsonSequence, xml, events, multipart(boundary: String?), plain, unknown, other

        init(_ type: String?) {
            guard let type else {
                self = .unknown
                return
            }
            let parameters = FieldParameters(type)
            let essence = parameters.leading.inLowercase
            let sequences = ["jsonl", "ndjson", "json-seq", "json-stream"]
            if essence == "application/x-www-form-urlencoded" {
                self = .form
            } else if essence == "text/event-stream" {
                self = .events
            } else if essence.begins(with: "multipart/") {
                self = .multipart(boundary: parameters.values["boundary"])
            } else if sequences.contains(where: { essence.holds($0) }) {
                self = .jsonSequence
            } else if essence.holds("json") {
                self = .json
            } else if ["/xml", "+xml", "-xml"].contains(where: { essence.holds($0) }) {
                self = .xml
            } else {
                // The content of `message/http` is a message that a server has received (RFC 9110, section 9.3.8).
                let isText = essence == "text/plain" || essence == "message/http"
                self = isText ? .plain : essence.isEmpty ? .unknown : .other
            }
        }
    }

    /// Returns content with its secrets hidden, as ``Redaction/content(_:type:)`` describes.
    func content(_ bytes: Bytes, type: String?) -> [UInt8] {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let bytes = hidingChunkSignatures(bytes)
        return bytes.starts(with: mark) ? mark + content(bytes.dropFirst(3), Kind(type)) : content(bytes, Kind(type))
    }

    private func content(_ bytes: Bytes, _ kind: Kind) -> [UInt8] {
        switch kind {
        case .form: return form(bytes)
        case .json: return json(bytes) ?? Self.placeholder
        case .jsonSequence: return json(bytes) ?? sequence(bytes)
        case .xml: return xml(bytes)
        case .events: return events(bytes)
        case .multipart(let boundary): return multipart(bytes, boundary)
        case .plain: return unknown(bytes, isForm: false)
        case .unknown: return unknown(bytes, isForm: true)
        case .other:
            if bytes.starts(with: "<?xml".utf8) { return xml(bytes) }
            return looksLikeJSON(bytes) ? json(bytes) ?? Array(bytes) : Array(bytes)
        }
    }

    private func form(_ bytes: Bytes) -> [UInt8] {
        guard String(validating: bytes, as: UTF8.self) != nil else { return Self.placeholder }
        return TextRedaction(rule, placeholder: Redaction.placeholder, depth: depth).form(bytes)
    }

    /// Returns content without a type, or plain text, with its secrets hidden.
    private func unknown(_ bytes: Bytes, isForm: Bool) -> [UInt8] {
        if looksLikeJSON(bytes) {
            if let json = json(bytes) { return json }
            let lines = lines(bytes)
            if lines.allSatisfy({ $0.allSatisfy(\.isJSONBlank) || json($0) != nil }) { return sequence(bytes) }
            return isForm || beginsObject(bytes) ? Self.placeholder : Array(bytes)
        }
        if XMLScanner.beginsDocument(bytes) { return xml(bytes) }
        if isForm { return form(bytes) }
        // A text with blanks is prose. A text without blanks may be a form or a URL, despite its type.
        let word = bytes.trimmingSuffix(while: \.isJSONBlank)
        return word.contains(where: \.isJSONBlank) ? text.fieldLines(bytes) : text.text(word) + bytes[word.endIndex...]
    }

    private func looksLikeJSON(_ bytes: Bytes) -> Bool {
        let first = bytes.first { !$0.isJSONBlank }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }

    /// Returns whether a text begins like a JSON object with members.
    func beginsObject(_ bytes: Bytes) -> Bool {
        let marks = bytes.lazy.filter { !$0.isJSONBlank }.prefix(2)
        return marks.elementsEqual([UInt8(ascii: "{"), UInt8(ascii: "\"")])
    }

    // MARK: JSON

    /// Returns JSON with its secrets hidden; nil if it cannot be parsed. Members stay in their order, and numbers keep
    /// their digits.
    func json(_ bytes: Bytes) -> [UInt8]? {
        // JSON in UTF-16 or UTF-32 has a zero among its first bytes. It is hidden as a whole, because `JSONNode` reads
        // only UTF-8.
        guard !bytes.prefix(4).contains(0) else { return Self.placeholder }
        let whole = Array(bytes)
        // The limit is lower for JSON in a string of JSON, so that the total use of the stack is limited.
        let nesting = max(2, JSONNode.maximumDepth >> (TextRedaction.maximumDepth - depth))
        guard let node = try? JSONNode(whole, maximumDepth: nesting) else {
            // JSON that is nested too deeply to be read is hidden as a whole.
            return JSONScanner.accepts(whole, maximumDepth: .max) ? Self.placeholder : nil
        }
        var hasHidden = false
        let redacted = hiding(in: node, &hasHidden)
        return hasHidden ? redacted.compact : whole
    }

    private func hiding(in node: JSONNode, _ hasHidden: inout Bool) -> JSONNode {
        switch node.kind {
        case .object(let members):
            let namesSecret = members.contains { Self.isLabel($0.name) && isHiddenName($0.value) }
            return JSONNode(
                .object(
                    members.map { member in
                        guard rule.hides(member.name) || namesSecret && Self.isValue(member.name) else {
                            return JSONNode.Member(name: member.name, value: hiding(in: member.value, &hasHidden))
                        }
                        hasHidden = true
                        return JSONNode.Member(name: member.name, value: JSONNode(.string(Redaction.placeholder)))
                    }
                )
            )
        case .array(let elements):
            let arePairs = elements.allSatisfy(\.isPair)
            return JSONNode(
                .array(
                    elements.map { element in
                        guard arePairs, case .array(let pair) = element.kind, let name = pair.first, isHiddenName(name)
                        else { return hiding(in: element, &hasHidden) }
                        hasHidden = true
                        return JSONNode(.array([name, JSONNode(.string(Redaction.placeholder))]))
                    }
                )
            )
        case .string(let string):
            let bytes = Array(string.utf8)
            let shown = text.text(bytes[...])
            guard shown != bytes else { return node }
            hasHidden = true
            return JSONNode(.string(String(decoding: shown, as: UTF8.self)))
        case .null, .bool, .number: return node
        }
    }

    /// Returns whether a value is a string that is the name of a secret. A text with blanks is prose.
    private func isHiddenName(_ node: JSONNode) -> Bool {
        guard case .string(let name) = node.kind else { return false }
        return !name.utf8.contains(where: \.isJSONBlank) && rule.hides(name)
    }

    /// Whether the member of an object may name the object's value, as in `{"name": …, "value": …}`.
    static func isLabel(_ name: String) -> Bool { labels.contains { name.hasSameLetters(as: $0) } }

    static func isValue(_ name: String) -> Bool { values.contains { name.hasSameLetters(as: $0) } }

    private static let labels = [
        "name", "key", "field", "header", "id", "label", "param", "parameter", "property", "attribute", "type", "k",
    ]
    private static let values = [
        "value", "values", "val", "v", "content", "data", "text", "stringValue", "defaultValue",
    ]

    /// Returns a sequence of JSON texts with their secrets hidden. Each text is on a separate line, or follows the
    /// separator of RFC 7464. A text that cannot be parsed is hidden.
    private func sequence(_ bytes: Bytes) -> [UInt8] {
        let separator: UInt8 = 0x1E
        guard bytes.contains(separator) else { return joined(lines(bytes).map(element)) }
        let texts = bytes.split(separator: separator, omittingEmptySubsequences: false).map { text in
            let json = text.trimmingSuffix(while: \.isJSONBlank)
            return element(json) + text[json.endIndex...]
        }
        return Array(texts.joined(separator: [separator]))
    }

    private func element(_ bytes: Bytes) -> [UInt8] {
        bytes.allSatisfy(\.isJSONBlank) ? Array(bytes) : json(bytes) ?? Self.placeholder
    }

    // MARK: XML

    /// Returns XML with its secrets hidden. Content of the type of XML that does not begin like XML is read as plain
    /// text.
    private func xml(_ bytes: Bytes) -> [UInt8] {
        // Other control characters are not allowed, but occur in UTF-16 and in encodings that switch between
        // characters.
        guard bytes.allSatisfy({ $0 >= .space || $0.isJSONBlank }) else { return Self.placeholder }
        if bytes.contains(UInt8(ascii: "<")) {
            if looksLikeJSON(bytes) { return json(bytes) ?? Self.placeholder }
            return XMLRedaction.content(bytes, rule, depth: depth)
        }
        // EBCDIC has no byte of ASCII's `<`.
        guard String(validating: bytes, as: UTF8.self) != nil else { return Self.placeholder }
        return unknown(bytes, isForm: false)
    }

    /// Returns content with the signatures of its chunks hidden, if it has the coding `aws-chunked`.
    private func hidingChunkSignatures(_ bytes: Bytes) -> Bytes {
        let mark = Array(";chunk-signature=".utf8)
        let size = bytes.prefix { $0.hexDigitValue != nil }
        guard bytes[size.endIndex...].starts(with: mark), rule.hides("chunk-signature") else { return bytes }
        var (rest, result) = (bytes, [UInt8]())
        while let start = rest.firstIndex(of: mark[0]) {
            result += rest[...start]
            rest = rest[(start + 1)...]
            guard rest.starts(with: mark.dropFirst()) else { continue }
            result += mark.dropFirst() + Redaction.word.utf8
            rest = rest.dropFirst(mark.count - 1).drop { $0.hexDigitValue != nil }
        }
        return (result + rest)[...]
    }

    // MARK: Lines

    private func lines(_ bytes: Bytes) -> [Bytes] {
        bytes.split(separator: .lineFeed, omittingEmptySubsequences: false)
    }

    private func joined(_ lines: [[UInt8]]) -> [UInt8] { Array(lines.joined(separator: [.lineFeed])) }

    /// Returns an event stream with its secrets hidden. The data lines of an event are one text. If a part of this text
    /// is hidden, the redacted text replaces the first data line, and the other data lines are removed.
    private func events(_ bytes: Bytes) -> [UInt8] {
        var result: [[UInt8]] = []
        var event: [Bytes] = []
        let lines = bytes.split(omittingEmptySubsequences: false) { $0 == .lineFeed || $0 == .carriageReturn }
            // CR LF is one line break, so the empty text between CR and LF is not a line.
            .filter { !$0.isEmpty || bytes.isEndOfLine($0.startIndex) }
        for line in lines {
            if line.isEmpty {
                result += shown(event) + [[]]
                event = []
            } else {
                event.append(line)
            }
        }
        let shown = result + shown(event)
        // Content without a secret keeps its line breaks.
        return shown.elementsEqual(lines, by: { $0.elementsEqual($1) }) ? Array(bytes) : joined(shown)
    }

    private func shown(_ event: [Bytes]) -> [[UInt8]] {
        let field = Array("data:".utf8)
        let data = event.filter { $0.starts(with: field) }.map { line in
            let value = line.dropFirst(field.count)
            return Array(value.first == .space ? value.dropFirst() : value)
        }
        let whole = joined(data)
        let shown = text.text(whole[...])
        var remaining = shown == whole ? nil : lines(shown[...]).map { field + [.space] + $0 }
        return event.flatMap { line -> [[UInt8]] in
            guard line.starts(with: field) else { return [text.text(line)] }
            guard let lines = remaining else { return [Array(line)] }
            remaining = []
            return lines
        }
    }

    // MARK: Multipart

    private func multipart(_ bytes: Bytes, _ boundary: String?) -> [UInt8] {
        // All of the content is searched for names, so that a malformed boundary does not conceal a name.
        if partNames(in: bytes).contains(where: rule.hides(parameter:)) { return Self.placeholder }
        guard let boundary, !boundary.isEmpty, depth > 0 else { return Self.placeholder }
        let delimiter = Array("--\(boundary)".utf8)
        var result: [UInt8] = []
        var start = bytes.startIndex
        var part = start
        // A delimiter is at the start of a line (RFC 2046, section 5.1.1).
        while start < bytes.endIndex {
            let next = bytes[start...].firstIndex(of: .lineFeed).map { $0 + 1 } ?? bytes.endIndex
            if bytes[start...].starts(with: delimiter) {
                append(part: bytes[part..<start], to: &result)
                result += bytes[start..<next]
                part = next
            }
            start = next
        }
        append(part: bytes[part...], to: &result)
        return result
    }

    /// Appends a part with its secrets hidden. A part has fields, an empty line, and content. The line break before the
    /// delimiter is not part of the content.
    private func append(part: Bytes, to result: inout [UInt8]) {
        var type: String?
        var start = part.startIndex
        while start < part.endIndex {
            let next = part[start...].firstIndex(of: .lineFeed).map { $0 + 1 } ?? part.endIndex
            let line = String(networkBytes: part[start..<next].trimmingSuffix(while: \.isJSONBlank))
            start = next
            if line.isEmpty { break }
            let field = line.parts(separatedBy: ":", maxSplits: 1)
            if field.count == 2, field[0].hasSameLetters(as: "content-type") { type = field[1].trimmingBlanks }
        }
        result += part[..<start]
        var content = part[start...]
        if content.last == .lineFeed { content.removeLast() }
        if content.last == .carriageReturn { content.removeLast() }
        // Parts are plain text by default.
        result += ContentRedaction(rule, depth: depth - 1).content(content, type: type ?? "text/plain")
        result += part[content.endIndex...]
    }

    /// Returns the names that Content-Disposition fields give to parts, also in upper case or as `name*=`. The result
    /// includes texts that look like such names.
    private func partNames(in bytes: Bytes) -> [String] {
        var names: [String] = []
        let word = Array("name".utf8)
        var start = bytes.startIndex
        while let letter = bytes[start...].firstIndex(where: { $0.asLowercase == word[0] }) {
            start = letter + 1
            let rest = bytes[letter...].prefix(300)
            guard rest.prefix(word.count).map(\.asLowercase) == word, !Self.followsFile(bytes[..<letter]) else {
                continue
            }
            // RFC 8187 and RFC 2231 allow `name*`, `name*0` and `name*0*`.
            let end = rest.dropFirst(word.count).drop { $0.isDigit || $0 == UInt8(ascii: "*") }.drop(while: \.isBlank)
            guard end.first == UInt8(ascii: "=") else { continue }
            let value = String(networkBytes: end.dropFirst().drop(while: \.isBlank))
            let token = value.unicodeScalars.prefix { $0 != ";" && !$0.properties.isWhitespace }
            let name = (value.begins(with: "\"") ? FieldParameters.unquote(value) : String(token)).percentDecoded()
            // In RFC 8187, the charset and the language precede the name.
            names += [name, String(name.parts(separatedBy: "'").last ?? "")]
        }
        return names
    }

    private static func followsFile(_ bytes: Bytes) -> Bool {
        bytes.suffix(4).map(\.asLowercase) == Array("file".utf8)
    }
}

extension JSONNode {
    /// Whether the node is an array of a string and another value.
    fileprivate var isPair: Bool {
        guard case .array(let elements) = kind, elements.count == 2, case .string = elements[0].kind else {
            return false
        }
        return true
    }
}

extension ArraySlice<UInt8> {
    /// Returns the bytes without the bytes at the end that meet a condition.
    fileprivate func trimmingSuffix(while condition: (UInt8) -> Bool) -> Self {
        self[..<(lastIndex { !condition($0) }.map { $0 + 1 } ?? startIndex)]
    }

    /// Returns whether an empty line at a position is a line, and not the position between CR and LF.
    fileprivate func isEndOfLine(_ index: Int) -> Bool {
        index == startIndex || !(index < endIndex && self[index] == .lineFeed && self[index - 1] == .carriageReturn)
    }
}
