#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The fields of a response that determine the end of its content.
struct FramingFields: Equatable, Sendable {
    /// The combined `Content-Length` fields; nil if there are none.
    var length: ContentLength?
    /// The `Transfer-Encoding` fields, joined by commas; nil if there are none.
    var transferEncoding: String?
    /// The name of one of these fields, if some recipients might not recognize the field. Either it is folded, or other
    /// characters precede its name or its colon.
    var obscured: String?
}

/// The end of a response's content (RFC 9112, section 6.3; RFC 9113, section 8.1). The engine determines the end only
/// by this rule.
///
/// libcurl also determines the end, but by other rules. If libcurl could interpret the fields differently, this rule
/// treats them as a failure.
enum ResponseFraming: Equatable, Sendable {
    /// There is no content, even if the fields announce content.
    case none
    case length(Int64)
    case chunked
    /// The content ends with the connection.
    case close
    /// The content ends with its stream (HTTP/2 and HTTP/3).
    case stream

    enum Failure: Error, Equatable {
        case malformedLength, contradictoryLengths
        /// The Transfer-Encoding is not only `chunked`.
        case unknownTransferCoding(String)
        /// `chunked` occurs more than once, and either the version is not HTTP/1.1 or there is a Content-Length.
        case ambiguousChunks(String)
        case obscuredField(String)

        var sentence: String {
            switch self {
            case .malformedLength: "The response's Content-Length is not a number of bytes."
            case .contradictoryLengths: "The response says different things of its length."
            case .unknownTransferCoding(let list):
                "The response has a Transfer-Encoding other than chunked: “\(Self.excerpt(list))”."
            case .ambiguousChunks(let list):
                "The response's Transfer-Encoding is “\(Self.excerpt(list))”, in HTTP/1.0 or with a Content-Length, so that its end is uncertain."
            case .obscuredField(let name):
                "The response's \(name) is written in a way that HTTP does not allow, so that its end is uncertain."
            }
        }
    }

    /// - Parameters:
    ///   - fields: The fields of the response.
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
            // If `chunked` is repeated, libcurl either decodes the content once, or fails.
            guard !Self.isRepeated(encoding) || version == "HTTP/1.1" && fields.length == nil else {
                throw .ambiguousChunks(encoding)
            }
            // The Content-Length is ignored (RFC 9112, section 6.1).
            self = .chunked
        } else {
            self = fields.length?.value.map(Self.length) ?? .close
        }
    }

    /// Whether another recipient of the same bytes could find a different end of the content (RFC 9112, section 6.1).
    /// If so, the connection must not be reused. The response is not stored, and a download of it is not resumed.
    static func isDoubtful(_ fields: FramingFields, version: String) -> Bool {
        guard let encoding = fields.transferEncoding else { return false }
        return fields.length != nil || version == "HTTP/1.0" || isRepeated(encoding)
    }

    private static func hasNoContent(status: Int, method: String) -> Bool {
        switch status {
        case ..<200, 204, 304: true
        // The bytes after the header section belong to a tunnel.
        case 200..<300 where method == "CONNECT": true
        default: method == "HEAD"
        }
    }

    /// Whether the content is chunked. `identity` is RFC 2616's name for content without a coding.
    ///
    /// All other codings are errors, because the engine never requests them, and libcurl would decode some of them
    /// automatically. If a framework and a proxy both add the field, `chunked` occurs twice, but the content is chunked
    /// only once.
    private static func isChunked(_ encoding: String) throws(Failure) -> Bool {
        let codings = codings(in: encoding)
        if !codings.isEmpty, codings.allSatisfy({ $0.hasSameLetters(as: "chunked") }) { return true }
        guard codings.count == 1, codings[0].hasSameLetters(as: "identity") else {
            throw .unknownTransferCoding(encoding)
        }
        return false
    }

    private static func isRepeated(_ encoding: String) -> Bool {
        // Nearly all fields have one coding. Such a field has no comma and is not split.
        encoding.utf8.contains(UInt8(ascii: ",")) && codings(in: encoding).count > 1
    }

    private static func codings(in list: String) -> [Substring] {
        list.utf8.split(separator: UInt8(ascii: ",")).map { Substring($0.trimmingBlanks) }.filter { !$0.isEmpty }
    }
}

extension ResponseFraming.Failure {
    /// Returns the beginning of a field's value, for an error message.
    private static func excerpt(_ list: String) -> String {
        let scalars = list.unicodeScalars.prefix(81)
        let visible = scalars.prefix(80).map { $0.isASCII && $0.value >= 0x20 && $0.value != 0x7F ? $0 : "?" }
        return String(String.UnicodeScalarView(visible)) + (scalars.count > 80 ? "…" : "")
    }
}
#endif
