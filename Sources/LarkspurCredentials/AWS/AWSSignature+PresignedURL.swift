internal import HTTPSyntax

/// URLs whose signature is in their query, so that they can be used without credentials.
extension AWSSignature {
    /// Returns a URL with which anyone can send a request until the URL expires.
    ///
    /// The signature covers the method, the URL, and the fields `Content-Type`, `Content-MD5` and those that begin with
    /// `X-Amz-`. So the request has to be sent with the same method and the same values of these fields. For S3, the
    /// signature does not cover the content. The URL is a secret, which Larkspur's logs and descriptions do not show.
    /// - Parameters:
    ///   - request: The request. Its URL may be at any origin.
    ///   - lifetime: The time after which the URL expires, from 1 second to 7 days, in whole seconds. Default: 15
    ///     minutes. With temporary credentials, the URL also expires with them.
    /// - Throws: The error of the credentials; `LarkspurError` with the code `invalidURL` if the URL has no host, and
    ///   `unsupported` if the time is not possible.
    public func presignedURL(for request: URLRequest, lifetime: Duration = .seconds(900)) async throws -> URL {
        guard (1...604_800).contains(lifetime.components.seconds) else {
            throw LarkspurError(.unsupported, "A presigned URL expires after 1 second to 7 days.")
        }
        let credentials = try await source.credentials()
        let key = AWSSigningKey(credentials, region: region, service: service, date: date())
        var headers = request.headers
        for name in [Self.dateField, Self.tokenField] { headers.remove(name) }
        guard let url = request.url, let host = Self.host(of: url, headers) else {
            throw LarkspurError(.invalidURL, "The URL to sign has no host.")
        }
        var fields = HTTPHeaders(headers.filter { Self.isPresigned($0.name) })
        fields["Host"] = host
        let names = fields.map(\.name.inLowercase).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        var parameters = [
            ("X-Amz-Algorithm", AWSSigningKey.algorithm), ("X-Amz-Credential", key.credential),
            (Self.dateField, key.time), ("X-Amz-Expires", String(lifetime.components.seconds)),
            ("X-Amz-SignedHeaders", names.joined(separator: ";")),
        ]
        if let token = credentials.sessionToken { parameters.append((Self.tokenField, token)) }
        let unsigned = try Self.adding(parameters, to: url)
        let canonical = AWSCanonicalRequest(
            method: request.httpMethod ?? "GET",
            url: unsigned,
            fields: fields,
            payloadHash: presignedHash(of: request),
            pathRule: pathRule
        )
        return try Self.adding([(Self.signatureParameter, key.signature(of: canonical))], to: unsigned)
    }

    private func presignedHash(of request: URLRequest) -> String {
        if let own = request.headers[Self.hashField] { return own }
        if usesRulesOfS3 || payload == .unsigned { return AWSPayloadHash.unsigned }
        return SHA256.hash(request.httpBody ?? Data()).hexadecimal
    }

    private static let signatureParameter = "X-Amz-Signature"

    /// Returns whether the signature in a URL covers a field.
    private static func isPresigned(_ name: String) -> Bool {
        let name = name.inLowercase
        return name == "content-type" || name == "content-md5" || name.begins(with: "x-amz-")
    }

    /// Returns a URL with further parameters, without a fragment. They replace parameters with the same names, and an
    /// earlier signature is removed.
    private static func adding(_ parameters: [(String, String)], to url: URL) throws(LarkspurError) -> URL {
        var reference = URLReference(url.absoluteString).withoutFragment.withoutUserInformation
        let replaced = parameters.map(\.0) + [signatureParameter]
        let old = (reference.query ?? "").parts(separatedBy: "&").filter { parameter in
            let name = String(parameter.before("=")).percentDecoded()
            return !replaced.contains { $0 == name }
        }
        let new = parameters.map { "\($0)=\(AWSCanonicalRequest.encoded($1.utf8))" }
        reference.query = (old.map { String($0) } + new).joined(separator: "&")
        guard let url = reference.url else { throw LarkspurError(.invalidURL, "The URL to sign is not valid.") }
        return url
    }
}
