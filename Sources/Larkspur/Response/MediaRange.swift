/// A media type, or a pattern for several, which is compared with a response's Content-Type.
///
/// `application/json` stands for itself, `text/*` for every text type, `*/*` for every type (RFC 9110, section 12.5.1),
/// and `application/*+json` for every type of a structured syntax (RFC 6839): `application/problem+json`,
/// `application/hal+json`. Case and parameters such as `charset` are ignored, both here and in the response.
public struct MediaRange: Hashable, Sendable {
    private let essence: String

    /// Creates a media range from its text.
    /// - Parameter text: The type and subtype, either of which may be a wildcard; parameters are dropped.
    public init(_ text: String) { essence = MediaType.essence(of: text) }

    /// Creates the range of one type, which is in lower case and without parameters.
    init(essence: String) { self.essence = essence }

    /// Returns whether a Content-Type matches this range.
    /// - Parameter contentType: The value of a Content-Type field, with or without parameters.
    public func matches(_ contentType: String) -> Bool { matches(essence: MediaType.essence(of: contentType)) }

    func matches(essence other: String) -> Bool {
        if essence == other || essence == "*/*" { return true }
        guard essence.contains("*"), let range = Self.halves(of: essence), let type = Self.halves(of: other) else {
            return false
        }
        guard range.type == "*" || range.type == type.type else { return false }
        if range.subtype == "*" || range.subtype == type.subtype { return true }
        guard range.subtype.hasPrefix("*+") else { return false }
        let suffix = range.subtype.dropFirst()
        return type.subtype.hasSuffix(suffix) && type.subtype.count > suffix.count
    }

    private static func halves(of essence: String) -> (type: Substring, subtype: Substring)? {
        guard let slash = essence.firstIndex(of: "/") else { return nil }
        return (essence[..<slash], essence[essence.index(after: slash)...])
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
