internal import HTTPSyntax

/// The media type of a Content-Type field, parsed tolerantly (RFC 9110, section 8.3.1).
package struct MediaType {
    /// Type and subtype in lower case, such as `text/html`.
    package let essence: String
    private let parameters: [TextKey: String]

    /// Parses a field value; nil if it names no type.
    init?(_ fieldValue: String) {
        essence = Self.essence(of: fieldValue)
        if essence.isEmpty { return nil }
        parameters = FieldParameters(fieldValue).values
    }

    /// Reads a response's Content-Type; nil if there is none. For a response that is not an HTTP response, reads its
    /// `mimeType`.
    package init?(of response: URLResponse?) {
        guard let response else { return nil }
        if let response = response as? HTTPURLResponse {
            guard let contentType = response.contentType else { return nil }
            self.init(contentType)
        } else {
            guard let essence = response.mimeType else { return nil }
            self.init(response.textEncodingName.map { "\(essence); charset=\($0)" } ?? essence)
        }
    }

    /// Returns the type and subtype of a response in lower case; nil if it has none.
    static func essence(of response: HTTPURLResponse) -> String? {
        let essence = response.contentType.map(essence(of:))
        return essence?.isEmpty == true ? nil : essence
    }

    /// The value of the first parameter with a name, in upper or lower case.
    subscript(name: String) -> String? {
        parameters[name.inLowercase]
    }

    /// Returns the part before the parameters, in lower case and without blanks around it.
    package static func essence(of text: String) -> String {
        let bytes = text.utf8.prefix { $0 != UInt8(ascii: ";") }
        // The fast path: nearly all values need no change.
        let isPlain = bytes.allSatisfy {
            $0 > 0x20 && $0 < 0x7F && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
        }
        let essence = text[..<bytes.endIndex]
        return isPlain ? String(essence) : essence.trimmingCharacters(in: .whitespaces).inLowercase
    }
}

extension HTTPURLResponse {
    /// The value of the response's Content-Type; of several values, the last valid one.
    package var contentType: String? {
        value(forHTTPHeaderField: "Content-Type").map(ContentTypeField.effective)
    }
}

/// A media type, or a pattern for several types, to compare with a response's Content-Type.
///
/// `application/json` matches only itself. `text/*` matches every text type, and `*/*` every type (RFC 9110, section
/// 12.5.1). `application/*+json` matches every type with this structured syntax (RFC 6839), such as
/// `application/problem+json` and `application/hal+json`. Case and parameters such as `charset` are ignored, both here
/// and in the response.
public struct MediaRange: Hashable, Sendable {
    private let essence: String

    /// Creates a media range from its text.
    /// - Parameter text: The type and subtype. Each of them may be a wildcard. Parameters are ignored.
    public init(_ text: String) { essence = MediaType.essence(of: text) }

    /// Creates a range from text that is already in lower case and has no parameters.
    init(essence: String) { self.essence = essence }

    /// Returns whether a Content-Type matches this range.
    /// - Parameter contentType: The value of a Content-Type field, with or without parameters.
    package func matches(_ contentType: String) -> Bool {
        matches(essence: MediaType.essence(of: ContentTypeField.effective(contentType)))
    }

    func matches(essence other: String) -> Bool {
        if essence == other || essence == "*/*" { return true }
        guard essence.holds("*"), let (rangeType, rangeSubtype) = essence.cut(at: "/"),
            let (type, subtype) = other.cut(at: "/")
        else { return false }
        guard rangeType == "*" || rangeType == type else { return false }
        if rangeSubtype == "*" || rangeSubtype == subtype { return true }
        guard rangeSubtype.begins(with: "*+") else { return false }
        let suffix = Substring(rangeSubtype.utf8.dropFirst())
        return subtype.ends(with: suffix) && subtype.utf8.count > suffix.utf8.count
    }
}

extension MediaRange: ExpressibleByStringLiteral {
    /// Creates a media range from a literal.
    public init(stringLiteral value: String) { self.init(value) }
}

extension MediaRange: CustomStringConvertible {
    /// The range in lower case, without parameters.
    public var description: String { essence }
}

extension Set<MediaRange> {
    /// The media types of JSON: `application/json`, `text/json` and `text/javascript`.
    public static var json: Set<MediaRange> { ["application/json", "text/json", "text/javascript"] }
    /// The media types of XML: `application/xml` and `text/xml` (RFC 7303).
    public static var xml: Set<MediaRange> { ["application/xml", "text/xml"] }
    /// The media type of property lists: `application/x-plist`.
    public static var propertyList: Set<MediaRange> { ["application/x-plist"] }
}
