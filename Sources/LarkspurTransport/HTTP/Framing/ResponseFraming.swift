#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The end of a response's content, by one rule for all uses of the content (RFC 9112, section 6.3; RFC 9113, section
/// 8.1).
///
/// libcurl determines the end of content on its own, by its own reading of the same fields. Everything here that
/// libcurl could read in another way is a failure.
enum ResponseFraming: Equatable, Sendable {
    /// There is no content, whatever the fields contain.
    case none
    case length(Int64)
    case chunked
    /// The content ends with the connection.
    case close
    /// The content ends with its stream, over HTTP/2 and HTTP/3.
    case stream

    enum Failure: Error, Equatable {
        case malformedLength, contradictoryLengths, unknownTransferCoding
        case obscuredField(String)

        var sentence: String {
            switch self {
            case .malformedLength: "The response's Content-Length is not a number of bytes."
            case .contradictoryLengths: "The response says different things of its length."
            case .unknownTransferCoding: "The response has a Transfer-Encoding other than chunked."
            case .obscuredField(let name):
                "The response's \(name) is written in a way that HTTP does not allow, so that its end is uncertain."
            }
        }
    }

    /// - Parameters:
    ///   - status: The status of a final response.
    ///   - version: The version as it was received, "HTTP/1.1" or "HTTP/2".
    ///   - method: The request's method.
    init(_ fields: FramingFields, status: Int, version: String, method: String) throws(Failure) {
        switch fields.length {
        case .malformed: throw .malformedLength
        case .contradictory: throw .contradictoryLengths
        case .bytes, nil: break
        }
        if Self.hasNoContent(status: status, method: method) {
            self = .none
            return
        }
        guard version.utf8.starts(with: "HTTP/1".utf8) else {
            self = fields.length?.value.map(Self.length) ?? .stream
            return
        }
        if let name = fields.obscured { throw .obscuredField(name) }
        if let encoding = fields.transferEncoding, try Self.isChunked(encoding) {
            // Regardless of Content-Length (RFC 9112, section 6.1).
            self = .chunked
        } else {
            self = fields.length?.value.map(Self.length) ?? .close
        }
    }

    /// Whether the connection must not be reused, as another reader of the same bytes could find another end (RFC 9112,
    /// section 6.1).
    static func isDoubtful(_ fields: FramingFields, version: String) -> Bool {
        fields.transferEncoding != nil && (fields.length != nil || version == "HTTP/1.0")
    }

    private static func hasNoContent(status: Int, method: String) -> Bool {
        switch status {
        case ..<200, 204, 304: true
        // The bytes after it belong to a tunnel.
        case 200..<300 where method == "CONNECT": true
        default: method == "HEAD"
        }
    }

    /// Whether the content is chunked; RFC 2616 calls content that is not `identity`.
    ///
    /// The engine requests no other coding, and libcurl would decode some of them by itself.
    private static func isChunked(_ encoding: String) throws(Failure) -> Bool {
        let codings = encoding.utf8.split(separator: UInt8(ascii: ",")).map { Substring($0).trimmedOfBlanks }
            .filter { !$0.isEmpty }
        guard codings.count == 1, let coding = codings.first else { throw .unknownTransferCoding }
        if coding.hasSameLetters(as: "chunked") { return true }
        guard coding.hasSameLetters(as: "identity") else { throw .unknownTransferCoding }
        return false
    }
}

extension Substring {
    fileprivate var trimmedOfBlanks: Substring {
        var rest = utf8[...]
        while let byte = rest.first, byte.isBlank { rest.removeFirst() }
        while let byte = rest.last, byte.isBlank { rest.removeLast() }
        return Substring(rest)
    }
}

#endif
