internal import HTTPSyntax

/// An interceptor that signs requests with HTTP message signatures (RFC 9421). Use it as the last interceptor in
/// `interceptors.attempt`, so that the other interceptors cannot change what is signed, and each attempt has a
/// signature of its own.
///
///     let key = MessageSignature.Key.hmac(secret, id: "my-key")
///     manager.interceptors.attempt = [.messageSignature(key, for: url)]
///
/// The request gets the fields `Signature-Input` and `Signature`. If the signature covers `content-digest` and the
/// request has content, it also gets the field `Content-Digest` (RFC 9530) with the SHA-256 of the content, unless it
/// has this field already. A file is then read twice, in chunks. If the signature covers `date` or `content-length` and
/// the request does not have the field, it gets the field.
///
/// The signature cannot cover the fields that the transport adds later, such as `Accept-Encoding`, `Cookie` and
/// `User-Agent`. Requests to other origins are sent without a signature. A redirect to another origin is followed
/// without it too, and so is a link to the next page of a list at another origin, even if the interceptor is for that
/// origin. A redirect at the same origin has the signature of the first request.
public struct MessageSignature: RequestInterceptor {
    /// The components that the signature covers, in their order. Default: the method, the URL and the digest of the
    /// content. A request without content is signed without the digest of its content.
    public var components: [Component]
    /// The label of the signature. Default: `sig1`.
    public var label = "sig1"
    /// The time after which the signature expires, in whole seconds. Default: nil, for no such time.
    public var lifetime: Duration?
    /// Whether each signature has a random value (parameter `nonce`), by which a server recognizes a request that is
    /// sent twice. Default: true.
    public var hasNonce = true
    /// Whether the name of the algorithm is sent (parameter `alg`). A server knows it by the key, as a rule. Default:
    /// false.
    public var namesAlgorithm = false
    /// The name of the application of the signature (parameter `tag`). Default: nil, for none.
    public var tag: String?
    private let key: Key
    private let origins: [Origin]
    /// The source of the present date.
    var date: @Sendable () -> Date = { Date() }
    /// The source of random values.
    var nonce: @Sendable () -> String = { RandomText.make(byteCount: 16) }

    /// The components that a signature covers by default.
    public static let defaultComponents: [Component] = [.method, .targetURI, .contentDigest]

    /// Creates an interceptor.
    /// - Parameters:
    ///   - key: The key, with its identifier.
    ///   - components: The components that the signature covers. Default: the method, the URL and the digest of the
    ///     content.
    ///   - url: A URL of the server. Requests to its origin are signed.
    ///   - others: URLs of further servers.
    public init(
        _ key: Key,
        covering components: [Component] = Self.defaultComponents,
        for url: URL,
        _ others: URL...
    ) {
        self.init(key, covering: components, urls: [url] + others)
    }

    init(_ key: Key, covering components: [Component], urls: [URL]) {
        self.key = key
        self.components = components
        origins = urls.compactMap { Origin($0) }
    }

    /// Sends a request with a signature.
    /// - Throws: The error of the attempt; `unsupported` if the request cannot be signed, with a
    ///   ``MessageSignatureFailure`` as its `underlyingError`, or because its content cannot be read before it is sent;
    ///   `fileUnreadable` and `bodyUnreadable` for a file that cannot be read.
    public func intercept(
        _ request: URLRequest,
        context: RequestContext,
        next: RequestContext.Next
    ) async throws -> InterceptedResponse {
        guard let origin = request.url.flatMap({ Origin($0) }), origins.contains(origin), !context.isLedElsewhere
        else { return try await next(request) }
        let signed = try await signed(request, context.separateContent)
        context.withholdFromOtherOrigins(["Signature", "Signature-Input"])
        return try await next(signed)
    }

    // MARK: The signature

    private func signed(_ request: URLRequest, _ content: SeparateContent?) async throws -> URLRequest {
        var request = request
        let now = date()
        let hasContent = content != nil || request.httpBody?.isEmpty == false
        let names = Set(components.lazy.filter { !$0.isOfRequest }.map(\.name))
        if hasContent, names.contains("content-digest"), request.headers["Content-Digest"] == nil {
            let hash = try await Self.hash(of: request, content)
            request.headers["Content-Digest"] = "sha-256=:\(Data(hash).base64EncodedString()):"
        }
        if names.contains("content-length"), request.headers["Content-Length"] == nil,
            let length = try content.map({ try $0.length() }) ?? request.httpBody.map({ Int64($0.count) })
        {
            request.headers["Content-Length"] = String(length)
        }
        if names.contains("date"), request.headers["Date"] == nil {
            request.headers["Date"] = HTTPDate.string(from: now)
        }
        do throws(MessageSignatureFailure) {
            return try signed(request, at: now)
        } catch {
            throw LarkspurError(.unsupported, "The request cannot be signed. \(error.message)", underlyingError: error)
        }
    }

    private func signed(_ request: URLRequest, at date: Date) throws(MessageSignatureFailure) -> URLRequest {
        var components = components
        if request.headers["Content-Digest"] == nil { components.removeAll(where: \.isContentDigest) }
        let input = SignatureInput(components, try parameters(at: date))
        let signature = try key.signature(of: try input.base(of: SignedMessage(request)))
        var signed = request
        for (name, member) in [
            ("Signature-Input", input.member), ("Signature", .item(StructuredField.Item(.bytes(signature)))),
        ] {
            // Other signatures of the request stay.
            var members = OrderedMembers<StructuredField.Member>()
            if let own = request.headers[name] {
                guard let own = StructuredField.orderedDictionary(own) else {
                    throw MessageSignatureFailure(.malformedSignature, "The request's own \(name) is malformed.")
                }
                members = own
            }
            members.set(TextKey(label), member)
            guard let text = StructuredField.text(ofDictionary: members) else {
                throw MessageSignatureFailure(
                    .malformedSignature,
                    "The label “\(label.excerpt)” is not one of a signature."
                )
            }
            signed.headers[name] = text
        }
        return signed
    }

    private func parameters(at date: Date) throws(MessageSignatureFailure) -> StructuredField.Parameters {
        guard let created = Int64(exactly: date.timeIntervalSince1970.rounded(.down)) else {
            throw MessageSignatureFailure(.malformedSignature, "The present date cannot be written.")
        }
        var parameters: StructuredField.Parameters = ["created": .integer(created)]
        if let lifetime { parameters.set("expires", .integer(created &+ lifetime.components.seconds)) }
        if let id = key.id { parameters.set("keyid", .string(id)) }
        if namesAlgorithm, let algorithm = key.algorithm { parameters.set("alg", .string(algorithm)) }
        if hasNonce { parameters.set("nonce", .string(nonce())) }
        if let tag { parameters.set("tag", .string(tag)) }
        return parameters
    }

    private static func hash(of request: URLRequest, _ content: SeparateContent?) async throws -> [UInt8] {
        guard let content else { return SHA256.hash(request.httpBody ?? Data()) }
        guard let hash = try await content.sha256() else {
            throw LarkspurError(
                .unsupported,
                "The digest of content that is neither in memory nor in a file cannot be signed before it is sent: set the field Content-Digest, or sign without content-digest."
            )
        }
        return hash
    }
}

extension MessageSignature: CustomStringConvertible, CustomReflectable {
    /// The key's algorithm and identifier, and the covered components.
    public var description: String {
        "MessageSignature(\(key), \(components.map(\.description).joined(separator: " ")))"
    }
    /// A mirror without the key itself.
    public var customMirror: Mirror { Mirror(self, children: ["key": key.description, "components": components]) }
}

extension RequestInterceptor where Self == MessageSignature {
    /// Returns an interceptor that signs requests with HTTP message signatures (RFC 9421). Use it as the last
    /// interceptor in `interceptors.attempt`.
    /// - Parameters:
    ///   - key: The key, with its identifier.
    ///   - components: The components that the signature covers. Default: the method, the URL and the digest of the
    ///     content.
    ///   - url: A URL of the server. Requests to its origin are signed.
    ///   - others: URLs of further servers.
    public static func messageSignature(
        _ key: MessageSignature.Key,
        covering components: [MessageSignature.Component] = MessageSignature.defaultComponents,
        for url: URL,
        _ others: URL...
    ) -> MessageSignature {
        MessageSignature(key, covering: components, urls: [url] + others)
    }
}
