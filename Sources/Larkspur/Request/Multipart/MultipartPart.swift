internal import HTTPSyntax

/// A part of a multipart form: its encoded header, and the source of its content.
struct MultipartPart: Sendable {
    /// The source of a part's content, and its length in bytes.
    enum Content: Sendable {
        case data(Data)
        /// A file, with the size that it had when it was appended.
        case file(URL, size: Int64)
        /// The bytes of a stream. The stream is created each time that the form is sent.
        case stream(length: Int64, make: @Sendable () throws(LarkspurError) -> InputStream)
    }

    /// The lines of the header and the empty line after them.
    let header: Data
    let content: Content

    /// - Throws: `invalidHeaderField`, if the name or the value of a field is malformed.
    init(_ fields: some Sequence<HTTPHeaders.Field>, _ content: Content) throws(LarkspurError) {
        for field in fields { try field.validate() }
        self.init(safe: fields, content)
    }

    /// - Parameter fields: Fields that are known to be valid.
    init(safe fields: some Sequence<HTTPHeaders.Field>, _ content: Content) {
        var header = Data()
        for field in fields { header.append(contentsOf: "\(field.name): \(field.value)\r\n".utf8) }
        header.append(contentsOf: "\r\n".utf8)
        self.header = header
        self.content = content
    }

    /// The length of the content, in bytes.
    var length: Int64 {
        switch content {
        case .data(let data): Int64(data.count)
        case .file(_, let size): size
        case .stream(let length, _): length
        }
    }
}

/// The header field that names a part of a form (RFC 7578, section 4.2).
enum ContentDisposition {
    /// Returns the field of a part.
    /// - Parameters:
    ///   - name: The name of the form's field.
    ///   - fileName: The name of the file; nil for a part that is not a file.
    static func field(name: String, fileName: String? = nil) -> HTTPHeaders.Field {
        var value = "form-data; name=\"\(escaped(withLineBreaksOfNetworks(name)))\""
        if let fileName { value += "; filename=\"\(escaped(fileName))\"" }
        return HTTPHeaders.Field(name: "Content-Disposition", value: value)
    }

    /// Returns the name of a field with CR LF in place of each single CR or LF, as browsers do. The names of files stay
    /// unchanged.
    private static func withLineBreaksOfNetworks(_ name: String) -> String {
        guard name.utf8.contains(where: isLineBreak) else { return name }
        var result: [UInt8] = []
        var previous: UInt8?
        for byte in name.utf8 {
            if !isLineBreak(byte) {
                result.append(byte)
            } else if byte != 0x0A || previous != 0x0D {
                result += [0x0D, 0x0A]
            }
            previous = byte
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns a name as browsers write it (WHATWG HTML, "multipart/form-data encoding algorithm"): in UTF-8, with only
    /// `"`, CR and LF percent-encoded.
    ///
    /// Unlike in browsers, NUL is encoded, too, because many parsers would end the name there. The method works on
    /// bytes, because CR LF is one `Character` in Swift.
    static func escaped(_ name: String) -> String {
        guard name.utf8.contains(where: isEscaped) else { return name }
        var result: [UInt8] = []
        result.reserveCapacity(name.utf8.count + 8)
        for byte in name.utf8 {
            if isEscaped(byte) { PercentEncoding.append(byte, to: &result) } else { result.append(byte) }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || isLineBreak(byte) || byte == 0x00
    }

    private static func isLineBreak(_ byte: UInt8) -> Bool { byte == 0x0D || byte == 0x0A }
}

/// The boundary between the parts of a multipart body (RFC 2046, section 5.1.1).
public struct MultipartBoundary: Sendable, Hashable {
    /// The boundary without the two hyphens before it.
    public let value: String

    /// Creates a boundary with 128 random bits. So the author of some content cannot guess the boundary and include it.
    public init() {
        let numbers = [UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max)]
        value = "Larkspur-" + numbers.map { Self.hexadecimal($0) }.joined()
    }

    /// Creates a boundary from a text, for tests. Content that contains the boundary would break the form.
    /// - Parameter value: 1 to 70 letters, digits, spaces or `'()+_,-./:=?`. The last character is not a space.
    /// - Throws: ``LarkspurError`` with the code `invalidHeaderField`.
    public init(_ value: String) throws(LarkspurError) {
        guard (1...70).contains(value.utf8.count), value.utf8.allSatisfy(Self.isAllowed), value.utf8.last != 0x20 else {
            throw LarkspurError(
                .invalidHeaderField,
                "A multipart boundary has 1 to 70 letters, digits, blanks or '()+_,-./:=? and does not end in a blank."
            )
        }
        self.value = value
    }

    /// The boundary as a parameter of a media type. It is quoted unless it is a token.
    var parameter: String { value.isToken ? value : "\"\(value)\"" }

    private static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "'")...UInt8(ascii: ")"), UInt8(ascii: "+")...UInt8(ascii: ":"):
            true
        case UInt8(ascii: " "), UInt8(ascii: "="), UInt8(ascii: "?"), UInt8(ascii: "_"):
            true
        default:
            false
        }
    }
}
