#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The part of a request that is passed to libcurl before the content.
struct RequestHead {
    /// The length of the content to send.
    enum BodyLength: Equatable {
        case none
        case known(Int64)
        /// The length is unknown. Over HTTP/1.1, libcurl then sends the content in chunks, because it receives
        /// `CURLOPT_UPLOAD` without a size.
        case unknown

        var hasContent: Bool { self != .none && self != .known(0) }

        /// Whether the content is long enough for `Expect: 100-continue` (RFC 9110, section 10.1.1). libcurl sends this
        /// field if the content is longer than 1 MiB.
        var isLong: Bool {
            if case .known(let length) = self { length > 1 << 20 } else { false }
        }
    }

    let method: String
    let target: CurlURL
    /// The lines for `CURLOPT_HTTPHEADER`. There are three forms: "Name: value", "Name;" for a field without a value,
    /// and "Name:" to remove a field that libcurl adds.
    let lines: [String]
    /// The length of the content. For a stream it is the value of the Content-Length field, if the request has one.
    let body: BodyLength
    /// Whether the request has `Expect: 100-continue`. The server can then refuse the request before the content is
    /// sent.
    let expectsContinue: Bool
    /// Whether the caller sets the Accept-Encoding field.
    let setsAcceptEncoding: Bool
    /// Whether the request is for a part of the content, with a `Range` field.
    let asksForRange: Bool
    /// Whether the engine adds fields with credentials or cookies to the fields of the request.
    let addsCredentials: Bool

    /// The maximum length of the URL and the fields together, in bytes. libcurl permits 1 MiB, including the lines that
    /// it adds. It does not report that a request is too long.
    static let maximumLength = (1 << 20) - (1 << 12)

    /// The URL for libcurl.
    var url: String { target.text }

    /// Checks the request, because libcurl does not check its input, and adds the missing fields.
    ///
    /// The request's own fields have priority over `additionalFields`, and both have priority over `cookie`.
    /// `authorization` was created for a challenge, and has priority over all of them. libcurl adds the fields about
    /// the transfer of the content. If `mayAskFirst` is true, libcurl adds `Expect: 100-continue` for long content.
    ///
    /// Most requests of a session have the same lines. So the lines of the last request without content can be passed
    /// as `remembered`. `target` is the request's URL, if the caller has already converted it.
    init(
        _ request: URLRequest,
        target known: CurlURL? = nil,
        additionalFields: [String: String],
        body: BodyLength,
        cookie: String?,
        authorization: String?,
        mayAskFirst: Bool = true,
        remembered: inout RememberedLines?
    ) throws(Failure) {
        if let known {
            target = known
        } else {
            guard let url = request.url else { throw .missingURL }
            target = try CurlURL(url)
        }
        addsCredentials = authorization != nil || cookie != nil
        let method = request.httpMethod ?? "GET"
        guard method == "GET" || method.isToken else { throw .invalidMethod }
        self.method = method

        let fields = request.allHTTPHeaderFields ?? [:]
        if fields.isEmpty, additionalFields.isEmpty, cookie == nil, authorization == nil, body == .none, method == "GET"
        {
            lines = RequestLines.defaults
            self.body = .none
            setsAcceptEncoding = false
            asksForRange = false
            expectsContinue = false
            return
        }
        let isPlain = body == .none && !addsCredentials
        if isPlain, let remembered, remembered.matches(method, fields, additionalFields, mayAskFirst),
            target.text.utf8.count + remembered.length <= Self.maximumLength
        {
            lines = remembered.lines
            self.body = .none
            setsAcceptEncoding = remembered.setsAcceptEncoding
            asksForRange = remembered.asksForRange
            expectsContinue = false
            return
        }
        var made = RequestLines(mayAskFirst: mayAskFirst)
        if let authorization { try made.add("Authorization", authorization) }
        for (name, value) in fields { try made.add(name, Self.octets(of: value, named: name)) }
        for (name, value) in additionalFields { try made.add(name, Self.octets(of: value, named: name)) }
        if let cookie { try made.add("Cookie", cookie) }
        self.body = made.length(ofBody: body)
        made.addDefaults(method: method, body: self.body)
        lines = made.lines
        let length = lines.reduce(0) { $0 + $1.utf8.count + 2 }
        let wholeLength = target.text.utf8.count + length
        guard target.text.utf8.count <= Self.maximumLength else { throw .longURL(bytes: target.text.utf8.count) }
        guard wholeLength <= Self.maximumLength else { throw .tooLong(bytes: wholeLength) }
        setsAcceptEncoding = made.contains(.acceptEncoding)
        asksForRange = made.contains(.range)
        if isPlain {
            remembered = RememberedLines(
                method: method,
                fields: fields,
                additionalFields: additionalFields,
                mayAskFirst: mayAskFirst,
                lines: lines,
                length: length,
                setsAcceptEncoding: setsAcceptEncoding,
                asksForRange: asksForRange
            )
        }
        expectsContinue = mayAskFirst && self.body.hasContent && (self.body.isLong || made.contains(.expect))
    }

    /// Returns the value of a field as text that consists of octets. The conditions that the engine sets already
    /// consist of octets. All other values come from the program, and are sent in UTF-8.
    private static func octets(of value: String, named name: String) -> String {
        guard value.hasOctets, !name.hasSameLetters(as: "If-None-Match"), !name.hasSameLetters(as: "If-Range") else {
            return value
        }
        return String(octets: value.utf8)
    }
}

extension RequestHead {
    /// The reason why a request cannot be written. Its message contains the name of the field, but not its value, which
    /// may be a secret.
    enum Failure: Error, Equatable {
        case missingURL, invalidURL, unsupportedScheme, invalidSocketPath
        case invalidHost(CanonicalHost.Defect)
        case invalidMethod
        case invalidFieldName(String)
        case invalidFieldValue(name: String)
        case longURL(bytes: Int)
        case tooLong(bytes: Int)

        /// The code of the error. Foundation has no code for invalid fields, so they have the code for an invalid URL.
        /// In both cases, the request is malformed, and sending it again is useless.
        var code: URLError.Code {
            self == .unsupportedScheme || self == .missingURL ? .unsupportedURL : .badURL
        }

        /// The part of the request that cannot be written.
        var part: RequestPart {
            switch self {
            case .missingURL, .invalidURL, .invalidHost, .unsupportedScheme, .invalidSocketPath, .longURL: .url
            case .invalidMethod: .method
            case .invalidFieldName, .invalidFieldValue, .tooLong: .fields
            }
        }

        var sentence: String {
            switch self {
            case .missingURL: "The request has no URL."
            case .invalidURL:
                "The URL is not absolute, or has no host, an impossible port or characters that no URL has."
            case .invalidHost(let defect): "The URL's host \(defect.clause)."
            case .unsupportedScheme: "The URL's scheme is neither http nor https."
            case .invalidSocketPath:
                "The URL's host is not the percent-encoded, absolute path of a Unix-domain socket, of at most 107 bytes."
            case .invalidMethod: "The method contains characters that HTTP does not allow there."
            case .invalidFieldName(let name):
                "The field name \(name.debugDescription) contains characters that HTTP does not allow there."
            case .invalidFieldValue(let name):
                "The value of the field \(name) contains a line end or a null character."
            case .longURL(let bytes):
                "The request's URL is too long: \(bytes) bytes, where \(RequestHead.maximumLength) can be sent."
            case .tooLong(let bytes):
                "The request's header is too large: \(bytes) bytes, where \(RequestHead.maximumLength) can be sent."
            }
        }
    }
}
#endif
