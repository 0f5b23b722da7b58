internal import HTTPSyntax

/// An interceptor that signs requests with AWS Signature Version 4, for S3 and other services with this signature.
///
///     let storage = URL(string: "https://s3.eu-central-1.amazonaws.com")!
///     manager.interceptors.attempt = [.awsSignature(service: "s3", region: "eu-central-1", for: storage)]
///     let object = try await manager.get("https://s3.eu-central-1.amazonaws.com/bucket/key").data
///
/// Use it as the last interceptor in `interceptors.attempt`. Then each attempt has a new signature, and no
/// other interceptor changes the request afterwards. The signature covers the method, the URL, and the fields, except
/// those that the transport or a proxy may change, such as `Accept-Encoding` and `User-Agent`.
///
/// Requests to other origins are sent without a signature. A redirect to another origin is followed without it too, and
/// so is a link to the next page of a list, even if the interceptor is for that origin. A redirect at the same origin
/// has the signature of the first request, so the server refuses it.
///
/// If the request has a field `X-Amz-Content-SHA256`, its value is used in place of the hash of the content.
public struct AWSSignature: RequestInterceptor {
    /// The way in which the content of requests is signed.
    ///
    /// It is a struct and not an enum, so that a new way does not break existing `switch` statements. Give every
    /// `switch` a `default`.
    public struct Payload: Hashable, Sendable {
        enum Kind: Sendable {
            case signed, unsigned, streaming
        }

        let kind: Kind

        /// The signature covers the hash of the content. A file is read twice, in chunks. A stream, a form and content
        /// that is produced cannot be signed in this way, and the call ends with the error `unsupported`.
        public static let signed = Self(kind: .signed)
        /// The signature does not cover the content. Use this only with https, which protects the content.
        public static let unsigned = Self(kind: .unsigned)
        /// Each chunk of 64 KiB has a signature, for S3. A file is read once. The length of the content must be known;
        /// otherwise the call ends with the error `unsupported`. The progress counts the bytes with the signatures.
        /// Content in memory is sent as with ``signed``. On Linux, the transport `.foundation` cannot send this.
        public static let streaming = Self(kind: .streaming)
    }

    /// The name of the service in the signature.
    public let service: String
    /// The name of the region in the signature.
    public let region: String
    /// The way in which the content is signed.
    public let payload: Payload
    /// Whether the path is signed by the rules of S3, in which dots and repeated slashes are parts of a key. Default:
    /// true for the services `s3`, `s3-object-lambda` and `s3-outposts`. In this case each request has the
    /// field `X-Amz-Content-SHA256`, too.
    public var usesRulesOfS3: Bool
    let source: AWSCredentialSource
    private let origins: [Origin]
    /// The source of the present date.
    var date: @Sendable () -> Date = { Date() }

    /// Creates an interceptor.
    /// - Parameters:
    ///   - service: The name of the service in the signature, such as `s3` or `execute-api`.
    ///   - region: The name of the region in the signature, such as `eu-central-1`.
    ///   - credentials: The source of the credentials. Default: the environment, or else the credentials file.
    ///   - payload: The way in which the content is signed. Default: the hash of the content.
    ///   - url: The URL of the service. Requests to its origin are signed, and with the rules of S3 those to subdomains
    ///     of its host too, because S3 has a subdomain for each bucket.
    ///   - others: Further URLs of the service.
    public init(
        service: String,
        region: String,
        credentials: AWSCredentialSource = .standard,
        payload: Payload = .signed,
        for url: URL,
        _ others: URL...
    ) {
        self.init(service: service, region: region, credentials: credentials, payload: payload, urls: [url] + others)
    }

    init(service: String, region: String, credentials: AWSCredentialSource, payload: Payload, urls: [URL]) {
        self.service = service
        self.region = region
        self.payload = payload
        usesRulesOfS3 = ["s3", "s3-object-lambda", "s3-outposts"].contains { $0 == service }
        source = credentials
        origins = urls.compactMap { Origin($0) }
    }

    /// Sends a request with a signature.
    /// - Throws: The error of the attempt; the error of the credentials; `unsupported` if the content cannot be signed;
    ///   `fileUnreadable` and `bodyUnreadable` for a file that cannot be read.
    public func intercept(
        _ request: URLRequest,
        context: RequestContext,
        next: RequestContext.Next
    ) async throws -> InterceptedResponse {
        guard signs(request.url), !context.isLedElsewhere else { return try await next(request) }
        let signed = try await signed(request, context)
        context.withholdFromOtherOrigins([
            "Authorization", Self.dateField, Self.hashField, Self.tokenField, Self.lengthField,
        ])
        return try await next(signed)
    }

    /// Returns whether requests for a URL are signed.
    func signs(_ url: URL?) -> Bool {
        guard let origin = url.flatMap({ Origin($0) }) else { return false }
        return origins.contains { own in
            origin == own
                || usesRulesOfS3 && origin.scheme == own.scheme && origin.port == own.port
                    && origin.host.ends(with: "." + own.host)
        }
    }

    static let dateField = "X-Amz-Date"
    /// The name of the field with the hash of the content.
    package static let hashField = "X-Amz-Content-SHA256"
    /// The name of the field with the token of temporary credentials.
    package static let tokenField = "X-Amz-Security-Token"
    /// The value in place of the hash of content that the signature does not cover.
    package static let unsignedHash = "UNSIGNED-PAYLOAD"
    private static let lengthField = "X-Amz-Decoded-Content-Length"

    var pathRule: AWSCanonicalRequest.PathRule { usesRulesOfS3 ? .exact : .normalized }

    // MARK: The signature

    private func signed(_ request: URLRequest, _ context: RequestContext) async throws -> URLRequest {
        let credentials = try await source.credentials()
        let content = context.separateContent
        var headers = request.headers
        for name in ["Authorization", Self.dateField, Self.tokenField, Self.lengthField] { headers.remove(name) }
        var codedLength: Int64?
        let hash: String
        if let own = headers[Self.hashField] {
            hash = own
        } else if let content, payload == .streaming {
            let length = try Self.length(of: content)
            hash = AWSPayloadHash.streaming
            let coding = headers["Content-Encoding"]
            headers["Content-Encoding"] = coding.map { "aws-chunked,\($0)" } ?? "aws-chunked"
            headers[Self.lengthField] = String(length.content)
            headers["Content-Length"] = String(length.coded)
            codedLength = length.coded
        } else {
            hash = try await Self.hash(of: request, content, payload)
        }
        if usesRulesOfS3 || payload != .signed { headers[Self.hashField] = hash }
        let key = AWSSigningKey(credentials, region: region, service: service, date: date())
        headers[Self.dateField] = key.time
        headers[Self.tokenField] = credentials.sessionToken
        guard let url = request.url, let host = Self.host(of: url, headers) else {
            throw LarkspurError(.invalidURL, "The URL of the request to sign has no host.")
        }
        var fields = HTTPHeaders(headers.filter { Self.isSigned($0.name) })
        fields["Host"] = host
        let canonical = AWSCanonicalRequest(
            method: request.httpMethod ?? "GET",
            url: url,
            fields: fields,
            payloadHash: hash,
            pathRule: pathRule
        )
        let signature = key.signature(of: canonical)
        headers["Authorization"] = key.authorization(canonical, signature: signature)
        if let codedLength {
            try context.codeContent(
                by: BodyCoding(length: codedLength) { AWSChunkedCoder(key, after: signature) }
            )
        }
        var signed = request
        signed.headers = headers
        return signed
    }

    /// Returns the value of the field `Host`.
    static func host(of url: URL, _ headers: HTTPHeaders) -> String? {
        headers["Host"] ?? URLReference(url.absoluteString).hostField
    }

    private static func length(
        of content: SeparateContent
    ) throws(LarkspurError) -> (content: Int64, coded: Int64) {
        guard content.canBeCoded, let length = try content.length(),
            let coded = AWSChunkedCoder.length(ofContent: length)
        else {
            throw LarkspurError(
                .unsupported,
                "The content cannot be signed while it is sent, because its length is not known or only its task can read it: use unsigned content."
            )
        }
        return (length, coded)
    }

    /// Returns the hash of the content, or the word in place of it.
    static func hash(
        of request: URLRequest,
        _ content: SeparateContent?,
        _ payload: Payload
    ) async throws -> String {
        if payload == .unsigned { return AWSPayloadHash.unsigned }
        guard let content else { return SHA256.hash(request.httpBody ?? Data()).hexadecimal }
        guard let hash = try await content.sha256() else {
            throw LarkspurError(
                .unsupported,
                "Content that is neither in memory nor in a file cannot be signed before it is sent: use streaming or unsigned content."
            )
        }
        return hash.hexadecimal
    }

    /// Returns whether the signature covers a field. The other fields are set by the transport, or may be changed by
    /// the transport or a proxy.
    static func isSigned(_ name: String) -> Bool {
        !unsignedFields.contains { $0.hasSameLetters(as: name) }
    }

    private static let unsignedFields = [
        "Accept-Encoding", "Authorization", "Baggage", "Cache-Control", "Connection", "Content-Length", "Cookie",
        "Expect",
        "From", "Keep-Alive", "Max-Forwards", "Pragma", "Proxy-Authorization", "Proxy-Connection", "Referer", "TE",
        "Traceparent", "Tracestate", "Trailer", "Transfer-Encoding", "Upgrade", "User-Agent", "Via", "X-Amzn-Trace-Id",
    ]
}

extension AWSSignature: CustomStringConvertible, CustomReflectable {
    /// The service and the region, without the credentials.
    public var description: String { "AWSSignature(\(service) in \(region))" }
    /// A mirror without the credentials.
    public var customMirror: Mirror { Mirror(self, children: ["service": service, "region": region]) }
}

extension RequestInterceptor where Self == AWSSignature {
    /// Returns an interceptor that signs requests with AWS Signature Version 4. Use it as the last interceptor in
    /// `interceptors.attempt`.
    /// - Parameters:
    ///   - service: The name of the service in the signature, such as `s3` or `execute-api`.
    ///   - region: The name of the region in the signature, such as `eu-central-1`.
    ///   - credentials: The source of the credentials. Default: the environment, or else the credentials file.
    ///   - payload: The way in which the content is signed. Default: the hash of the content.
    ///   - url: The URL of the service. Requests to its origin are signed, and with the rules of S3 those to subdomains
    ///     of its host too, because S3 has a subdomain for each bucket.
    ///   - others: Further URLs of the service.
    public static func awsSignature(
        service: String,
        region: String,
        credentials: AWSCredentialSource = .standard,
        payload: AWSSignature.Payload = .signed,
        for url: URL,
        _ others: URL...
    ) -> AWSSignature {
        AWSSignature(service: service, region: region, credentials: credentials, payload: payload, urls: [url] + others)
    }
}
