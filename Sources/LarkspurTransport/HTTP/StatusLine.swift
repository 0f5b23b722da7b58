#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The first line of a response: "HTTP/1.1 200 OK", "HTTP/2 200".
enum StatusLine {
    /// Whether the line begins with the protocol's name and a slash. No field begins in this way.
    static func begins(_ line: UnsafeRawBufferPointer) -> Bool {
        line.count > 4 && line[0] == UInt8(ascii: "H") && line[1] == UInt8(ascii: "T") && line[2] == UInt8(ascii: "T")
            && line[3] == UInt8(ascii: "P") && line[4] == UInt8(ascii: "/")
    }

    static func parse(
        _ line: UnsafeRawBufferPointer
    ) throws(ResponseHeadParser.Failure) -> (status: Int, version: String) {
        guard begins(line), let versionEnd = line.firstIndex(where: \.isBlank),
            isVersion(line[5..<versionEnd]),
            let start = line[versionEnd...].firstIndex(where: { !$0.isBlank })
        else { throw .invalidStatusLine }
        let digits = line[start...].prefix(while: \.isDigit)
        let end = digits.endIndex
        // A recipient could read text after a carriage return as the reason phrase (RFC 9112, section 2.2).
        guard digits.count == 3, end == line.count || line[end].isBlank, !line[end...].contains(UInt8(ascii: "\r"))
        else { throw .invalidStatusLine }
        let status = digits.reduce(0) { $0 * 10 + Int($1 &- UInt8(ascii: "0")) }
        // Status codes of 600 and above are not assigned, but are not errors (RFC 9110, section 15).
        guard status >= 100 else { throw .invalidStatus(status) }
        return (status, String(decoding: line[..<versionEnd], as: UTF8.self))
    }

    /// Whether the bytes are one digit, or two digits with a dot between them.
    private static func isVersion(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
        let start = bytes.startIndex
        switch bytes.count {
        case 1: return bytes[start].isDigit
        case 3: return bytes[start].isDigit && bytes[start + 1] == UInt8(ascii: ".") && bytes[start + 2].isDigit
        default: return false
        }
    }
}
#endif
