#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The values for continuing a download: the partial file, and the version to which its bytes belong.
struct ResumeData: Equatable, Sendable {
    /// The URL of the original request. Redirects are followed again.
    let url: URL
    /// The fields of the request, without secrets, ranges and conditions.
    let fields: [String: String]
    let validator: DownloadValidator
    /// The path of the partial file.
    let file: String
    /// The total number of bytes; nil if it is unknown.
    var total: Int64?
    /// The minimum number of bytes in the file. The file may have more bytes, because it grows while the download runs.
    var received: Int64
    /// The date at which the resume data was created.
    var date: Date
}

extension ResumeData {
    /// Creates resume data from a response whose content is written to a file. Returns nil if another download could
    /// not continue the file.
    ///
    /// Only the response to a GET without content can be continued, and only if it has the whole representation. The
    /// file must contain the bytes as they were received, so the engine must not have decoded them.
    /// - Parameter entityTag: The entity tag of the response as octets; nil if it has none.
    init?(
        request: URLRequest,
        hasBody: Bool,
        response: HTTPURLResponse,
        entityTag: String?,
        isDecoded: Bool,
        file: String
    ) {
        guard response.statusCode == 200, !isDecoded, !hasBody, request.httpMethod ?? "GET" == "GET",
            let url = request.url?.withoutUser, Self.mayHold(url),
            response.value(forHTTPHeaderField: "Accept-Ranges")?.hasSameLetters(as: "none") != true,
            let validator = DownloadValidator(
                entityTag: entityTag,
                lastModified: response.value(forHTTPHeaderField: "Last-Modified"),
                date: response.value(forHTTPHeaderField: "Date")
            )
        else { return nil }
        let fields = request.allHTTPHeaderFields ?? [:]
        guard !fields.keys.contains(where: { $0.hasSameLetters(as: "Range") }) else { return nil }
        let length = response.expectedContentLength
        self.init(
            url: url,
            fields: fields.filter { Self.mayHold($0.key) },
            validator: validator,
            file: file,
            total: length >= 0 ? length : nil,
            received: 0,
            date: Date()
        )
    }

    /// The request of the download, without fields for a range.
    var request: URLRequest {
        var request = URLRequest(url: url)
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }

    /// Whether a URL may be stored. A URL with a Unix-domain socket may not be stored, because manipulated resume data
    /// must not give access to sockets.
    static func mayHold(_ url: URL) -> Bool {
        guard let scheme = url.scheme?.inLowercase else { return false }
        return (scheme == "http" || scheme == "https") && url.host?.isEmpty == false
    }

    /// Whether a field may be stored. Fields with credentials and fields about versions may not be stored.
    static func mayHold(_ name: String) -> Bool {
        let lowercased = String(decoding: name.utf8.map(\.asLowercase), as: UTF8.self)
        return !versionFields.contains(lowercased) && !CredentialField.matches(name)
            && !secretParts.contains { lowercased.holds($0) }
    }

    private static let versionFields: Set<TextKey> = [
        "range", "if-range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "content-length",
        "transfer-encoding",
    ]

    /// Further parts of field names that suggest a secret. The rule is stricter than the rule for other origins,
    /// because a file exists longer than the request.
    private static let secretParts = [
        "auth", "cookie", "token", "key", "secret", "pass", "credential", "session", "signature", "jwt", "csrf",
    ]
}

extension URL {
    /// The URL without a user's name and password.
    fileprivate var withoutUser: URL? {
        guard user(percentEncoded: true) != nil || password(percentEncoded: true) != nil else { return self }
        return URLReference(absoluteString).withoutUserInformation.url
    }
}

/// The stored format of resume data: a JSON object that also has the name and the version of the format.
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

    /// Decodes resume data. Returns nil if the data does not have this format, or is incomplete or inconsistent.
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

extension URLError {
    /// The key of the resume data in an error's user info: `NSURLSessionDownloadTaskResumeData`, as on Apple platforms.
    public static let downloadTaskResumeDataKey = URLSessionDownloadTaskResumeData

    /// The resume data of a failed download; nil if there is none, or if the server's response has no validator for the
    /// version of the file.
    public var downloadTaskResumeData: Data? { errorUserInfo[Self.downloadTaskResumeDataKey] as? Data }

    func adding(resumeData: Data) -> URLError {
        var info = errorUserInfo
        info[Self.downloadTaskResumeDataKey] = resumeData
        return URLError(code, userInfo: info)
    }
}
#endif
