/// A media type, or a pattern for several, against which a response's Content-Type is held.
///
/// `application/json` stands for itself, `text/*` for every text type, `*/*` for every type (RFC 9110, section 12.5.1),
/// and `application/*+json` for every type of a structured syntax (RFC 6839): `application/problem+json`,
/// `application/hal+json`. Case does not matter and parameters such as `charset` are ignored, here and in the response.
public struct MediaRange: Hashable, Sendable {
    private let essence: String

    /// Makes a media range from its text.
    /// - Parameter text: The type and subtype, either of which may be a wildcard; parameters are dropped.
    public init(_ text: String) { essence = MediaType.essence(of: text) }

    /// The range of one type, in lower case and without parameters.
    init(essence: String) { self.essence = essence }

    /// Says whether a Content-Type falls into this range.
    /// - Parameter contentType: A media type as a Content-Type field gives it, with or without parameters.
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
    /// Makes a media range from a literal.
    public init(stringLiteral value: String) { self.init(value) }
}

extension MediaRange: CustomStringConvertible {
    /// The range in lower case, without parameters.
    public var description: String { essence }
}

extension Set<MediaRange> {
    /// What JSON is sent as: `application/json`, `text/json` and `text/javascript`.
    public static var json: Set<MediaRange> { ["application/json", "text/json", "text/javascript"] }
    /// What XML is sent as: `application/xml` and `text/xml` (RFC 7303).
    public static var xml: Set<MediaRange> { ["application/xml", "text/xml"] }
    /// What property lists are sent as: `application/x-plist`.
    public static var propertyList: Set<MediaRange> { ["application/x-plist"] }
}
