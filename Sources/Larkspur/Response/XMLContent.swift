/// Looks at XML that a server chose before FoundationXML does, which on Linux ends the process at some of it.
enum XMLContent {
    /// The shortest document is `<a/>`; `XMLParser` does not look at less.
    private static let shortest = 4

    /// Throws unless content is a well-formed document.
    ///
    /// `XMLDocument` on Linux repairs what is malformed, and dereferences a null pointer where nothing can be repaired: for empty content, NUL
    /// bytes, an unknown encoding, invalid UTF-8. `XMLParser` without a delegate runs libxml2 alone, and reports.
    static func requireWellFormed(_ data: Data) throws(LarkspurError) {
        try requireMeasurable(data)
        let parser = XMLParser(data: data)
        let isParsed = data.count >= shortest && parser.parse()
        if isParsed && parser.parserError == nil { return }
        let place = parser.lineNumber > 0 ? " at line \(parser.lineNumber), column \(parser.columnNumber)" : ""
        let code = (parser.parserError as? NSError).map { ", libxml2's error \($0.code)" } ?? ""
        throw LarkspurError(
            .responseSerializationFailed,
            "The content is not well-formed XML\(place)\(code)",
            underlyingError: parser.parserError
        )
    }

    /// Throws where content holds something on which `XMLParser` with a delegate crashes on Linux: it takes the null that libxml2 passes for an
    /// absent value (the data of `<?target?>`, an attribute's default, a public identifier) for a string.
    ///
    /// Sees only markup whose bytes it can tell: other encodings than UTF-8, UTF-16 and those that leave ASCII alone are refused. Errs
    /// on the side of refusal where such markup stands in a comment or a CDATA section.
    static func refuseHazards(in data: Data) throws(LarkspurError) {
        try requireMeasurable(data)
        guard let bytes = markup(data) else {
            throw LarkspurError(.responseSerializationFailed, "The XML is in an encoding that cannot be read safely")
        }
        if hasProcessingInstructionWithoutData(bytes) {
            throw LarkspurError(.responseSerializationFailed, "The XML has a processing instruction without data")
        }
        guard bytes.contains("<!DOCTYPE") else { return }
        for declaration in ["<!ATTLIST", "<!NOTATION", "NDATA"] where bytes.contains(declaration) {
            throw LarkspurError(
                .responseSerializationFailed,
                "The XML has a document type with \(declaration) declarations"
            )
        }
    }

    /// libxml2 counts bytes in 32 bits, and FoundationXML traps on more.
    private static func requireMeasurable(_ data: Data) throws(LarkspurError) {
        if data.count <= Int32.max { return }
        throw LarkspurError(.responseSerializationFailed, "The XML is larger than 2 GiB")
    }

    /// The document in an encoding that leaves ASCII alone; nil where that cannot be had for certain.
    private static func markup(_ data: Data) -> [UInt8]? {
        let isWide =
            data.starts(with: [0xFE, 0xFF]) || data.starts(with: [0xFF, 0xFE]) || data.prefix(4).contains(0)
        var bytes: [UInt8]
        if isWide {
            guard let text = wideText(data) else { return nil }
            bytes = [UInt8](text.utf8)
        } else {
            bytes = [UInt8](data)
            if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        }
        let isMarkup = bytes.first.map { $0 == UInt8(ascii: "<") || $0.isBlank } ?? true
        return isMarkup && !bytes.contains(0) && declaresKnownEncoding(bytes) ? bytes : nil
    }

    private static func wideText(_ data: Data) -> String? {
        switch (data.first, data.dropFirst().first) {
        case (0, _): Charset(.utf16BigEndian).decode(data)
        case (_, 0): Charset(.utf16LittleEndian).decode(data)
        default: Charset(.utf16).decode(data)
        }
    }

    /// Whether everything that looks like an encoding in the XML declaration is one that leaves ASCII alone, or UTF-16.
    private static func declaresKnownEncoding(_ bytes: [UInt8]) -> Bool {
        guard bytes.starts(with: Array("<?xml".utf8)) else { return true }
        var rest = bytes.prefix { $0 != UInt8(ascii: ">") }
        while let found = rest.firstRange(of: Array("encoding".utf8)) {
            rest = rest[found.upperBound...].drop { $0.isBlank || $0 == UInt8(ascii: "=") }
            guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
                return false
            }
            let name = String(decoding: rest.dropFirst().prefix { $0 != quote }, as: UTF8.self)
            guard let charset = Charset(named: name) else { return false }
            if !charset.keepsASCII && !name.lowercased().hasPrefix("utf-16") { return false }
        }
        return true
    }

    private static func hasProcessingInstructionWithoutData(_ bytes: [UInt8]) -> Bool {
        var index = 0
        while index + 1 < bytes.count {
            guard bytes[index] == UInt8(ascii: "<"), bytes[index + 1] == UInt8(ascii: "?") else {
                index += 1
                continue
            }
            index += 2
            while index < bytes.count, !bytes[index].isBlank {
                if bytes[index...].starts(with: [UInt8(ascii: "?"), UInt8(ascii: ">")]) { return true }
                index += 1
            }
        }
        return false
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}

extension [UInt8] {
    fileprivate func contains(_ text: String) -> Bool { firstRange(of: Array(text.utf8)) != nil }
}
