#if canImport(FoundationNetworking)
internal import CCodings

/// The format gzip (RFC 1952), for the content of requests.
package enum Gzip {
    /// Compresses data; nil without zlib, and if the data would not become smaller.
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
