#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// A strong validator: it shows that a file on a server still has exactly the same bytes, and may be sent in `If-Range`
/// (RFC 9110, section 13.1.5).
enum DownloadValidator: Equatable, Sendable {
    /// A strong entity tag, with its quotes.
    case entityTag(String)
    /// A date that is a strong validator.
    case lastModified(String)

    /// Creates the validator of a response; nil if the response has no strong validator. A weak tag does not count,
    /// because the bytes may differ. If there is any tag, the date does not count.
    ///
    /// A date is strong if the response was created at least one second after it (section 8.8.2.2). Within that second,
    /// another version may have got the same date.
    init?(entityTag: String?, lastModified: String?, date: String?) {
        if let entityTag {
            guard Self.isStrong(entityTag) else { return nil }
            self = .entityTag(entityTag)
            return
        }
        guard let lastModified, let date, let changed = HTTPDate.parse(lastModified),
            let sent = HTTPDate.parse(date),
            sent.timeIntervalSince(changed) >= 1
        else { return nil }
        self = .lastModified(lastModified)
    }

    /// The value of the `If-Range` field.
    var field: String {
        switch self {
        case .entityTag(let tag): tag
        case .lastModified(let date): date
        }
    }

    /// Whether a 206 is of the same version. The 206 has to repeat the tag, but may omit the date (section 15.3.7).
    func agrees(withEntityTag entityTag: String?, lastModified: String?) -> Bool {
        switch self {
        case .entityTag(let tag): entityTag == tag
        case .lastModified(let date): entityTag == nil && (lastModified == nil || lastModified == date)
        }
    }

    static func isStrong(_ tag: String) -> Bool {
        let bytes = tag.utf8
        return bytes.count >= 2 && bytes.first == UInt8(ascii: "\"") && bytes.last == UInt8(ascii: "\"")
            && bytes.dropFirst().dropLast().allSatisfy { $0 > .space && $0 != UInt8(ascii: "\"") && $0 != 0x7F }
    }
}
#endif
