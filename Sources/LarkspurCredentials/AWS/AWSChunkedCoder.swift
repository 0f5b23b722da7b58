internal import HTTPSyntax

/// The coding `aws-chunked`, in which each chunk of the content has a signature that depends on the chunk before.
struct AWSChunkedCoder: BodyCoder {
    /// The number of bytes of each chunk but the last. S3 requires at least 8 KiB.
    static let chunkSize = 1 << 16

    private let key: AWSSigningKey
    /// The signature of the last chunk; that of the request before the first chunk.
    private var signature: String
    private var pending = Data()

    /// - Parameters:
    ///   - key: The key of the request.
    ///   - signature: The signature of the request.
    init(_ key: AWSSigningKey, after signature: String) {
        self.key = key
        self.signature = signature
    }

    mutating func code(_ bytes: Data) -> Data {
        var coded = Data()
        var rest = bytes
        while pending.count + rest.count >= Self.chunkSize {
            let part = rest.prefix(Self.chunkSize - pending.count)
            rest = rest.dropFirst(part.count)
            append(pending + part, to: &coded)
            pending.removeAll(keepingCapacity: true)
        }
        pending.append(rest)
        return coded
    }

    mutating func finish() -> Data {
        var coded = Data()
        if !pending.isEmpty { append(pending, to: &coded) }
        append(Data(), to: &coded)
        return coded
    }

    private mutating func append(_ chunk: Data, to coded: inout Data) {
        signature = key.signature(ofChunkWithHash: SHA256.hash(chunk).hexadecimal, after: signature)
        coded.append(contentsOf: "\(Self.head(chunk.count))\(signature)\r\n".utf8)
        coded.append(chunk)
        coded.append(contentsOf: "\r\n".utf8)
    }

    /// Returns the text before the signature of a chunk.
    private static func head(_ count: Int) -> String { "\(String(count, radix: 16));chunk-signature=" }

    /// Returns the number of coded bytes; nil if the number is too large.
    /// - Parameter length: The number of bytes of the content.
    static func length(ofContent length: Int64) -> Int64? {
        func coded(_ count: Int64) -> Int64 { Int64(head(Int(count)).utf8.count) + 64 + 2 + count + 2 }
        let (count, rest) = length.quotientAndRemainder(dividingBy: Int64(chunkSize))
        let (whole, isTooLarge) = count.multipliedReportingOverflow(by: coded(Int64(chunkSize)))
        let (sum, overflows) = whole.addingReportingOverflow((rest > 0 ? coded(rest) : 0) + coded(0))
        return isTooLarge || overflows ? nil : sum
    }
}
