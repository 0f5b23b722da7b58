#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The decision of a download after a response to a request for the rest of a file.
///
/// Only a 206 with the rest of the same version is appended to the file. So the file never contains bytes of two
/// versions.
enum ResumeDecision: Equatable {
    /// The content is the rest of the file, and is appended. The file then has `end` of `total` bytes.
    case append(end: Int64, total: Int64)
    /// The response does not continue the file. It has the whole content, or other content such as an error page. This
    /// content is written to a new file, and the old file is removed.
    case startOver
    /// The response, such as a 503, does not concern the file. The response is the result of the download, and the
    /// partial file remains for another attempt.
    case setAside
    /// The file seems to be complete, and its last byte is requested again to verify it.
    case askForLastByte(total: Int64)
    /// The response cannot be used. The request is sent again, and asks for the whole content.
    case askAnew

    /// The values of a response on which the decision depends.
    struct Reply {
        var status: Int
        var contentRange: String?
        var contentLength: Int64?
        var entityTag: String?
        var lastModified: String?
        /// Whether the content has a coding, although the request asked for none.
        var isCoded = false
        /// Whether the content is a multipart document, in which each part is a range.
        var hasManyParts = false
        /// Whether another recipient of the same bytes could find a different end of the content.
        var hasDoubtfulEnd = false
    }

    /// - Parameters:
    ///   - reply: The values of the response.
    ///   - offset: The offset of the first requested byte.
    ///   - total: The total length, if it is already known.
    ///   - validator: The validator of the version to which the first `offset` bytes belong.
    static func decide(
        _ reply: Reply,
        offset: Int64,
        total: Int64?,
        validator: DownloadValidator
    ) -> ResumeDecision {
        switch reply.status {
        case 206:
            // If the total length is unknown, this part may not be the whole rest.
            guard case .part(let first, let last, let length) = reply.contentRange.flatMap({ ContentRange($0) }),
                let whole = total ?? length, first == offset, length == nil || length == whole, last < whole,
                !reply.isCoded, !reply.hasManyParts, !reply.hasDoubtfulEnd,
                reply.contentLength.map({ $0 == last - first + 1 }) ?? true,
                validator.agrees(withEntityTag: reply.entityTag, lastModified: reply.lastModified)
            else { return .askAnew }
            return .append(end: last + 1, total: whole)
        case 416:
            guard case .unsatisfied(let length) = reply.contentRange.flatMap({ ContentRange($0) }), length == offset,
                total == nil, offset > 0
            else { return .askAnew }
            return .askForLastByte(total: length)
        case 401, 403, 407, 408, 429, 500...: return .setAside
        default: return .startOver
        }
    }

    /// Whether a response to a request for the whole content has the whole content. Some servers send the whole content
    /// as a 206.
    static func isWhole(_ reply: Reply) -> Bool {
        guard reply.status == 206 else { return true }
        guard case .part(0, let last, let length?) = reply.contentRange.flatMap({ ContentRange($0) }) else {
            return false
        }
        return last == length - 1 && !reply.hasManyParts
    }
}

/// A strong validator. It shows that a file on a server still has exactly the same bytes, and may be sent in `If-Range`
/// (RFC 9110, section 13.1.5).
enum DownloadValidator: Equatable, Sendable {
    /// A strong entity tag, with its quotes.
    case entityTag(String)
    /// A date that is a strong validator.
    case lastModified(String)

    /// Creates the validator of a response. Returns nil if the response has no strong validator. A weak tag is not
    /// used, because the bytes may differ. If there is any tag, the date is not used.
    ///
    /// A date is strong if the response was created at least one second after it (section 8.8.2.2). Within this second,
    /// another version may have received the same date.
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

    /// Whether a 206 belongs to the same version. The 206 must repeat the tag, but may omit the date (section 15.3.7).
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
