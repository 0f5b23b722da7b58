internal import HTTPSyntax

/// The verification of the content of a response: of the digests that a server sends with it (RFC 9530), or of a digest
/// and a size that the caller expects.
///
///     let file = try await manager.download("disk.iso", to: .folder(downloads)).verifyDigest(.required).file
///
/// If the content does not match, the call ends with the error `digestMismatch`. No interceptor repeats the request, a
/// downloaded file is removed before it reaches its destination, and no resume data of it remains.
///
/// A digest is the hash of the content by SHA-256 or SHA-512. The caller passes the expected digest to
/// ``expecting(_:size:)``. All that follows is about the digests that a server sends.
///
/// A server sends a digest in the field `Repr-Digest` or `Content-Digest`, in the header section or in the trailer
/// section. Other algorithms are ignored, because they are unknown or not secure. Such a digest shows that the content
/// was not changed by accident on its way. It does not show who has made the content.
///
/// Such a digest covers the content as it was sent. So the call asks for content without a content coding, unless the
/// caller has set `Accept-Encoding`. If a response has a content coding anyway, its digests are not verified. For a
/// partial response (206), only `Content-Digest` is verified, unless the download was resumed and is complete now. A
/// response without content (to HEAD, or with the status 204 or 304) is not verified, nor is a response that is not
/// acceptable.
///
/// Interceptors must not change content that is verified, because the verification comes after the interceptors.
public struct DigestVerification: Sendable, Hashable {
    private enum Kind: Sendable, Hashable {
        case ifPresent
        case required
        // Indirect, because the options of every call have room for a verification, and most have none.
        indirect case expecting(ExpectedContent)
    }

    private let kind: Kind

    private init(_ kind: Kind) { self.kind = kind }

    /// The digests are verified if there are any. If the content does not have one of them, or a field is malformed,
    /// the call ends with the error `digestMismatch`.
    public static let ifPresent = Self(.ifPresent)

    /// The response must have a digest by a known algorithm. Otherwise the call ends with the error `digestMissing`.
    /// The digest is verified as with ``ifPresent``. If the response has a content coding, the error is `unsupported`.
    public static let required = Self(.required)

    init(expecting content: ExpectedContent) { kind = .expecting(content) }

    /// Whether the response must have a digest.
    var isRequired: Bool {
        if case .required = kind { true } else { false }
    }

    /// The properties of the content that the caller expects; nil if only the digests that the server sends count.
    var expected: ExpectedContent? {
        if case .expecting(let content) = kind { content } else { nil }
    }
}

extension DigestVerification {
    /// Content to verify.
    enum Content {
        case data(Data)
        case file(URL)
        /// Content that was streamed.
        case hashed(ContentHashes, count: Int64)
    }

    /// A field with digests.
    private struct Field {
        let name: String
        let digests: [ContentHashes.Algorithm: Data]
        /// The offset, in the content or in the file, of the first byte that the digests cover.
        let offset: Int64
    }

    private static let algorithms = Set(ContentHashes.Algorithm.allCases)

    /// Returns the hashes to compute of content that is streamed; nil if none can be verified.
    ///
    /// If the header section has no digest, the trailers may have one, by either algorithm.
    func hashes(for response: URLResponse) -> ContentHashes? {
        if expected?.digest != nil { return hashesOfNothing }
        guard let response = response as? HTTPURLResponse, response.contentCoding == nil else { return nil }
        let content = Content.hashed(ContentHashes([]), count: 0)
        let fields = (try? Self.fields(of: response, nil, for: content)) ?? []
        let announced = fields.flatMap(\.digests.keys)
        return ContentHashes(announced.isEmpty ? Self.algorithms : Set(announced))
    }

    /// The hashes of a stream that has delivered nothing, by the algorithm of the expected digest.
    var hashesOfNothing: ContentHashes { ContentHashes(expected?.digest.map { [$0.algorithm] } ?? []) }

    /// Verifies content.
    /// - Parameters:
    ///   - content: The content.
    ///   - response: The response, whose header fields may have digests; nil if it is not one of HTTP.
    ///   - trailers: The trailers, which may have digests; nil if there are none.
    ///   - method: The method of the request.
    /// - Throws: `digestMismatch`, `digestMissing`, `unsupported`, or `fileUnreadable`.
    func verify(
        _ content: Content,
        of response: HTTPURLResponse?,
        _ trailers: HTTPHeaders?,
        method: String?
    ) throws(LarkspurError) {
        if let expected {
            try expected.verify(content)
            // The digest of the caller is the stronger one, and that of the server may be of coded content.
            if expected.digest != nil { return }
        }
        guard let response, method != "HEAD", response.statusCode != 204, response.statusCode != 304 else { return }
        if let coding = response.contentCoding {
            guard isRequired else { return }
            throw LarkspurError(
                .unsupported,
                "The digest cannot be verified, because it is of the coded content: "
                    + "the server sent the content coding “\(coding.excerpt)”."
            )
        }
        let fields = try Self.fields(of: response, trailers, for: content)
        var hasVerified = false
        for offset in Set(fields.map(\.offset)) {
            let own = fields.filter { $0.offset == offset }
            let hashes = try content.hashes(Set(own.flatMap(\.digests.keys)), from: offset)
            for field in own {
                for (algorithm, digest) in field.digests {
                    // The hash is missing if the content was streamed and the header section names only other
                    // algorithms.
                    guard let hash = hashes.finished(algorithm) else { continue }
                    guard hash == digest else {
                        let name = "\(algorithm.rawValue) digest of the response's \(field.name)"
                        throw LarkspurError(.digestMismatch, "The content does not have the \(name).")
                    }
                    hasVerified = true
                }
            }
        }
        guard hasVerified || !isRequired else {
            throw LarkspurError(.digestMissing, "The response has no digest of its content by SHA-256 or SHA-512.")
        }
    }

    /// Returns the fields with digests of the content.
    /// - Throws: `digestMismatch`, if a field is malformed.
    private static func fields(
        of response: HTTPURLResponse,
        _ trailers: HTTPHeaders?,
        for content: Content
    ) throws(LarkspurError) -> [Field] {
        let part = response.statusCode == 206 ? Part(of: response, in: content) : nil
        var fields: [Field] = []
        for name in ["Content-Digest", "Repr-Digest"] {
            let isContent = name == "Content-Digest"
            // The digest of a representation cannot verify a part of the representation.
            if !isContent, part?.completesFile == false { continue }
            for value in [response.value(forHTTPHeaderField: name), trailers?[name]] {
                guard let value else { continue }
                guard let field = DigestField(value) else {
                    throw LarkspurError(.digestMismatch, "The response's \(name) is malformed: “\(value.excerpt)”.")
                }
                fields.append(Field(name: name, digests: field.known, offset: isContent ? part?.offset ?? 0 : 0))
            }
        }
        return fields
    }
}

/// The content of a partial response, and its place in the file of a download.
private struct Part {
    /// The offset of the content in the file; 0 if the file has only this content, or if there is no file.
    var offset: Int64 = 0
    /// Whether the content completes the file of a download that was resumed.
    var completesFile = false

    init(of response: HTTPURLResponse, in content: DigestVerification.Content) {
        guard case .file(let file) = content, let range = response.value(forHTTPHeaderField: "Content-Range"),
            case .part(let first, let last, let total) = ContentRange(range), first > 0, last < .max,
            let size = try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize, Int64(size) == last + 1
        else { return }
        offset = first
        completesFile = total == last + 1
    }
}

extension DigestVerification.Content {
    /// The number of bytes of a file that are read at a time.
    private static let chunkSize = 1 << 20

    /// Returns the size of the content in bytes.
    /// - Throws: `fileUnreadable`.
    func size() throws(LarkspurError) -> Int64 {
        switch self {
        case .data(let data): return Int64(data.count)
        case .hashed(_, let count): return count
        case .file(let file):
            do {
                let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
                if let size = attributes[.size] as? NSNumber { return size.int64Value }
            } catch {
                throw Self.unreadable(error)
            }
            throw Self.unreadable(nil)
        }
    }

    private static func unreadable(_ error: (any Error)?) -> LarkspurError {
        LarkspurError(.fileUnreadable, "The downloaded file could not be read to verify it.", underlyingError: error)
    }

    /// Returns the hashes of the content, beginning at an offset.
    /// - Throws: `fileUnreadable`.
    func hashes(
        _ algorithms: Set<ContentHashes.Algorithm>,
        from offset: Int64
    ) throws(LarkspurError) -> ContentHashes {
        if case .hashed(let known, _) = self { return known }
        return try added(to: ContentHashes(algorithms), from: offset)
    }

    /// Returns hashes to which the content is added, beginning at an offset. Content that was streamed adds nothing.
    /// - Throws: `fileUnreadable`.
    func added(to hashes: ContentHashes, from offset: Int64 = 0) throws(LarkspurError) -> ContentHashes {
        var hashes = hashes
        switch self {
        case .hashed: break
        case .data(let data): hashes.update(data)
        case .file(let file):
            do {
                let handle = try FileHandle(forReadingFrom: file)
                defer { try? handle.close() }
                try handle.seek(toOffset: UInt64(offset))
                while let chunk = try handle.read(upToCount: Self.chunkSize), !chunk.isEmpty { hashes.update(chunk) }
            } catch {
                throw Self.unreadable(error)
            }
        }
        return hashes
    }
}

extension HTTPURLResponse {
    /// The content coding of the content; nil if there is none.
    fileprivate var contentCoding: String? {
        let coding = value(forHTTPHeaderField: "Content-Encoding")?.trimmingBlanks ?? ""
        return coding.isEmpty || coding.hasSameLetters(as: "identity") ? nil : coding
    }
}
