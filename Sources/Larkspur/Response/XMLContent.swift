internal import HTTPSyntax

/// Looks at XML that a server chose before FoundationXML does, which on Linux ends the process at some of it.
enum XMLContent {
    /// The shortest document is `<a/>`; `XMLParser` does not look at less.
    private static let shortest = 4

    /// A parser that reads content in pieces: handed over as a whole, libxml2 refuses more than 10 MB of it.
    static func parser(_ data: Data) -> sending XMLParser {
        let parser = XMLParser(stream: InputStream(data: data))
        parser.shouldResolveExternalEntities = false
        return parser
    }

    /// Throws unless content is a well-formed document.
    ///
    /// `XMLDocument` on Linux repairs what is malformed, and dereferences a null pointer where nothing can be repaired:
    /// for empty content, NUL bytes, an unknown encoding, invalid UTF-8. `XMLParser` without a delegate runs libxml2
    /// alone, and reports.
    static func requireWellFormed(_ data: Data) throws(LarkspurError) {
        try requireMeasurable(data)
        try requireCheapComments(of: data)
        let parser = parser(data)
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

    /// The document in a form that `XMLParser` with a delegate survives on Linux: in UTF-8.
    ///
    /// The parser takes what libxml2 reports for text, and ends the process where that is null (the data of
    /// `<?target?>`, an attribute's default, a public identifier) or not UTF-8 (a name with a stray byte). A document
    /// in another encoding is therefore transcoded, and one with such markup refused, on the side of refusal where that
    /// stands in a comment or a CDATA section.
    static func parserInput(_ data: Data) throws(LarkspurError) -> Data {
        try requireMeasurable(data)
        guard let bytes = inUTF8(data) else {
            throw LarkspurError(.responseSerializationFailed, "The XML is in an encoding that cannot be decoded")
        }
        if hasProcessingInstructionWithoutData(bytes) {
            throw LarkspurError(.responseSerializationFailed, "The XML has a processing instruction without data")
        }
        let document = Data(bytes)
        try document.withBytes(requireCheapComments)
        guard hasDocumentType(bytes) else { return document }
        for declaration in ["<!ATTLIST", "<!NOTATION", "NDATA"] where bytes.contains(declaration) {
            throw LarkspurError(
                .responseSerializationFailed,
                "The XML has a document type with \(declaration) declarations"
            )
        }
        return document
    }

    /// libxml2 counts bytes in 32 bits, and FoundationXML traps on more.
    private static func requireMeasurable(_ data: Data) throws(LarkspurError) {
        if data.count <= Int32.max { return }
        throw LarkspurError(.responseSerializationFailed, "The XML is larger than 2 GiB")
    }

    /// In an encoding in which ASCII is something else comments are looked for in the text.
    private static func requireCheapComments(of data: Data) throws(LarkspurError) {
        let charset = declaredEncoding(data).flatMap(Charset.init(named:))
        if charset?.keepsASCII == false, let bytes = inUTF8(data) {
            try Data(bytes).withBytes(requireCheapComments)
        } else {
            try data.withBytes(requireCheapComments)
        }
    }

    /// The document in UTF-8, and declared to be so; nil where it cannot be decoded.
    private static func inUTF8(_ data: Data) -> [UInt8]? {
        guard let text = decoded(data) else { return nil }
        let bytes = [UInt8](text.utf8)
        guard let first = bytes.first, first == UInt8(ascii: "<") || first.isBlank else { return nil }
        guard bytes.starts(with: Array("<?xml".utf8)) else { return bytes }
        let declaration = bytes.prefix { $0 != UInt8(ascii: ">") }
        let isPlain = try? plainDeclaration.wholeMatch(in: String(decoding: declaration, as: UTF8.self)) != nil
        if isPlain == true || !declaration.contains("encoding") { return bytes }
        // Replaced rather than left out, or else a second declaration would take its place.
        return Array(#"<?xml version="1.0" encoding="UTF-8"?>"#.utf8) + bytes.dropFirst(declaration.count + 1)
    }

    private static var plainDeclaration: Regex<Substring> {
        /<\?xml\s+version\s*=\s*["']1\.\d["']\s+encoding\s*=\s*["']utf-8["'](?:\s+standalone\s*=\s*["'](?:yes|no)["'])?\s*\?/
            .ignoresCase()
    }

    private static func decoded(_ data: Data) -> String? {
        if let marked = Charset(markedIn: data) { return marked.decode(data) }
        switch (data.first, data.dropFirst().first) {
        case (0, _): return Charset(.utf16BigEndian).decode(data)
        case (_, 0): return Charset(.utf16LittleEndian).decode(data)
        default: break
        }
        guard let name = declaredEncoding(data) else { return Charset(.utf8).decode(data) }
        guard let charset = Charset(named: name) else { return nil }
        // A document whose declaration can be read is not in UTF-16, whatever that says (.NET's StringWriter).
        return charset.keepsASCII ? charset.decode(data) : Charset(.utf8).decode(data)
    }

    /// The encoding that an XML declaration in ASCII names.
    private static func declaredEncoding(_ data: Data) -> String? {
        let declaration = data.prefix { $0 != UInt8(ascii: ">") }
        guard declaration.starts(with: Array("<?xml".utf8)),
            let keyword = declaration.firstRange(of: Array("encoding".utf8))
        else { return nil }
        let value = declaration[keyword.upperBound...].drop { $0.isBlank || $0 == UInt8(ascii: "=") }
        guard let quote = value.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
        return String(decoding: value.dropFirst().prefix { $0 != quote }, as: UTF8.self)
    }

    private static func hasProcessingInstructionWithoutData(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while let opening = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[(opening + 1)...]
            guard rest.first == UInt8(ascii: "?") else { continue }
            let end =
                rest.dropFirst().firstIndex { $0.isBlank || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "<") }
                ?? rest.endIndex
            rest = rest[end...]
            if rest.starts(with: [UInt8(ascii: "?"), UInt8(ascii: ">")]) { return true }
        }
        return false
    }

    /// Whether there is a document type declaration, or something that looks like one.
    private static func hasDocumentType(_ bytes: [UInt8]) -> Bool {
        let name = Array("!DOCTYPE".utf8)
        var rest = bytes[...]
        while let opening = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[(opening + 1)...]
            if rest.starts(with: name) { return true }
        }
        return false
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}

extension Collection<UInt8> {
    fileprivate func contains(_ text: String) -> Bool { firstRange(of: Array(text.utf8)) != nil }
}

extension Data {
    fileprivate func withBytes(_ check: (UnsafeRawBufferPointer) throws(LarkspurError) -> Void) throws(LarkspurError) {
        let result = withUnsafeBytes { bytes in Result { () throws(LarkspurError) in try check(bytes) } }
        try result.get()
    }
}
