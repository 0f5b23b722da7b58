internal import HTTPSyntax

/// A serializer that creates an `XMLParser` for the content. The receiver starts the parser.
///
/// If the content is empty, the result is nil, without an error. External entities are not loaded. The serializer does
/// not parse the content, so errors in the XML appear only when the receiver parses it. The serializer rejects content
/// with which the parser would terminate the process.
public struct XMLParserResponseSerializer: ResponseSerializer {
    /// The rules by which responses are acceptable. Default: status 200 to 299; application/xml, text/xml.
    public var validation: ResponseValidation

    /// Creates a serializer.
    /// - Parameter validation: The rules by which responses are acceptable. Default: status 200 to 299;
    ///   application/xml, text/xml.
    public init(validation: ResponseValidation = ResponseValidation(acceptableContentTypes: .xml)) {
        self.validation = validation
    }

    /// Creates the parser.
    /// - Returns: A parser that has not been started, or nil if there is no content.
    /// - Throws: `LarkspurError` with the code `responseSerializationFailed`, if the encoding is unknown, the content
    ///   is not valid in it, or the content has one of the constructs with which `XMLParser` crashes on Linux: a
    ///   processing instruction without data, and declarations of attributes, notations and unparsed entities.
    public func serialize(_ data: Data, response: URLResponse?) throws(LarkspurError) -> sending XMLParser? {
        if data.isEmpty { return nil }
        return XMLContent.parser(try XMLContent.parserInput(data))
    }
}

extension ResponseSerializer where Self == XMLParserResponseSerializer {
    /// A serializer that creates an `XMLParser` for the content.
    public static var xmlParser: XMLParserResponseSerializer { XMLParserResponseSerializer() }
}

/// Checks of XML from servers before FoundationXML parses it, because on Linux some XML terminates the process.
enum XMLContent {
    /// The length of the shortest document, `<a/>`. `XMLParser` does not parse shorter content.
    private static let shortest = 4

    /// Returns a parser that reads content in chunks. libxml2 rejects more than 10 MB that are passed as a whole.
    static func parser(_ data: Data) -> sending XMLParser {
        let parser = XMLParser(stream: InputStream(data: data))
        parser.shouldResolveExternalEntities = false
        return parser
    }

    /// Checks that the content is a well-formed document.
    ///
    /// `XMLDocument` on Linux repairs malformed content. If it cannot repair the content, it dereferences a null
    /// pointer: for empty content, NUL bytes, an unknown encoding, and invalid UTF-8. `XMLParser` without a delegate
    /// runs only libxml2, and reports the error.
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

    /// Returns the document in a form that `XMLParser` with a delegate parses safely on Linux: in UTF-8.
    ///
    /// The parser expects every value from libxml2 to be text. It terminates the process if a value is null (the data
    /// of `<?target?>`, an attribute's default, a public identifier) or not UTF-8 (a name with a stray byte). So a
    /// document in another encoding is transcoded, and a document with such markup is rejected, even if the markup is
    /// in a comment or a CDATA section.
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

    /// Checks that a 32-bit number can count the bytes of the content. libxml2 counts in 32 bits, and FoundationXML
    /// terminates the process if there are more.
    private static func requireMeasurable(_ data: Data) throws(LarkspurError) {
        if data.count <= Int32.max { return }
        throw LarkspurError(.responseSerializationFailed, "The XML is larger than 2 GiB")
    }

    /// Checks for comments that libxml2 would take too long to reject. If the encoding does not represent ASCII as
    /// ASCII, the check reads the decoded text.
    private static func requireCheapComments(of data: Data) throws(LarkspurError) {
        let charset = declaredEncoding(data).flatMap(Charset.init(named:))
        if charset?.keepsASCII == false, let bytes = inUTF8(data) {
            try Data(bytes).withBytes(requireCheapComments)
        } else {
            try data.withBytes(requireCheapComments)
        }
    }

    /// Returns the document in UTF-8, with a declaration of that encoding; nil if it cannot be decoded.
    private static func inUTF8(_ data: Data) -> [UInt8]? {
        guard let text = decoded(data) else { return nil }
        let bytes = [UInt8](text.utf8)
        guard let first = bytes.first, first == UInt8(ascii: "<") || first.isBlank else { return nil }
        guard bytes.starts(with: Array("<?xml".utf8)) else { return bytes }
        let declaration = bytes.prefix { $0 != UInt8(ascii: ">") }
        let isPlain = try? plainDeclaration.wholeMatch(in: String(decoding: declaration, as: UTF8.self)) != nil
        if isPlain == true || !declaration.contains("encoding") { return bytes }
        // The declaration is replaced and not removed. Otherwise a second declaration after it would become valid.
        return Array(#"<?xml version="1.0" encoding="UTF-8"?>"#.utf8) + bytes.dropFirst(declaration.count + 1)
    }

    private static var plainDeclaration: Regex<Substring> {
        /<\?xml\s+version\s*=\s*["']1\.\d["']\s+encoding\s*=\s*["']utf-8["'](?:\s+standalone\s*=\s*["'](?:yes|no)["'])?\s*\?/
            .ignoresCase()
    }

    private static func decoded(_ data: Data) -> String? {
        if let marked = Charset(markedIn: data) { return marked.decode(data) }
        switch (data.first, data.dropFirst().first) {
        // A document begins with an ASCII character, so a zero shows UTF-16 without a mark.
        case (0, _): return Charset(.utf16BigEndian).decode(data)
        case (_, 0): return Charset(.utf16LittleEndian).decode(data)
        default: break
        }
        guard let name = declaredEncoding(data) else { return Charset(.utf8).decode(data) }
        guard let charset = Charset(named: name) else { return nil }
        // If the declaration can be read as ASCII, the document is not in UTF-16, even if the declaration says so. An
        // example is the declaration that .NET's StringWriter writes.
        return charset.keepsASCII ? charset.decode(data) : Charset(.utf8).decode(data)
    }

    /// Returns the encoding that an XML declaration in ASCII names.
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

    /// Returns whether there is a document type declaration, or text that looks like one.
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

extension XMLContent {
    /// Checks for comments that libxml2 would take too long to reject.
    ///
    /// A comment must not contain two hyphens in sequence except at its end. For each such pair within a comment,
    /// libxml2 copies the comment up to the pair into an error. For a mebibyte of hyphens, this takes a minute.
    /// Documents with few pairs are left to libxml2, because its error has the positions of the pairs.
    static func requireCheapComments(_ bytes: UnsafeRawBufferPointer) throws(LarkspurError) {
        guard copiedBytes(bytes) > max(16 * bytes.count, 1 << 20) else { return }
        throw LarkspurError(
            .responseSerializationFailed,
            "The content is not well-formed XML: a comment has many pairs of hyphens"
        )
    }

    private enum Place {
        case markup, comment, instruction, section
    }

    /// Returns the number of bytes of comments that libxml2 would copy into errors.
    ///
    /// Zero bytes are skipped, so that the markup of UTF-16 has the same bytes as in ASCII.
    private static func copiedBytes(_ bytes: UnsafeRawBufferPointer) -> Int {
        var place = Place.markup
        var copied = 0
        var length = 0
        /// The last eight bytes that were read.
        var recent: UInt64 = 0
        for byte in bytes where byte != 0 {
            recent = recent << 8 | UInt64(byte)
            switch place {
            case .markup:
                // The numbers are the bytes of `<!--`, `<?` and `![CDATA[`.
                if recent & 0xFFFF_FFFF == 0x3C21_2D2D {
                    (place, length, recent) = (.comment, 0, 0)
                } else if recent & 0xFFFF == 0x3C3F {
                    (place, recent) = (.instruction, 0)
                } else if recent == 0x215B_4344_4154_415B {
                    (place, recent) = (.section, 0)
                }
            case .comment:
                length += 1
                if recent & 0xFF_FFFF == 0x2D2D3E {
                    place = .markup
                } else if recent >> 8 & 0xFFFF == 0x2D2D {
                    copied += length
                }
            case .instruction: if recent & 0xFFFF == 0x3F3E { place = .markup }
            case .section: if recent & 0xFF_FFFF == 0x5D5D3E { place = .markup }
            }
        }
        return copied
    }
}
