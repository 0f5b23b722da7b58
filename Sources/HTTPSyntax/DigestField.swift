package import Foundation

/// The value of a `Repr-Digest` or `Content-Digest` field (RFC 9530): digests by the keys of their algorithms.
///
/// The value is a dictionary of byte sequences (RFC 9651, section 3.2).
package struct DigestField: Equatable, Sendable {
    /// The digests by the keys of their algorithms. If a key occurs twice, the last digest counts.
    package let digests: [TextKey: Data]

    /// Reads a value, or the values of several fields joined by commas; nil if it is malformed.
    package init?(_ text: String) {
        guard let members = StructuredField.dictionary(text) else { return nil }
        var digests: [TextKey: Data] = [:]
        for (key, member) in members {
            guard case .bytes(let digest) = member.item?.value else { return nil }
            digests[key] = digest
        }
        self.digests = digests
    }

    /// The digests of the algorithms that are known and secure.
    package var known: [ContentHashes.Algorithm: Data] {
        Dictionary(
            uniqueKeysWithValues: ContentHashes.Algorithm.allCases.compactMap { algorithm in
                digests[algorithm.rawValue].map { (algorithm, $0) }
            }
        )
    }
}

/// The hashes of content that arrives in parts, by the algorithms of RFC 9530 that are secure.
package struct ContentHashes: Sendable {
    /// An algorithm, with its key in the fields of RFC 9530.
    package enum Algorithm: String, CaseIterable, Sendable {
        case sha256 = "sha-256"
        case sha512 = "sha-512"
    }

    private var sha256: SHA256?
    private var sha512: SHA512?

    package init(_ algorithms: Set<Algorithm>) {
        if algorithms.contains(.sha256) { sha256 = SHA256() }
        if algorithms.contains(.sha512) { sha512 = SHA512() }
    }

    /// Adds the next part of the content.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        sha256?.update(bytes)
        sha512?.update(bytes)
    }

    /// Adds the next part of the content.
    package mutating func update(_ data: Data) { data.withUnsafeBytes { update($0) } }

    /// Returns the hash by an algorithm; nil if the hash by this algorithm is not computed.
    package func finished(_ algorithm: Algorithm) -> Data? {
        switch algorithm {
        case .sha256: sha256.map { Data($0.finished()) }
        case .sha512: sha512.map { Data($0.finished()) }
        }
    }
}
