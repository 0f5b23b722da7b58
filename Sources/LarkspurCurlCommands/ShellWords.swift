internal import HTTPSyntax

/// The words of a command line, separated as in a POSIX shell.
enum ShellWords {
    enum Failure: Error, Equatable {
        case openQuote(Unicode.Scalar)
        case ampersand
        case substitution
        case missingVariable(String)

        var sentence: String {
            switch self {
            case .openQuote(let quote): "A quote (\(quote)) is not closed."
            case .ampersand: "An unquoted & ends the command in a shell: put the URL in quotes."
            case .substitution: "The command contains the output of another command."
            case .missingVariable(let name): "The variable \(name) has no value: pass one in `variables`."
            }
        }
    }

    /// Returns the words of the first command in a text, up to a pipe, a semicolon or a line end, without redirections.
    /// It also reads bash's `$'…'`, because browsers use this form in the commands that they copy.
    /// - Parameters:
    ///   - text: The text.
    ///   - variables: The values of shell variables.
    static func split(_ text: String, variables: [String: String]) throws(Failure) -> [[UInt8]] {
        var reader = Reader(bytes: ArraySlice(text.utf8), variables: variables)
        return try reader.words()
    }
}

extension ShellWords {
    /// A reader of words, byte by byte.
    private struct Reader {
        var bytes: ArraySlice<UInt8>
        let variables: [String: String]

        mutating func words() throws(Failure) -> [[UInt8]] {
            var words: [[UInt8]] = []
            while true {
                skipBlanks()
                guard let byte = bytes.first else { return words }
                switch byte {
                case .lineFeed where words.isEmpty: bytes.removeFirst()
                case .lineFeed, UInt8(ascii: "|"), UInt8(ascii: ";"): return words
                case UInt8(ascii: "#"): skip { $0 != .lineFeed }
                case UInt8(ascii: "&"):
                    guard bytes.dropFirst().first == UInt8(ascii: "&") else { throw .ampersand }
                    return words
                case UInt8(ascii: ">"), UInt8(ascii: "<"):
                    skip { ">&<|".utf8.contains($0) }
                    skipBlanks()
                    _ = try word()
                default:
                    let word = try word()
                    // Digits directly before a redirection are the number of a descriptor, as in 2>.
                    let isDescriptor =
                        bytes.first == UInt8(ascii: ">") && !word.isEmpty && word.allSatisfy(\.isDigit)
                    if !isDescriptor { words.append(word) }
                }
            }
        }

        private mutating func skip(while isSkipped: (UInt8) -> Bool) { bytes = bytes.drop(while: isSkipped) }

        /// Skips blanks and escaped line ends.
        private mutating func skipBlanks() {
            while let byte = bytes.first {
                if byte.isBlank || byte == .carriageReturn {
                    bytes.removeFirst()
                } else if bytes.starts(with: "\\\n".utf8) {
                    bytes.removeFirst(2)
                } else if bytes.starts(with: "\\\r\n".utf8) {
                    bytes.removeFirst(3)
                } else {
                    return
                }
            }
        }

        private mutating func word() throws(Failure) -> [UInt8] {
            var word: [UInt8] = []
            while let byte = bytes.first {
                switch byte {
                case _ where byte.isBlank, .lineFeed, .carriageReturn, UInt8(ascii: "|"), UInt8(ascii: ";"),
                    UInt8(ascii: ">"), UInt8(ascii: "<"):
                    return word
                case UInt8(ascii: "&"):
                    guard bytes.dropFirst().first == UInt8(ascii: "&") else { throw .ampersand }
                    return word
                case UInt8(ascii: "'"):
                    bytes.removeFirst()
                    try word += quotation(until: byte)
                case UInt8(ascii: "\""):
                    bytes.removeFirst()
                    try word += doubleQuotation()
                case UInt8(ascii: "\\"):
                    bytes.removeFirst()
                    if let escaped = bytes.popFirst(), escaped != .lineFeed { word.append(escaped) }
                case UInt8(ascii: "$") where bytes.dropFirst().first == UInt8(ascii: "'"):
                    bytes.removeFirst(2)
                    try word += escapedQuotation()
                case UInt8(ascii: "$"), UInt8(ascii: "`"): try word += expansion()
                default:
                    word.append(byte)
                    bytes.removeFirst()
                }
            }
            return word
        }

        private mutating func quotation(until quote: UInt8) throws(Failure) -> ArraySlice<UInt8> {
            guard let end = bytes.firstIndex(of: quote) else { throw .openQuote(Unicode.Scalar(quote)) }
            defer { bytes = bytes[(end + 1)...] }
            return bytes[..<end]
        }

        private mutating func doubleQuotation() throws(Failure) -> [UInt8] {
            var text: [UInt8] = []
            while let byte = bytes.first {
                switch byte {
                case UInt8(ascii: "\""):
                    bytes.removeFirst()
                    return text
                case UInt8(ascii: "\\"):
                    bytes.removeFirst()
                    guard let escaped = bytes.popFirst() else { break }
                    if escaped == .lineFeed { continue }
                    if !"$`\"\\".utf8.contains(escaped) { text.append(byte) }
                    text.append(escaped)
                case UInt8(ascii: "$"), UInt8(ascii: "`"): try text += expansion()
                default:
                    text.append(byte)
                    bytes.removeFirst()
                }
            }
            throw .openQuote("\"")
        }

        /// Reads the rest of `$'…'`.
        private mutating func escapedQuotation() throws(Failure) -> [UInt8] {
            var text: [UInt8] = []
            while let byte = bytes.popFirst() {
                if byte == UInt8(ascii: "'") { return text }
                guard byte == UInt8(ascii: "\\"), let escaped = bytes.popFirst() else {
                    text.append(byte)
                    continue
                }
                switch escaped {
                case UInt8(ascii: "n"): text.append(.lineFeed)
                case UInt8(ascii: "r"): text.append(.carriageReturn)
                case UInt8(ascii: "t"): text.append(UInt8(ascii: "\t"))
                case UInt8(ascii: "a"): text.append(7)
                case UInt8(ascii: "b"): text.append(8)
                case UInt8(ascii: "f"): text.append(12)
                case UInt8(ascii: "v"): text.append(11)
                case UInt8(ascii: "e"), UInt8(ascii: "E"): text.append(27)
                case UInt8(ascii: "x"): text.append(UInt8(truncatingIfNeeded: number(16, digits: 2)))
                case UInt8(ascii: "u"): text += scalar(digits: 4)
                case UInt8(ascii: "U"): text += scalar(digits: 8)
                case UInt8(ascii: "0")...UInt8(ascii: "7"):
                    let first = Int(escaped - UInt8(ascii: "0"))
                    text.append(UInt8(truncatingIfNeeded: number(8, digits: 2, after: first)))
                case UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "?"): text.append(escaped)
                default: text += [byte, escaped]
                }
            }
            throw .openQuote("'")
        }

        private mutating func number(_ radix: Int, digits: Int, after first: Int = 0) -> Int {
            var value = first
            for _ in 0..<digits {
                guard let digit = bytes.first?.hexDigitValue.map(Int.init), digit < radix else { break }
                value = value * radix + digit
                bytes.removeFirst()
            }
            return value
        }

        private mutating func scalar(digits: Int) -> [UInt8] {
            let scalar = UInt32(exactly: number(16, digits: digits)).flatMap(UnicodeScalar.init) ?? "\u{FFFD}"
            return Array(String(Character(scalar)).utf8)
        }

        /// Reads `$NAME` or `${NAME}`. Any other dollar sign is plain text.
        private mutating func expansion() throws(Failure) -> [UInt8] {
            let sign = bytes.removeFirst()
            if sign == UInt8(ascii: "`") || bytes.first == UInt8(ascii: "(") { throw .substitution }
            let isBraced = bytes.first == UInt8(ascii: "{")
            let rest = isBraced ? bytes.dropFirst() : bytes
            let name = rest.prefix { $0 == UInt8(ascii: "_") || $0.isDigit || $0.asLowercase &- UInt8(ascii: "a") < 26 }
            guard !name.isEmpty else { return [sign] }
            bytes = rest[name.endIndex...]
            if isBraced, bytes.popFirst() != UInt8(ascii: "}") { throw .substitution }
            let text = String(decoding: name, as: UTF8.self)
            guard let value = variables[text] else { throw .missingVariable(text) }
            return Array(value.utf8)
        }
    }
}
