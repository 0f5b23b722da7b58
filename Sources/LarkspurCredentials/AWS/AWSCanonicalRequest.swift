internal import HTTPSyntax

/// A request in the canonical form of AWS Signature Version 4, from which its signature is computed.
struct AWSCanonicalRequest: Equatable, Sendable {
    /// The rule by which the path is written.
    enum PathRule: Sendable {
        /// The rule of S3: dots and repeated slashes stay, because they are parts of an object's key. Each character is
        /// encoded once.
        case exact
        /// The rule of the other services: dot segments and repeated slashes are removed. Then the path, which is
        /// encoded already, is encoded once more.
        case normalized
    }

    /// The text of the canonical request.
    let text: String
    /// The names of the signed fields, in lower case and separated by semicolons.
    let signedFields: String

    /// - Parameters:
    ///   - method: The method.
    ///   - url: The absolute URL, as it is sent.
    ///   - fields: The fields that are signed, including `Host`.
    ///   - payloadHash: The hash of the content in hexadecimal digits, or the word in place of it.
    init(method: String, url: URL, fields: HTTPHeaders, payloadHash: String, pathRule: PathRule) {
        let reference = URLReference(url.absoluteString)
        let fields = fields.map { (name: $0.name.inLowercase, value: Self.folded($0.value)) }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        signedFields = fields.map(\.name).joined(separator: ";")
        text = [
            method, Self.path(reference.path, pathRule), Self.query(reference.query ?? ""),
            fields.map { "\($0.name):\($0.value)\n" }.joined(), signedFields, payloadHash,
        ].joined(separator: "\n")
    }

    /// Returns a value without blanks at its ends, and with one blank in place of several.
    private static func folded(_ value: String) -> String {
        value.utf8.split(whereSeparator: \.isBlank).map { String(Substring($0)) }.joined(separator: " ")
    }

    // MARK: The path

    private static func path(_ path: String, _ rule: PathRule) -> String {
        switch rule {
        case .exact:
            // An escape of a slash stays an escape.
            let segments = path.parts(separatedBy: "/", omittingEmptyParts: false).map {
                encoded(String($0).percentDecodedBytes())
            }
            let text = segments.joined(separator: "/")
            return text.begins(with: "/") ? text : "/" + text
        case .normalized:
            return PercentEncoding.escapingAll(normalized(path)) {
                PercentEncoding.isUnreserved($0) || $0 == UInt8(ascii: "/")
            }
        }
    }

    /// Returns a path without dot segments and empty segments.
    private static func normalized(_ path: String) -> String {
        var segments: [Substring] = []
        for segment in path.parts(separatedBy: "/") {
            if segment == ".." {
                _ = segments.popLast()
            } else if segment != "." {
                segments.append(segment)
            }
        }
        let end = path.ends(with: "/") && !segments.isEmpty ? "/" : ""
        return "/" + segments.joined(separator: "/") + end
    }

    // MARK: The query

    /// Returns a query with its parameters in the order of their encoded names and values.
    private static func query(_ query: String) -> String {
        let parameters = query.parts(separatedBy: "&").map { parameter in
            let parts = parameter.cut(at: "=") ?? (parameter, "")
            // Servers read a plus sign in a query as a blank.
            return [parts.before, parts.after].map { encoded(String($0).percentDecodedBytes(plusIsSpace: true)) }
        }
        return parameters.sorted { $0.lexicographicallyPrecedes($1) { $0.utf8.lexicographicallyPrecedes($1.utf8) } }
            .map { $0.joined(separator: "=") }.joined(separator: "&")
    }

    /// Returns the name or the value of a parameter, or a segment of a path, with escapes in place of all bytes that
    /// are not unreserved.
    static func encoded(_ bytes: some Sequence<UInt8>) -> String {
        PercentEncoding.escapingAll(bytes, unless: PercentEncoding.isUnreserved)
    }
}
