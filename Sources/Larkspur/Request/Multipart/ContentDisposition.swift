internal import HTTPSyntax

/// The header field that names a part of a form (RFC 7578, section 4.2).
enum ContentDisposition {
    /// Returns the field of a part.
    /// - Parameters:
    ///   - name: The name of the form's control.
    ///   - fileName: The name of the file; nil for a part that is not a file.
    static func field(name: String, fileName: String? = nil) -> HTTPHeaders.Field {
        var value = "form-data; name=\"\(escaped(withLineBreaksOfNetworks(name)))\""
        if let fileName { value += "; filename=\"\(escaped(fileName))\"" }
        return HTTPHeaders.Field(name: "Content-Disposition", value: value)
    }

    /// Returns the name of a control with CR LF in place of each single CR or LF. Names of files stay unchanged.
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
    /// Unlike in browsers, NUL is encoded too, because many parsers would take it for the end. The function works on
    /// bytes, because in Swift CR LF is one `Character`.
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
