internal import HTTPSyntax

extension DigestVerification {
    /// A digest that the caller knows from a source other than the response, such as a list of checksums.
    ///
    ///     let text = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
    ///     let digest = DigestVerification.Digest.sha256(text)
    ///
    /// The text is the hash in hexadecimal digits, of either case, or in base64 with padding (RFC 4648, section 4). It
    /// has no other characters: no prefix, no blanks and no file name. With any other text, the call ends with the
    /// error `digestMismatch` before anything is sent.
    public struct Digest: Sendable, Hashable {
        private enum Value: Sendable, Hashable {
            case hash(Data)
            /// The text of the caller, in UTF-8.
            case malformed(Data)
        }

        let algorithm: ContentHashes.Algorithm
        private let value: Value
        /// The notation of the caller, in which errors show digests.
        private let isBase64: Bool

        private init(_ text: String, _ algorithm: ContentHashes.Algorithm) {
            self.algorithm = algorithm
            let octets = Array(text.utf8)
            isBase64 = octets.count != 2 * algorithm.byteCount
            value = Self.hash(octets, algorithm.byteCount).map { .hash($0) } ?? .malformed(Data(octets))
        }

        /// Creates a SHA-256 digest.
        /// - Parameter text: 64 hexadecimal digits, or 44 characters of base64.
        public static func sha256(_ text: String) -> Self { Self(text, .sha256) }

        /// Creates a SHA-512 digest.
        /// - Parameter text: 128 hexadecimal digits, or 88 characters of base64.
        public static func sha512(_ text: String) -> Self { Self(text, .sha512) }

        /// Reads a hash; nil if the text is not one of that length.
        private static func hash(_ text: [UInt8], _ byteCount: Int) -> Data? {
            guard text.count == 2 * byteCount else {
                // The text is compared with the result, because the decoder ignores the last bits.
                let hash = Data(base64Encoded: Data(text))
                return hash?.count == byteCount && hash?.base64EncodedData() == Data(text) ? hash : nil
            }
            var hash = Data()
            for index in stride(from: 0, to: text.count, by: 2) {
                guard let high = text[index].hexDigitValue, let low = text[index + 1].hexDigitValue else { return nil }
                hash.append(high << 4 | low)
            }
            return hash
        }

        /// The hash; nil if the text is malformed.
        var hash: Data? {
            if case .hash(let hash) = value { hash } else { nil }
        }

        /// The error of a malformed text; nil if the text is a digest.
        var failure: LarkspurError? {
            guard case .malformed(let octets) = value else { return nil }
            let count = algorithm.byteCount
            return LarkspurError(
                .digestMismatch,
                "The expected \(algorithm.rawValue) digest is neither \(2 * count) hexadecimal digits nor "
                    + "\((count + 2) / 3 * 4) characters of base64: “\(String(decoding: octets, as: UTF8.self).excerpt)”."
            )
        }

        /// Returns a hash as text in the notation of this digest.
        func text(of hash: Data) -> String { isBase64 ? hash.base64EncodedString() : hash.hexadecimal }
    }

    /// Returns a verification that compares the content with a digest that the caller knows.
    ///
    ///     let task = manager.download("disk.iso", to: .folder(folder)).verifyDigest(.expecting(.sha256(checksum)))
    ///
    /// The content of each acceptable response must match, whatever its method and status: content of which nothing
    /// came has the digest of empty content. The digests that the server sends are not verified. In contrast to them,
    /// an expected digest is that of the content as the caller gets it: of the whole file of a download, resumed or
    /// not, after the transport has decoded a content coding.
    /// - Parameters:
    ///   - digest: The digest of the content.
    ///   - size: The size of the content in bytes. If the response announces another size, or more bytes arrive, a
    ///     download or a stream ends early. If the size is negative, the call ends with the error `digestMismatch`
    ///     before anything is sent. Default: nil, for any size.
    public static func expecting(_ digest: Digest, size: Int64? = nil) -> Self {
        Self(expecting: ExpectedContent(digest: digest, size: size))
    }

    /// Returns a verification that compares the size of the content with a size that the caller knows, as
    /// ``expecting(_:size:)`` does. The digests that the server sends are verified as with ``ifPresent``.
    /// - Parameter size: The size of the content in bytes.
    public static func expecting(size: Int64) -> Self {
        Self(expecting: ExpectedContent(digest: nil, size: size))
    }
}

/// The properties of the content that the caller expects.
struct ExpectedContent: Sendable, Hashable {
    /// The digest; nil for any digest.
    let digest: DigestVerification.Digest?
    /// The size in bytes; nil for any size.
    let size: Int64?

    /// The error of values that no content can have; nil if there is none.
    var failure: LarkspurError? {
        if let failure = digest?.failure { return failure }
        guard let size, size < 0 else { return nil }
        return LarkspurError(.digestMismatch, "The expected size is negative: \(size) bytes.")
    }

    /// Returns the error of content that can no longer match, although its end has not come; nil if it still can.
    /// - Parameters:
    ///   - received: The number of bytes that have arrived.
    ///   - announced: The size that the response announces; negative if it is unknown.
    func failure(received: Int64, announced: Int64) -> LarkspurError? {
        guard let size else { return nil }
        if announced >= 0, announced != size {
            return LarkspurError(
                .digestMismatch,
                "The response announces \(announced) bytes, but \(size) bytes were expected."
            )
        }
        guard received > size else { return nil }
        return LarkspurError(
            .digestMismatch,
            "The response has more than the expected \(size) bytes: \(received) bytes have arrived."
        )
    }

    /// Compares content that has come to its end.
    /// - Throws: `digestMismatch` or `fileUnreadable`.
    func verify(_ content: DigestVerification.Content) throws(LarkspurError) {
        if let failure { throw failure }
        let found = try content.size()
        var has = ["\(found) bytes"]
        var expected = size.map { ["\($0) bytes"] } ?? []
        var matches = size ?? found == found
        if let digest, let hash = digest.hash {
            let name = digest.algorithm.rawValue
            let foundHash = try content.hashes([digest.algorithm], from: 0).finished(digest.algorithm)
            has.append("the \(name) digest \(foundHash.map(digest.text) ?? "of unknown content")")
            expected.append("the \(name) digest \(digest.text(of: hash))")
            matches = matches && foundHash == hash
        }
        guard !matches else { return }
        let (present, wanted) = (has.joined(separator: " and "), expected.joined(separator: " and "))
        throw LarkspurError(.digestMismatch, "The content has \(present), but should have \(wanted).")
    }
}

extension ContentHashes.Algorithm {
    /// The number of bytes of a hash.
    fileprivate var byteCount: Int {
        switch self {
        case .sha256: 32
        case .sha512: 64
        }
    }
}
