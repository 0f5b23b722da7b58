package import Foundation

/// The value of a `Repr-Digest` or `Content-Digest` field (RFC 9530): digests by the keys of their algorithms.
///
/// The value is a dictionary of byte sequences (RFC 8941, section 3.2).
package struct DigestField: Equatable, Sendable {
    /// The digests by the keys of their algorithms. If a key occurs twice, the last digest counts.
    package let digests: [TextKey: Data]

    /// Reads a value, or the values of several fields joined by commas; nil if it is malformed.
    package init?(_ text: String) {
        var reader = Reader(rest: Array(text.utf8)[...])
        var digests: [TextKey: Data] = [:]
        reader.skip(.space)
        while !reader.rest.isEmpty {
            guard let key = reader.cutKey(), reader.cut(UInt8(ascii: "=")), let digest = reader.cutByteSequence(),
                reader.skipParameters()
            else { return nil }
            digests[key] = digest
            reader.skipBlanks()
            if reader.rest.isEmpty { break }
            guard reader.cut(UInt8(ascii: ",")) else { return nil }
            reader.skipBlanks()
            // A comma at the end is not allowed.
            if reader.rest.isEmpty { return nil }
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

/// A reader of the parts of a structured field (RFC 8941, section 4.2).
private struct Reader {
    var rest: ArraySlice<UInt8>

    mutating func skipBlanks() { rest = rest.drop(while: \.isBlank) }

    mutating func skip(_ byte: UInt8) { rest = rest.drop { $0 == byte } }

    mutating func cut(_ byte: UInt8) -> Bool {
        guard rest.first == byte else { return false }
        rest.removeFirst()
        return true
    }

    /// Removes and returns the bytes up to the first one that does not match.
    private mutating func cutPrefix(while matches: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let prefix = rest.prefix(while: matches)
        rest = rest[prefix.endIndex...]
        return prefix
    }

    mutating func cutKey() -> String? {
        guard let first = rest.first, first.isLowercaseLetter || first == UInt8(ascii: "*") else { return nil }
        let key = cutPrefix { $0.isLowercaseLetter || $0.isDigit || "_-.*".utf8.contains($0) }
        return String(decoding: key, as: UTF8.self)
    }

    /// Removes a byte sequence, which is Base64 between colons, and returns its bytes. Missing padding is accepted, as
    /// RFC 8941 (section 4.2.7) recommends.
    mutating func cutByteSequence() -> Data? {
        let colon = UInt8(ascii: ":")
        guard cut(colon) else { return nil }
        let digits = cutPrefix(while: \.isBase64Digit)
        let padding = cutPrefix { $0 == UInt8(ascii: "=") }
        let missing = (4 - digits.count % 4) % 4
        guard cut(colon), missing < 3, padding.isEmpty || padding.count == missing else { return nil }
        return Data(base64Encoded: Data(digits + Array(repeating: UInt8(ascii: "="), count: missing)))
    }

    /// Removes the parameters of an item. Returns false if they are malformed.
    mutating func skipParameters() -> Bool {
        while cut(UInt8(ascii: ";")) {
            skip(.space)
            guard cutKey() != nil else { return false }
            if cut(UInt8(ascii: "=")), !skipBareItem() { return false }
        }
        return true
    }

    private mutating func skipBareItem() -> Bool {
        guard let first = rest.first else { return false }
        switch first {
        case UInt8(ascii: ":"): return cutByteSequence() != nil
        case UInt8(ascii: "\""): return skipString()
        case UInt8(ascii: "?"):
            rest.removeFirst()
            return cut(UInt8(ascii: "0")) || cut(UInt8(ascii: "1"))
        case UInt8(ascii: "-"),
            _ where first.isDigit:
            return skipNumber()
        case UInt8(ascii: "*"),
            _ where first.isLetter:
            _ = cutPrefix { $0.isToken || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }
            return true
        default: return false
        }
    }

    /// Removes an integer of at most 15 digits, or a decimal number with at most 12 and 3 digits.
    private mutating func skipNumber() -> Bool {
        _ = cut(UInt8(ascii: "-"))
        let count = cutPrefix(while: \.isDigit).count
        guard cut(UInt8(ascii: ".")) else { return (1...15).contains(count) }
        return (1...12).contains(count) && (1...3).contains(cutPrefix(while: \.isDigit).count)
    }

    private mutating func skipString() -> Bool {
        rest.removeFirst()
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return true
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst(), escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\")
                else { return false }
            default: guard (0x20...0x7E).contains(byte) else { return false }
            }
        }
        return false
    }
}

extension UInt8 {
    fileprivate var isLowercaseLetter: Bool { self &- 0x61 < 26 }

    fileprivate var isBase64Digit: Bool { isLetter || isDigit || "+/".utf8.contains(self) }
}
