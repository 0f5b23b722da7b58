internal import HTTPSyntax
internal import Foundation

/// The parsing of a request's lines, by the grammar of RFC 9112.
extension RequestParser {
    typealias Line = ArraySlice<UInt8>

    static func parseRequestLine(_ line: Line) throws(Failure) -> RequestHead {
        let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[1].isEmpty else {
            throw .malformed("The request line is not a method, a target and a version.")
        }
        guard isToken(parts[0]) else { throw .malformed("The method is not a token.") }
        guard !parts[1].contains(UInt8(ascii: "\t")) else { throw .malformed("The target has white space.") }
        return RequestHead(
            method: String(networkBytes: parts[0]),
            target: String(networkBytes: parts[1]),
            minorVersion: try parseVersion(String(networkBytes: parts[2]))
        )
    }

    private static func parseVersion(_ version: String) throws(Failure) -> Int {
        switch version {
        case "HTTP/1.1": return 1
        case "HTTP/1.0": return 0
        case _ where version.hasPrefix("HTTP/"): throw Failure(status: 505, reason: "The version is not HTTP/1.")
        default: throw .malformed("The version is not that of HTTP.")
        }
    }

    static func parseField(_ line: Line) throws(Failure) -> LoopbackServer.Fields.Field {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw .malformed("A field has no colon.") }
        // This also rejects a folded line, and white space before the colon, about which RFC 9112, section 5, warns.
        guard isToken(line[..<colon]) else { throw .malformed("The name of a field is not a token.") }
        return LoopbackServer.Fields.Field(
            name: String(networkBytes: line[..<colon]),
            value: String(networkBytes: line[(colon + 1)...]).trimmingBlanks
        )
    }

    /// Returns the framing of the body (RFC 9112, section 6.3). Every ambiguity is a failure, because ambiguities make
    /// request smuggling possible.
    static func framing(of head: RequestHead) throws(Failure) -> RequestHead.BodyFraming {
        let hosts = head.fields.values(for: "Host")
        guard hosts.count == 1 || (hosts.isEmpty && head.minorVersion == 0) else {
            throw .malformed("There is not exactly one Host field.")
        }
        let codings = head.fields.values(for: "Transfer-Encoding")
        let lengths = Set(head.fields.values(for: "Content-Length"))
        if codings.isEmpty {
            guard let text = lengths.first else { return .none }
            guard lengths.count == 1, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let length = Int(text)
            else {
                throw .malformed("The Content-Length is not one number.")
            }
            return .length(length)
        }
        guard lengths.isEmpty, head.minorVersion >= 1 else {
            throw .malformed("Transfer-Encoding does not go with Content-Length or HTTP/1.0.")
        }
        guard codings.count == 1, codings[0].hasSameLetters(as: "chunked") else {
            throw Failure(status: 501, reason: "The only transfer coding is chunked.")
        }
        return .chunked
    }

    static func parseChunkSize(_ line: Line) throws(Failure) -> Int {
        let digits = String(networkBytes: line.prefix { $0 != UInt8(ascii: ";") }).trimmingBlanks
        // Fifteen digits fit into an Int, and no body is longer.
        guard (1...15).contains(digits.utf8.count), digits.utf8.allSatisfy({ $0.hexDigitValue != nil }),
            let size = Int(digits, radix: 16)
        else {
            throw .malformed("The size of a chunk is not a hexadecimal number.")
        }
        return size
    }

    private static func isToken(_ bytes: Line) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy(\.isToken)
    }
}
