#if canImport(FoundationNetworking)
internal import CCodings
internal import HTTPSyntax

/// A content coding that the engine can decode (RFC 9110, section 8.4.1).
enum ContentCoding: String, CaseIterable {
    case gzip
    case deflate
    case brotli = "br"
    case zstd

    /// Whether the process has a library for the coding.
    var isAvailable: Bool { coding_is_available(kind) }

    var kind: coding_kind {
        switch self {
        case .gzip: coding_gzip
        case .deflate: coding_deflate
        case .brotli: coding_brotli
        case .zstd: coding_zstd
        }
    }

    private init?(name: Substring) {
        let coding = Self.allCases.first { name.hasSameLetters(as: $0.rawValue) }
        // An old name for gzip, which recipients should accept (RFC 9110, section 8.4.1.3).
        guard let coding = coding ?? (name.hasSameLetters(as: "x-gzip") ? .gzip : nil) else { return nil }
        self = coding
    }

    /// Returns the codings that a field names, in the order in which they were applied.
    static func names(in field: String) -> [Substring] {
        field.utf8.split(separator: UInt8(ascii: ",")).map { Substring($0.trimmingBlanks) }
            .filter { !$0.isEmpty && !$0.hasSameLetters(as: "identity") }
    }

    /// Returns the codings with these names; nil if one of them cannot be decoded.
    static func list(_ names: [Substring]) -> [ContentCoding]? {
        var codings: [ContentCoding] = []
        for name in names {
            guard let coding = ContentCoding(name: name), coding.isAvailable else { return nil }
            codings.append(coding)
        }
        return codings
    }
}

/// The format gzip (RFC 1952), for the content of requests.
package enum Gzip {
    /// Compresses data; nil if there is no zlib, or if the data would not become smaller.
    package static func compress(_ data: Data) -> Data? {
        guard data.count > 1 else { return nil }
        var compressed = Data(count: data.count - 1)
        let count = compressed.withUnsafeMutableBytes { output in
            data.withUnsafeBytes { input in
                guard let target = output.bindMemory(to: UInt8.self).baseAddress,
                    let source = input.bindMemory(to: UInt8.self).baseAddress
                else { return 0 }
                return coding_compress(source, input.count, target, output.count)
            }
        }
        return count > 0 ? compressed.prefix(count) : nil
    }
}
#endif
