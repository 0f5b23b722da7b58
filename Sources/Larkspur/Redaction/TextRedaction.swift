internal import HTTPSyntax

/// The redaction of forms, URLs, and texts that contain them.
///
/// The redaction works on bytes, as servers do. In Swift, `=` with a combining accent is another character than `=`.
/// Percent escapes and strings of JSON are decoded and redacted, too, up to a maximum depth. Values at a greater depth
/// are hidden.
struct TextRedaction {
    typealias Bytes = ArraySlice<UInt8>

    /// The maximum number of nested encodings that are read.
    static let maximumDepth = 4

    let rule: Redaction
    let placeholder: [UInt8]
    let depth: Int

    /// - Parameters:
    ///   - rule: The rule.
    ///   - placeholder: The text in place of a secret.
    ///   - depth: The number of nested encodings that may follow.
    init(_ rule: Redaction, placeholder: String, depth: Int = maximumDepth) {
        self.rule = rule
        self.placeholder = Array(placeholder.utf8)
        self.depth = depth
    }

    private init(within outer: Self) {
        rule = outer.rule
        placeholder = Array(Redaction.word.utf8)
        depth = outer.depth - 1
    }

    // MARK: Forms

    /// Returns a query or a form with its secrets hidden. The text consists of pairs with `&` between them.
    func form(_ bytes: Bytes) -> [UInt8] { pairs(bytes, isForm: true) }

    /// Returns pairs with their secrets hidden.
    /// - Parameter isForm: Whether the pairs are a form. If not, they are a word of a text that looks like a single
    ///   pair. At the start of such a word, `code=` is not hidden, because the word may be part of a sentence.
    private func pairs(_ bytes: Bytes, isForm: Bool) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for (index, field) in bytes.split(separator: .ampersand, omittingEmptySubsequences: false).enumerated() {
            if index > 0 { result.append(.ampersand) }
            append(field, isForm, to: &result)
        }
        return result
    }

    /// Appends the text between two `&`, with its secrets hidden. The text may contain several pairs, because some
    /// services separate pairs by `;`, and a value may be a URL that is not encoded. A secret may contain these
    /// characters, too, so everything after a hidden name is hidden.
    private func append(_ field: Bytes, _ isForm: Bool, to result: inout [UInt8]) {
        if let equals = field.firstIndex(of: .equals), !hides(field[..<equals], isForm) {
            let value = field[(equals + 1)...]
            let decoded = value.percentDecoded
            if let json = json(decoded[...]) {
                result += field[...equals] + (json == decoded ? Array(value) : json.percentEncoded)
                return
            }
        }
        var rest = field
        while true {
            let end = rest.firstIndex(where: \.separatesPairs) ?? rest.endIndex
            let pair = rest[..<end]
            if let equals = pair.firstIndex(of: .equals) {
                result += pair[...equals]
                if hides(pair[..<equals], isForm || pair.startIndex > field.startIndex) {
                    result += placeholder
                    return
                }
                result += value(pair[(equals + 1)...])
            } else {
                result += value(pair)
            }
            guard end < rest.endIndex else { return }
            result.append(rest[end])
            rest = rest[(end + 1)...]
        }
    }

    private func hides(_ name: Bytes, _ isForm: Bool) -> Bool {
        let name = String(decoding: name.percentDecoded, as: UTF8.self)
        return isForm ? rule.hides(parameter: name) : rule.hides(name)
    }

    // MARK: Texts

    /// Returns a text with the secrets of its URLs, forms, JSON and XML hidden. The text is the value of a field or of
    /// a parameter, or a string of JSON.
    func text(_ bytes: Bytes) -> [UInt8] {
        if let json = json(bytes) { return json }
        guard XMLScanner.beginsDocument(bytes) else { return prose(bytes) }
        return depth > 0 ? XMLRedaction.content(bytes, rule, depth: depth - 1) : placeholder
    }

    /// Returns a text that is neither JSON nor XML with its secrets hidden.
    func prose(_ bytes: Bytes) -> [UInt8] { words(fieldLines(bytes)[...]) }

    private func words(_ bytes: Bytes) -> [UInt8] {
        guard bytes.contains(where: \.isOfInterest) else { return Array(bytes) }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var rest = bytes
        while let end = rest.firstIndex(where: \.endsWord) {
            var word = rest[..<end]
            // A quoted value may contain blanks, and belongs to the name before it.
            if rest[end] == .quote, word.last == .equals { word = rest[..<endOfQuoted(in: rest, from: end)] }
            append(word: word, to: &result)
            rest = rest[word.endIndex...]
            if let separator = rest.first, separator.endsWord {
                result.append(separator)
                rest.removeFirst()
            }
        }
        append(word: rest, to: &result)
        return result
    }

    private func endOfQuoted(in bytes: Bytes, from start: Int) -> Int {
        var index = start + 1
        while index < bytes.endIndex {
            if bytes[index] == .quote { return index + 1 }
            index += bytes[index] == .backslash ? 2 : 1
        }
        return bytes.endIndex
    }

    private func append(word: Bytes, to result: inout [UInt8]) {
        guard word.contains(where: \.isOfInterest) else {
            result += word
            return
        }
        // In a form, a name and `=` come first. In a URL, the path comes first.
        let mark = word.first { $0 == .equals || $0 == .slash || $0 == .questionMark || $0 == .hash }
        result += mark == .equals ? pairs(word, isForm: word.contains(.ampersand)) : url(word)
    }

    // MARK: Header lines

    /// Returns a text with the values of the header fields in it hidden, such as `Authorization: Bearer …`.
    ///
    /// A field is at the start of a line, or after a quotation mark, as in a command for curl.
    func fieldLines(_ bytes: Bytes) -> [UInt8] {
        guard bytes.contains(.colon) else { return Array(bytes) }
        var result: [UInt8] = []
        var shown = bytes.startIndex
        var start = bytes.startIndex
        var mark = UInt8.lineFeed
        while true {
            let name = bytes[start...].prefix(while: \.isFieldName)
            var end = name.endIndex
            if let value = hiddenValue(of: name, in: bytes, after: mark) {
                result += bytes[shown..<value.startIndex] + placeholder
                shown = value.endIndex
                end = value.endIndex
            }
            guard let next = bytes[end...].firstIndex(where: \.beginsField) else { break }
            mark = bytes[next]
            start = next + 1
        }
        return result + bytes[shown...]
    }

    /// Returns the value of a header field if it is hidden.
    ///
    /// The names of fields have hyphens, except for a few. After another name with a colon, as in "password: is too
    /// short", only a single word is a secret.
    private func hiddenValue(of name: Bytes, in bytes: Bytes, after mark: UInt8) -> Bytes? {
        guard !name.isEmpty, name.endIndex < bytes.endIndex, bytes[name.endIndex] == .colon, hides(name, false) else {
            return nil
        }
        let line = bytes[(name.endIndex + 1)...].prefix { byte in
            !(byte == .lineFeed || byte == .carriageReturn || mark.isQuotationMark && byte == mark)
        }
        let value = line.drop(while: \.isBlank)
        guard !value.isEmpty else { return nil }
        if name.contains(UInt8(ascii: "-")) || Self.fieldsWithoutHyphen.contains(name.map(\.asLowercase)) {
            return value
        }
        return value.startIndex > line.startIndex && !value.contains(where: \.isBlank) ? value : nil
    }

    private static let fieldsWithoutHyphen = ["authorization", "cookie", "cookie2"].map { Array($0.utf8) }

    // MARK: URLs

    /// Returns a URL or a relative reference with its secrets hidden, in its user information, path, query and
    /// fragment.
    func url(_ bytes: Bytes) -> [UInt8] {
        let head = bytes.prefix { $0 != .questionMark && $0 != .hash }
        var result = path(userInformation(head)[...])
        var rest = bytes[head.endIndex...]
        if rest.first == .questionMark {
            let query = rest.prefix { $0 != .hash }
            result += [.questionMark] + form(query.dropFirst())
            rest = rest[query.endIndex...]
        }
        // Some services return tokens in a fragment.
        if let hash = rest.first { result += [hash] + form(rest.dropFirst()) }
        return result
    }

    /// Returns a text with everything between `//` and `@` hidden. The user's name is hidden, too, because some
    /// services accept a token in its place.
    private func userInformation(_ bytes: Bytes) -> [UInt8] {
        guard rule.hidesSecrets, bytes.contains(.at) else { return Array(bytes) }
        var result: [UInt8] = []
        var rest = bytes
        var previous: UInt8 = .colon
        while let byte = rest.popFirst() {
            result.append(byte)
            defer { previous = byte }
            guard byte == .slash, previous == .slash else { continue }
            let authority = rest.prefix { $0 != .slash && $0 != .backslash }
            guard let at = authority.lastIndex(of: .at) else { continue }
            let hasPassword = authority[..<at].contains(.colon)
            result += placeholder + (hasPassword ? [.colon] + placeholder : [])
            rest = rest[at...]
        }
        return result
    }

    /// Returns a path or the value of a field, in which hidden parameters such as `;jsessionid=…` are replaced.
    ///
    /// In a path, a hidden value ends at the next segment. In the value of a field, it ends at the end of the text,
    /// because it may contain slashes.
    private func path(_ bytes: Bytes) -> [UInt8] {
        let isPath = bytes.first { $0 == .slash || $0 == .equals } == .slash
        var result: [UInt8] = []
        var rest = bytes
        while true {
            let end = rest.firstIndex(where: \.separatesPath) ?? rest.endIndex
            let part = rest[..<end]
            if let equals = part.firstIndex(of: .equals),
                rule.hides(String(decoding: part[..<equals].percentDecoded, as: UTF8.self))
            {
                result += part[...equals] + placeholder
                guard isPath, let slash = rest[equals...].firstIndex(of: .slash) else { return result }
                rest = rest[slash...]
                continue
            }
            let start = part.firstIndex(of: .equals).map { $0 + 1 } ?? part.startIndex
            result += part[..<start] + value(part[start...])
            guard end < rest.endIndex else { return result }
            result.append(rest[end])
            rest = rest[(end + 1)...]
        }
    }

    // MARK: Encodings within each other

    /// Returns a value with its secrets hidden. The value may itself be encoded, such as a URL in a parameter.
    private func value(_ bytes: Bytes) -> [UInt8] {
        let decoded = bytes.percentDecoded
        guard decoded.count < bytes.count else { return userInformation(bytes) }
        guard depth > 0 else { return placeholder }
        let shown = Self(within: self).text(decoded[...])
        return shown == decoded ? Array(bytes) : shown.percentEncoded
    }

    /// Returns JSON with its secrets hidden; nil if the text is not JSON.
    func json(_ bytes: Bytes) -> [UInt8]? {
        guard let first = bytes.first(where: { !$0.isJSONBlank }), [.brace, .bracket, .quote].contains(first) else {
            return nil
        }
        guard depth > 0 else { return first == .quote ? nil : placeholder }
        let content = ContentRedaction(rule, depth: depth - 1)
        // A text that only begins like an object was cut off, and may contain secrets.
        return content.json(bytes) ?? (content.beginsObject(bytes) ? placeholder : nil)
    }
}

extension UInt8 {
    fileprivate static var ampersand: UInt8 { UInt8(ascii: "&") }
    fileprivate static var at: UInt8 { UInt8(ascii: "@") }
    fileprivate static var backslash: UInt8 { UInt8(ascii: "\\") }
    fileprivate static var brace: UInt8 { UInt8(ascii: "{") }
    fileprivate static var bracket: UInt8 { UInt8(ascii: "[") }
    fileprivate static var colon: UInt8 { UInt8(ascii: ":") }
    fileprivate static var comma: UInt8 { UInt8(ascii: ",") }
    fileprivate static var equals: UInt8 { UInt8(ascii: "=") }
    fileprivate static var hash: UInt8 { UInt8(ascii: "#") }
    fileprivate static var percent: UInt8 { UInt8(ascii: "%") }
    fileprivate static var questionMark: UInt8 { UInt8(ascii: "?") }
    fileprivate static var quote: UInt8 { UInt8(ascii: "\"") }
    fileprivate static var semicolon: UInt8 { UInt8(ascii: ";") }
    fileprivate static var slash: UInt8 { UInt8(ascii: "/") }

    /// Whether a text with the byte may have a parameter, user information or an escape.
    fileprivate var isOfInterest: Bool { self == .equals || self == .at || self == .percent }

    /// Whether the byte may separate two pairs of a name and a value. `&` is not among these bytes, because a form is
    /// split at `&` before.
    fileprivate var separatesPairs: Bool {
        self == .semicolon || self == .questionMark || self == .hash || self == .comma
    }

    /// Whether the byte may be part of the name of a header field. Names with other characters of tokens (RFC 9110,
    /// section 5.6.2) are not used.
    fileprivate var isFieldName: Bool {
        isLetter || isDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: "_") || self == UInt8(ascii: ".")
            || self >= 0x80
    }

    /// Whether a header field may follow the byte.
    fileprivate var beginsField: Bool { self == .lineFeed || self == .carriageReturn || isQuotationMark }

    fileprivate var isQuotationMark: Bool { self == .quote || self == UInt8(ascii: "'") }

    /// Whether the byte separates the segments or the parameters of a path.
    fileprivate var separatesPath: Bool {
        self == .slash || self == .semicolon || self == .comma || self == .ampersand
    }

    /// Whether the byte separates words of a text.
    fileprivate var endsWord: Bool {
        self <= .space || self == .quote || self == UInt8(ascii: "<") || self == UInt8(ascii: ">")
    }

    /// Whether the byte is a blank of JSON.
    var isJSONBlank: Bool { isBlank || self == .carriageReturn || self == .lineFeed }
}

extension ArraySlice<UInt8> {
    /// The bytes with percent escapes decoded. A plus sign stays unchanged.
    fileprivate var percentDecoded: [UInt8] {
        guard contains(.percent) else { return Array(self) }
        var result: [UInt8] = []
        result.reserveCapacity(count)
        var index = startIndex
        while index < endIndex {
            if self[index] == .percent, index + 2 < endIndex, let high = self[index + 1].hexDigitValue,
                let low = self[index + 2].hexDigitValue
            {
                result.append(high << 4 | low)
                index += 3
            } else {
                result.append(self[index])
                index += 1
            }
        }
        return result
    }
}

extension Array<UInt8> {
    /// The bytes, with percent escapes in place of the bytes that could end a parameter.
    fileprivate var percentEncoded: [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(count + count / 2)
        for byte in self {
            if PercentEncoding.isUnescaped(byte) || byte == UInt8(ascii: "+") {
                result.append(byte)
            } else {
                PercentEncoding.append(byte, to: &result)
            }
        }
        return result
    }
}
