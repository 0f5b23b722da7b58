#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// What libcurl is told of a request before its content.
struct RequestHead {
    /// How much content there is to send.
    enum BodyLength: Equatable {
        case none
        case known(Int64)
        /// libcurl sends it in chunks over HTTP/1.1 by itself, given `CURLOPT_UPLOAD` and no size.
        case unknown

        var hasContent: Bool { self != .none && self != .known(0) }

        /// Whether it is worth asking first if the server wants it (RFC 9110, section 10.1.1), as libcurl does above 1
        /// MiB.
        var isLong: Bool {
            if case .known(let length) = self { length > 1 << 20 } else { false }
        }
    }

    let method: String
    let target: RequestTarget
    /// Lines for `CURLOPT_HTTPHEADER`: "Name: value", "Name;" for a field without a value, "Name:" against one of
    /// libcurl's own.
    let lines: [String]
    /// The length of the content, which a stream's request may state in a Content-Length field.
    let body: BodyLength
    /// Whether the server is asked if it wants the content before it gets it.
    let asksFirst: Bool
    /// Whether the caller says which codings are welcome.
    let setsAcceptEncoding: Bool

    /// The length of the URL and the fields together, in bytes; libcurl allows 1 MiB for them and for what it adds, and
    /// does not say what is too large.
    static let maximumLength = (1 << 20) - (1 << 12)

    /// The URL for `CURLOPT_URL`.
    var url: String { target.text }

    /// Checks the request, for libcurl writes what it is given, and completes its fields.
    ///
    /// The request's own fields win over `additionalFields`, and both over `cookie`. `authorization` is the answer to a
    /// challenge and wins over all. Fields about the transfer of the content are libcurl's to write; it asks first
    /// whether the server wants long content if it may.
    init(
        _ request: URLRequest,
        additionalFields: [String: String],
        body: BodyLength,
        cookie: String?,
        authorization: String?,
        mayAskFirst: Bool = true
    ) throws(Failure) {
        guard let url = request.url else { throw .missingURL }
        target = try RequestTarget(url)
        let method = request.httpMethod ?? "GET"
        guard method == "GET" || method.isToken else { throw .invalidMethod }
        self.method = method

        let fields = request.allHTTPHeaderFields ?? [:]
        if fields.isEmpty, additionalFields.isEmpty, cookie == nil, authorization == nil, body == .none, method == "GET"
        {
            lines = RequestLines.defaults
            self.body = .none
            setsAcceptEncoding = false
            asksFirst = false
            return
        }
        var made = RequestLines(mayAskFirst: mayAskFirst)
        if let authorization { try made.add("Authorization", authorization) }
        for (name, value) in fields { try made.add(name, value) }
        for (name, value) in additionalFields { try made.add(name, value) }
        if let cookie { try made.add("Cookie", cookie) }
        self.body = made.length(ofBody: body)
        made.addDefaults(method: method, body: self.body)
        lines = made.lines
        let length = lines.reduce(target.text.utf8.count) { $0 + $1.utf8.count + 2 }
        guard length <= Self.maximumLength else { throw .tooLong(bytes: length) }
        setsAcceptEncoding = made.contains(.acceptEncoding)
        asksFirst = mayAskFirst && self.body.hasContent && (self.body.isLong || made.contains(.expect))
    }
}

#endif
