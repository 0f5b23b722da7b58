#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The stored format of resume data: a JSON object with its format and version.
extension ResumeData {
    fileprivate struct Stored: Codable {
        var format: String
        var version: Int
        var url: String
        var fields: [String: String]
        var entityTag: String?
        var lastModified: String?
        var file: String
        var total: Int64?
        var received: Int64
        var date: Double
    }

    private static let format = "Larkspur resume data"
    private static let version = 1
    /// The largest size of resume data, in bytes.
    private static let sizeLimit = 1 << 20

    var encoded: Data? {
        var stored = Stored(
            format: Self.format,
            version: Self.version,
            url: url.absoluteString,
            fields: fields,
            file: file,
            total: total,
            received: received,
            date: date.timeIntervalSince1970
        )
        switch validator {
        case .entityTag(let tag): stored.entityTag = tag
        case .lastModified(let date): stored.lastModified = date
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try? encoder.encode(stored)
    }

    /// Decodes resume data; nil for any data that is not of this format, complete and consistent.
    init?(_ data: Data) {
        guard data.count <= Self.sizeLimit, let stored = try? JSONDecoder().decode(Stored.self, from: data),
            stored.format == Self.format, stored.version == Self.version, let url = URL(string: stored.url),
            Self.mayHold(url),
            let validator = stored.validator, stored.received > 0, stored.received <= stored.total ?? .max,
            DownloadFile.isOwnName(ofFileAt: stored.file), stored.date.isFinite
        else { return nil }
        self.init(
            url: url,
            fields: stored.fields.filter { Self.mayHold($0.key) && $0.key.isToken && !$0.value.breaksLine },
            validator: validator,
            file: stored.file,
            total: stored.total,
            received: stored.received,
            date: Date(timeIntervalSince1970: stored.date)
        )
    }
}

extension ResumeData.Stored {
    fileprivate var validator: DownloadValidator? {
        switch (entityTag, lastModified) {
        case (let tag?, nil): DownloadValidator.isStrong(tag) ? .entityTag(tag) : nil
        case (nil, let date?): HTTPDate.parse(date) != nil && !date.breaksLine ? .lastModified(date) : nil
        default: nil
        }
    }
}
#endif
