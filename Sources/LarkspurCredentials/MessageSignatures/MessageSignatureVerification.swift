internal import HTTPSyntax

/// The verification of the signatures of responses (RFC 9421), and of the digest of their content (RFC 9530).
///
///     let verification = MessageSignatureVerification(.hmac(secret, id: "server-key"))
///     manager.interceptors.call.insert(verification, at: 0)
///
/// As an interceptor it surrounds a call, or each attempt. A response without an acceptable signature, with any status,
/// ends the call with the error `unacceptableResponse`. Its `underlyingError` is a ``MessageSignatureFailure``. A
/// downloaded file is then removed. As the first interceptor in `interceptors.call`, it verifies the response
/// that remains after all retries.
///
/// Of several signatures, one must be acceptable: signed by one of the ``keys``, with the required components, and not
/// too old. If it covers the digest of the content, the content must have this digest.
///
/// Content that is delivered while it arrives, in streams and events, cannot be verified before. Such a call ends with
/// the error `unsupported`, and nothing is sent. A data task that becomes a download is not verified, and a download
/// that was resumed ends with the error, because a digest covers only its last part. Cookies, redirects and challenges
/// of a response take effect before it is verified. Signatures in trailers are not read.
public struct MessageSignatureVerification: Sendable {
    /// The keys of the servers.
    public var keys: [Key]
    /// The components that a signature must cover. Default: the status and the digest of the content. The digest is not
    /// required for a response that has no content, because of the method HEAD or the status 204 or 304.
    ///
    /// Without a component of the request, such as `.targetURI.ofRequest`, an attacker can pass one signed response off
    /// as the response to another request, within the maximum age.
    public var requiredComponents: [MessageSignature.Component]
    /// The maximum time since the creation of the signature; nil for any time, and for signatures without a time of
    /// their creation. Default: 300 seconds.
    public var maximumAge: Duration? = .seconds(300)
    /// The greatest difference between the clocks of the server and of this machine that is accepted, in all
    /// comparisons of times. Default: 30 seconds.
    public var clockTolerance: Duration = .seconds(30)
    /// The label of the signature. Default: nil, for any label.
    public var label: String?
    /// The name of the application of the signature (parameter `tag`). Default: nil, for any or none.
    public var tag: String?
    /// The source of the present date.
    var date: @Sendable () -> Date = { Date() }

    /// The maximum number of signatures that are verified.
    private static let maximumCount = 8

    /// The components that a signature must cover by default.
    public static let defaultComponents: [MessageSignature.Component] = [.status, .contentDigest]

    /// Creates a verification.
    /// - Parameters:
    ///   - keys: The keys of the servers.
    ///   - components: The components that a signature must cover. Default: the status and the digest of the content.
    public init(_ keys: Key..., requiring components: [MessageSignature.Component] = Self.defaultComponents) {
        self.init(keys: keys, requiring: components)
    }

    init(keys: [Key], requiring components: [MessageSignature.Component]) {
        self.keys = keys
        requiredComponents = components
    }

    /// Verifies a response.
    /// - Parameters:
    ///   - response: The response, with all of its fields.
    ///   - content: The content, as it was sent, without a content coding.
    ///   - request: The request to which it responds; nil if it is not known.
    ///   - trailers: The trailers of the response. Default: nil, for none.
    /// - Throws: The reason why the response is not acceptable.
    public func verify(
        _ response: HTTPURLResponse,
        content: Data,
        to request: URLRequest?,
        trailers: HTTPHeaders? = nil
    ) throws(MessageSignatureFailure) {
        guard let digests = try verifiedDigests(of: response, trailers, to: request) else { return }
        var hashes = digests.hashes
        hashes.update(content)
        try digests.verify(hashes)
    }

    /// Verifies the signature of a response.
    /// - Returns: The digests that the content must have; nil if the signature covers none, or there is no content.
    func verifiedDigests(
        of response: HTTPURLResponse,
        _ trailers: HTTPHeaders?,
        to request: URLRequest?
    ) throws(MessageSignatureFailure) -> SignedDigests? {
        let message = SignedMessage(response, trailers: trailers, to: request)
        let hasContent = request?.httpMethod != "HEAD" && response.statusCode != 204 && response.statusCode != 304
        var first: MessageSignatureFailure?
        for candidate in try candidates(response) {
            do throws(MessageSignatureFailure) {
                let input = try SignatureInput(reading: candidate.items, candidate.parameters)
                try verify(input, hasContent: hasContent)
                let keys = try keys(of: input)
                let base = try input.base(of: message)
                try Self.verify(candidate.signature, of: base, with: keys)
                guard hasContent else { return nil }
                return try SignedDigests(covered: input.components.filter(\.isContentDigest), message, response)
            } catch {
                first = first ?? error
            }
        }
        throw first ?? MessageSignatureFailure(.missingSignature, "The response has no signature.")
    }

    // MARK: Candidates

    /// A signature of a response that may be acceptable.
    private struct Candidate {
        let items: [StructuredField.Item]
        let parameters: StructuredField.Parameters
        let signature: Data
    }

    /// Returns the signatures with the required label and tag, and with the identifiers of known keys.
    private func candidates(_ response: HTTPURLResponse) throws(MessageSignatureFailure) -> [Candidate] {
        let inputs = try Self.members("Signature-Input", of: response)
        let signatures = try Self.members("Signature", of: response)
        guard !inputs.isEmpty || !signatures.isEmpty else {
            throw MessageSignatureFailure(.missingSignature, "The response has no signature.")
        }
        guard inputs.count == signatures.count, inputs.keys.allSatisfy({ signatures[$0.text] != nil }) else {
            throw MessageSignatureFailure(
                .unmatchedLabel,
                "The fields Signature-Input and Signature do not have the same labels."
            )
        }
        var (candidates, hasAny) = ([Candidate](), false)
        for (key, member) in inputs.pairs {
            guard case .innerList(let items, let parameters) = member,
                case .bytes(let signature) = signatures[key.text]?.item?.value
            else {
                throw MessageSignatureFailure(.malformedSignature, "A signature of the response is malformed.")
            }
            if let label, key.text != label { continue }
            if let tag, parameters["tag"] != .string(tag) { continue }
            hasAny = true
            let isKnown = keys.contains { $0.id.map { .string($0) } == parameters["keyid"] }
            if isKnown { candidates.append(Candidate(items: items, parameters: parameters, signature: signature)) }
        }
        guard hasAny else {
            throw MessageSignatureFailure(
                .missingSignature,
                "The response has no signature with the required label or tag."
            )
        }
        guard !candidates.isEmpty else {
            throw MessageSignatureFailure(.unknownKey, "No key has the identifier of the signature.")
        }
        guard candidates.count <= Self.maximumCount else {
            throw MessageSignatureFailure(
                .tooManySignatures,
                "The response has more than \(Self.maximumCount) signatures with identifiers of known keys."
            )
        }
        return candidates
    }

    /// Returns the members of a field; none if the response does not have the field.
    private static func members(
        _ name: String,
        of response: HTTPURLResponse
    ) throws(MessageSignatureFailure) -> OrderedMembers<StructuredField.Member> {
        guard let text = response.value(forHTTPHeaderField: name) else { return [:] }
        guard let members = StructuredField.orderedDictionary(text) else {
            throw MessageSignatureFailure(.malformedSignature, "The field \(name) of the response is malformed.")
        }
        guard !members.hasRepeatedKeys else {
            throw MessageSignatureFailure(.repeatedName, "A label occurs twice in the field \(name) of the response.")
        }
        return members
    }

    // MARK: The requirements

    private func verify(_ input: SignatureInput, hasContent: Bool) throws(MessageSignatureFailure) {
        let covered = Set(input.components.map(\.withoutForm))
        for component in requiredComponents.map(\.withoutForm) {
            if component.isContentDigest, !hasContent || covered.contains(where: \.isContentDigest) { continue }
            guard covered.contains(component) else {
                throw MessageSignatureFailure(
                    .componentNotCovered,
                    "The signature does not cover the component \(component.description.excerpt)."
                )
            }
        }
        let now = date().timeIntervalSince1970
        let tolerance = clockTolerance.timeInterval
        if let created = try input.integer("created") {
            guard Double(created) <= now + tolerance else {
                throw MessageSignatureFailure(.notYetValid, "The time of the signature's creation is in the future.")
            }
            if let maximumAge, Double(created) + maximumAge.timeInterval + tolerance < now {
                throw MessageSignatureFailure(.tooOld, "The signature is older than \(maximumAge).")
            }
        } else if maximumAge != nil {
            throw MessageSignatureFailure(.missingCreationTime, "The signature has no time of its creation.")
        }
        if let expires = try input.integer("expires"), Double(expires) + tolerance < now {
            throw MessageSignatureFailure(.expired, "The signature has expired.")
        }
    }

    /// Returns the keys with the identifier and the algorithm of a signature.
    private func keys(of input: SignatureInput) throws(MessageSignatureFailure) -> [Key] {
        let id = try input.string("keyid")
        let keys = keys.filter { $0.id == id }
        guard let algorithm = try input.string("alg") else { return keys }
        let suitable = keys.filter { $0.algorithm == algorithm }
        guard !suitable.isEmpty else {
            throw MessageSignatureFailure(.wrongAlgorithm, "The algorithm of the signature is not that of the key.")
        }
        return suitable
    }

    private static func verify(
        _ signature: Data,
        of base: String,
        with keys: [Key]
    ) throws(MessageSignatureFailure) {
        var first: MessageSignatureFailure?
        for key in keys {
            do throws(MessageSignatureFailure) {
                return try key.verify(signature, of: base)
            } catch {
                first = first ?? error
            }
        }
        throw first ?? MessageSignatureFailure(.unknownKey, "No key has the identifier of the signature.")
    }
}

/// The digests of content that a signature covers.
struct SignedDigests {
    private let digests: [(algorithm: ContentHashes.Algorithm, digest: Data)]

    /// Creates the digests of the covered components; nil if there are no components.
    init?(
        covered components: [MessageSignature.Component],
        _ message: SignedMessage,
        _ response: HTTPURLResponse
    ) throws(MessageSignatureFailure) {
        guard !components.isEmpty else { return nil }
        let coding = response.value(forHTTPHeaderField: "Content-Encoding")?.trimmingBlanks ?? ""
        guard coding.isEmpty || coding.hasSameLetters(as: "identity") else {
            throw MessageSignatureFailure(
                .digestUnusable,
                "The digest is one of coded content: the server sent the content coding “\(coding.excerpt)”."
            )
        }
        var digests: [(algorithm: ContentHashes.Algorithm, digest: Data)] = []
        for component in components {
            guard let text = message.written(component), let field = DigestField(text) else {
                throw MessageSignatureFailure(.digestUnusable, "The field Content-Digest of the response is malformed.")
            }
            let keys = component.parameters.compactMap { parameter in
                if case .member(let key) = parameter { key.text } else { nil }
            }
            for (algorithm, digest) in field.known where keys.isEmpty || keys.contains(algorithm.rawValue) {
                digests.append((algorithm, digest))
            }
        }
        guard !digests.isEmpty else {
            throw MessageSignatureFailure(
                .digestUnusable,
                "The signature covers no digest of the content by SHA-256 or SHA-512."
            )
        }
        self.digests = digests
    }

    /// The hashes to compute, of no content yet.
    var hashes: ContentHashes { ContentHashes(Set(digests.map(\.algorithm))) }

    /// Compares the digests with the hashes of the content.
    func verify(_ hashes: ContentHashes) throws(MessageSignatureFailure) {
        for (algorithm, digest) in digests where hashes.finished(algorithm) != digest {
            throw MessageSignatureFailure(
                .digestMismatch,
                "The content does not have the \(algorithm.rawValue) digest that is signed."
            )
        }
    }
}
