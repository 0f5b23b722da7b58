#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The changes to an entry after a 304 or the response to a HEAD.
extension CacheEntry {
    /// The fields that concern the connection and not the response (RFC 9111, section 3.1).
    private static let unstored: Set<TextKey> = [
        "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization",
        "Proxy-Connection", "Te", "Transfer-Encoding", "Upgrade",
    ]

    private static let lengthsOfUnstored = Set(unstored.map(\.text.utf8.count))

    /// The fields that belong to the content, which a 304 does not change (RFC 9111, section 3.2).
    private static let ofContent: Set<TextKey> = [
        "Content-Encoding", "Content-Length", "Content-Range", "Content-Type",
    ]

    /// Returns the fields of a response that are stored.
    static func storedFields(of fields: [String: String]) -> [String: String] {
        var storedFields = fields
        for name in fields.keys where lengthsOfUnstored.contains(name.utf8.count) && unstored.contains(name) {
            storedFields[name] = nil
        }
        guard let options = fields["Connection"], options != "keep-alive" else { return storedFields }
        for name in options.parts(separatedBy: ",") {
            let name = String(decoding: name.utf8.filter { !$0.isBlank }, as: UTF8.self)
            for key in storedFields.keys where key.hasSameLetters(as: name) { storedFields[key] = nil }
        }
        return storedFields
    }

    /// Returns the entry with the fields of a 304, or of the response to a HEAD (RFC 9111, sections 3.2, 4.3.4 and
    /// 4.3.5).
    func freshened(by new: [String: String], requestTime: Date, responseTime: Date) -> CacheEntry {
        var entry = self
        entry.fields.merge(Self.storedFields(of: new).filter { !Self.ofContent.contains($0.key) }) { $1 }
        // If the new response lacks these fields, the old values are removed, because they describe the old response.
        for name in ["Age", "Date"] where new[name] == nil { entry.fields[name] = nil }
        entry.requestTime = requestTime
        entry.responseTime = responseTime
        return entry
    }

    /// Whether a 304 is about this entry: the validators of the 304 and of the entry match (RFC 9111, section 4.3.4).
    func isValidated(by fields: [String: String]) -> Bool {
        if let tag = fields["Etag"] { return self.fields["Etag"].map { tag.isSameTag(as: $0) } ?? false }
        if let date = fields["Last-Modified"], self.fields["Etag"] == nil {
            return self.fields["Last-Modified"] == date
        }
        return true
    }

    /// Whether a 200 response to a HEAD is about the representation in this entry. Only fields can be compared (RFC
    /// 9111, section 4.3.5).
    func isConfirmed(byHead fields: [String: String]) -> Bool {
        status == 200
            && ["Etag", "Last-Modified", "Content-Length"].allSatisfy { name in
                fields[name] == nil || fields[name] == self.fields[name]
            }
    }
}

extension String {
    /// Whether two entity tags match by weak comparison (RFC 9110, section 8.8.3.2).
    fileprivate func isSameTag(as other: String) -> Bool { opaqueTag == other.opaqueTag }

    private var opaqueTag: Substring { begins(with: "W/") ? Substring(utf8.dropFirst(2)) : self[...] }
}
#endif
