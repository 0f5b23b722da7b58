#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// What becomes of a download that asked for the rest of a file, given the response.
///
/// Only a 206 that is the rest of the same version is put behind what is there. Everything else begins anew, so that
/// the file is never a mixture.
enum ResumeDecision: Equatable {
    /// Content is what follows; the file then has `end` bytes, of `total`.
    case append(end: Int64, total: Int64)
    /// The response is the whole, or whatever else the server has to say: it is written to a file of its own, and what
    /// was there goes away.
    case startOver
    /// The response says nothing of the file, such as a 503: it is the result, and what was there stays for another
    /// attempt.
    case setAside
    /// The file seems to be whole, which fetching its last byte once more is to prove.
    case askForLastByte(total: Int64)
    /// The response cannot be used; another request asks for the whole.
    case askAnew

    /// What of a response counts.
    struct Reply {
        var status: Int
        var contentRange: String?
        var contentLength: Int64?
        var entityTag: String?
        var lastModified: String?
        /// Whether content has a coding that the request did not ask for.
        var isCoded = false
        /// Whether content is a document of parts, each with a range of its own.
        var hasManyParts = false
    }

    /// - Parameters:
    ///   - reply: What the response says.
    ///   - offset: From where on the request asked.
    ///   - total: How long the whole is, if that was known before.
    ///   - validator: The version of which `offset` bytes are there.
    static func decide(
        _ reply: Reply,
        offset: Int64,
        total: Int64?,
        validator: DownloadValidator
    ) -> ResumeDecision {
        switch reply.status {
        case 206:
            // Where nobody knows the length, nobody knows whether this was the rest.
            guard case .part(let first, let last, let length) = reply.contentRange.flatMap({ ContentRange($0) }),
                let whole = total ?? length, first == offset, length == nil || length == whole, last < whole,
                !reply.isCoded, !reply.hasManyParts, reply.contentLength.map({ $0 == last - first + 1 }) ?? true,
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

    /// Whether a reply to a request for the whole can be that: some servers say 206 of all of it.
    static func isWhole(_ reply: Reply) -> Bool {
        guard reply.status == 206 else { return true }
        guard case .part(0, let last, let length?) = reply.contentRange.flatMap({ ContentRange($0) }) else {
            return false
        }
        return last == length - 1 && !reply.hasManyParts
    }
}
#endif
