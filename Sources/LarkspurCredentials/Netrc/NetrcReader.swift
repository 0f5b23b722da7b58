import HTTPSyntax

/// A reader of the text of a netrc file.
struct NetrcReader {
    private enum Keyword: String {
        case machine, login, password, account, macdef
        case all = "default"
    }

    private struct Word {
        let text: String
        let isQuoted: Bool
        let line: Int

        var keyword: Keyword? { isQuoted ? nil : Keyword(rawValue: text.inLowercase) }
    }

    private static let quotationMark = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")

    private let bytes: [UInt8]
    /// The path of the file, for errors; nil for a text.
    private let path: String?
    private var offset = 0
    /// The line at the offset, from 1.
    private var line = 1
    /// Whether only blanks are between the start of the line and the offset.
    private var isAtLineStart = true

    init(_ bytes: [UInt8], path: String?) {
        self.bytes = bytes
        self.path = path
    }

    /// Reads all entries.
    mutating func entries() throws(NetrcError) -> [Netrc.Entry] {
        var entries: [Netrc.Entry] = []
        var entry: Netrc.Entry?
        while let word = try nextWord(isValue: false) {
            switch word.keyword {
            case .machine:
                if let entry { entries.append(entry) }
                entry = Netrc.Entry(host: try value(of: word))
            case .all:
                if let entry { entries.append(entry) }
                entry = Netrc.Entry(host: nil)
            case .login: try set(\.login, of: &entry, word)
            case .password: try set(\.password, of: &entry, word)
            case .account: _ = try value(of: word)
            case .macdef:
                // A macro ends the entry, as with curl.
                if let ended = entry.take() { entries.append(ended) }
                try skipMacro(word)
            case nil:
                throw error(
                    "A word is none of machine, default, login, password, account and macdef; a value with blanks needs quotation marks.",
                    at: word.line
                )
            }
        }
        if let entry { entries.append(entry) }
        return entries
    }

    private mutating func set(
        _ property: WritableKeyPath<Netrc.Entry, String?>,
        of entry: inout Netrc.Entry?,
        _ keyword: Word
    ) throws(NetrcError) {
        let name = keyword.text.inLowercase
        guard let present = entry else { throw error("The \(name) follows no machine.", at: keyword.line) }
        guard present[keyPath: property] == nil else {
            throw error("An entry has a second \(name).", at: keyword.line)
        }
        entry?[keyPath: property] = try value(of: keyword)
    }

    private mutating func value(of keyword: Word) throws(NetrcError) -> String {
        guard let word = try nextWord(isValue: true) else {
            throw error("The word \(keyword.text.inLowercase) has no value.", at: keyword.line)
        }
        return word.text
    }

    /// Returns the next word; nil at the end of the text.
    /// - Parameter isValue: Whether the word is the value of a keyword. A value may begin with `#`.
    private mutating func nextWord(isValue: Bool) throws(NetrcError) -> Word? {
        while offset < bytes.count {
            switch bytes[offset] {
            case .lineFeed: skipLine()
            case .space, .tab, .carriageReturn: offset += 1
            case UInt8(ascii: "#") where isAtLineStart || !isValue: skipLine()
            case Self.quotationMark: return try quotedWord()
            default: return try plainWord()
            }
        }
        return nil
    }

    private mutating func plainWord() throws(NetrcError) -> Word {
        let start = offset
        while offset < bytes.count, !Self.separatesWords(bytes[offset]) {
            guard bytes[offset] > .space, bytes[offset] != 0x7F else {
                throw error("There is a control character outside of quotation marks.", at: line)
            }
            offset += 1
        }
        return try word(bytes[start..<offset], isQuoted: false)
    }

    private mutating func quotedWord() throws(NetrcError) -> Word {
        offset += 1
        var content: [UInt8] = []
        while offset < bytes.count, bytes[offset] != .lineFeed {
            let byte = bytes[offset]
            offset += 1
            guard byte != Self.quotationMark else {
                guard offset == bytes.count || Self.separatesWords(bytes[offset]) else {
                    throw error("There is no blank after a value in quotation marks.", at: line)
                }
                return try word(content[...], isQuoted: true)
            }
            guard byte == Self.backslash else {
                content.append(byte)
                continue
            }
            guard offset < bytes.count, bytes[offset] != .lineFeed else { break }
            content.append(Self.unescaped(bytes[offset]))
            offset += 1
        }
        throw error("A quotation mark has no counterpart in its line.", at: line)
    }

    private mutating func word(_ content: ArraySlice<UInt8>, isQuoted: Bool) throws(NetrcError) -> Word {
        isAtLineStart = false
        guard let text = String(validating: content, as: UTF8.self), !text.utf8.contains(0) else {
            throw error("A word is not valid UTF-8, or has a zero byte.", at: line)
        }
        return Word(text: text, isQuoted: isQuoted, line: line)
    }

    private static func separatesWords(_ byte: UInt8) -> Bool {
        byte.isBlank || byte == .lineFeed || byte == .carriageReturn
    }

    /// Returns the byte for which the escape with this byte stands.
    private static func unescaped(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "n"): .lineFeed
        case UInt8(ascii: "r"): .carriageReturn
        case UInt8(ascii: "t"): .tab
        default: byte
        }
    }

    /// Passes over a macro: the rest of the line, and all lines up to an empty one.
    private mutating func skipMacro(_ keyword: Word) throws(NetrcError) {
        let rest = bytes[offset...].prefix { $0 != .lineFeed }
        guard !rest.allSatisfy({ Self.separatesWords($0) }) else {
            throw error("The word macdef has no name of a macro in its line.", at: keyword.line)
        }
        skipLine()
        while offset < bytes.count {
            let isEmpty = bytes[offset] == .lineFeed || bytes[offset] == .carriageReturn
            skipLine()
            if isEmpty { return }
        }
    }

    /// Passes over the rest of the line.
    private mutating func skipLine() {
        guard let end = bytes[offset...].firstIndex(of: .lineFeed) else {
            offset = bytes.count
            return
        }
        offset = end + 1
        line += 1
        isAtLineStart = true
    }

    private func error(_ sentence: String, at line: Int) -> NetrcError {
        NetrcError(.malformed, path: path, line: line, sentence)
    }
}
