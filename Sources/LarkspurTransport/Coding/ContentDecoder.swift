#if canImport(FoundationNetworking)
internal import CCodings
internal import HTTPSyntax

/// The decoder of one response's content. It decodes in chunks, as fast as the consumer accepts them.
///
/// libcurl's decoders are not used, for three reasons. Content that ends in the middle of its coding must be an error.
/// The expansion needs a limit. Decoding has to stop when the consumer is too slow.
///
/// The decoder belongs to the loop's thread.
final class ContentDecoder {
    /// The largest size of a decoded chunk, in bytes.
    static let chunkSize = 1 << 16
    /// The size in bytes up to which the expansion is not limited.
    static let harmlessSize: Int64 = 16 << 20
    /// The largest number of codings that a response may have.
    static let codingLimit = 4

    enum Failure: Error, Equatable {
        /// The content does not have the format of the coding.
        case malformed(ContentCoding)
        /// The content needs a larger window than the coding permits.
        case needsLargeWindow(ContentCoding)
        /// The content ends before its coding is complete.
        case truncated(ContentCoding)
        /// The content is more than `limit` times as large as its encoded form.
        case expands(limit: Int)
        /// The content has more than `limit` codings.
        case tooManyCodings(limit: Int)
    }

    /// The value of `Accept-Encoding` with all codings for which there is a library; nil if there is none.
    static let acceptEncoding: String? = {
        let names = ContentCoding.allCases.filter(\.isAvailable).map(\.rawValue)
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }()

    /// The codings, in the order in which they are decoded.
    private let codings: [ContentCoding]
    private let hasTooManyCodings: Bool
    private let maximumExpansion: Int
    /// The stages, one for each coding. They are created when there is content.
    private var stages: [DecodingStage] = []
    /// The remaining input when the consumer stopped.
    private var pending: [UInt8] = []
    private var pendingStart = 0
    /// The number of bytes of input.
    private(set) var codedBytes: Int64 = 0
    /// The number of bytes of output.
    private(set) var decodedBytes: Int64 = 0

    /// Creates a decoder. Returns nil if the content is delivered unchanged, because it has no coding or an unknown
    /// coding. If there are more than ``codingLimit`` codings, known or unknown, the decoder fails at the first
    /// content.
    /// - Parameters:
    ///   - contentEncoding: The value of the `Content-Encoding` field.
    ///   - maximumExpansion: The largest quotient of decoded and encoded size. It applies to content that is larger
    ///     than ``harmlessSize``.
    init?(contentEncoding: String, maximumExpansion: Int) {
        let names = ContentCoding.names(in: contentEncoding)
        hasTooManyCodings = names.count > Self.codingLimit
        guard !names.isEmpty, let codings = hasTooManyCodings ? [] : ContentCoding.list(names) else { return nil }
        self.codings = codings.reversed()
        self.maximumExpansion = maximumExpansion
    }

    /// Whether decoding can continue without further input.
    var hasRest: Bool { pendingStart < pending.count || stages.contains(where: \.canGoOn) }

    /// Decodes the buffered input and then `input`, until the consumer stops. The remaining input is buffered.
    /// - Parameters:
    ///   - input: The next input; empty to continue with the buffered input.
    ///   - consume: Receives a chunk. Returns false to stop after this chunk.
    func decode(
        _ input: UnsafeRawBufferPointer,
        _ consume: (UnsafeRawBufferPointer) -> Bool
    ) throws(Failure) {
        guard !input.isEmpty || hasRest else { return }
        codedBytes += Int64(input.count)
        if pendingStart == pending.count {
            let rest = try run(input, consume)
            // A copy is needed only if input remains, which is rare.
            pending = Array(rest)
            pendingStart = 0
        } else {
            pending.append(contentsOf: input)
            try decodeKept(consume)
        }
    }

    private func decodeKept(_ consume: (UnsafeRawBufferPointer) -> Bool) throws(Failure) {
        let bytes = pending
        let start = pendingStart
        // The array's own method cannot rethrow a typed error.
        let left = bytes.withUnsafeBytes { bytes in
            Result { () throws(Failure) in try run(UnsafeRawBufferPointer(rebasing: bytes[start...]), consume).count }
        }
        pendingStart = bytes.count - (try left.get())
        guard pendingStart == bytes.count else { return }
        pending = []
        pendingStart = 0
    }

    /// Checks that the content is complete. All content has to be decoded before this call. Content without a byte,
    /// such as the content of a HEAD, is complete, because no stages were created for it.
    func finish() throws(Failure) {
        for (stage, coding) in zip(stages, codings) where !stage.isComplete { throw .truncated(coding) }
    }

    // MARK: Stages

    /// Runs the stages, and returns the remaining input.
    private func run(
        _ input: UnsafeRawBufferPointer,
        _ consume: (UnsafeRawBufferPointer) -> Bool
    ) throws(Failure) -> UnsafeRawBufferPointer {
        try openStages()
        guard let first = stages.first else { return input }
        first.input = input
        defer { first.input = UnsafeRawBufferPointer(start: nil, count: 0) }
        while let chunk = try nextChunk(of: stages.count - 1) {
            decodedBytes += Int64(chunk.count)
            if !consume(chunk) { break }
        }
        return first.input
    }

    private func openStages() throws(Failure) {
        guard stages.isEmpty else { return }
        if hasTooManyCodings { throw .tooManyCodings(limit: Self.codingLimit) }
        for coding in codings {
            guard let stage = DecodingStage(coding) else { throw .malformed(coding) }
            stages.append(stage)
        }
    }

    /// Returns the next output of a stage; nil if it needs more input.
    private func nextChunk(of index: Int) throws(Failure) -> UnsafeRawBufferPointer? {
        let stage = stages[index]
        while true {
            if stage.canGoOn {
                let chunk = try stage.step()
                try checkExpansion(of: stage)
                if !chunk.isEmpty { return chunk }
            } else {
                guard index > 0, let input = try nextChunk(of: index - 1) else { return nil }
                stage.input = input
            }
        }
    }

    /// Checks the expansion of each stage. A stage may expand without end, while the next stage consumes its output and
    /// produces nothing.
    private func checkExpansion(of stage: DecodingStage) throws(Failure) {
        guard stage.decodedBytes > Self.harmlessSize else { return }
        if stage.decodedBytes / max(1, codedBytes) > Int64(maximumExpansion) { throw .expands(limit: maximumExpansion) }
    }
}

extension ContentDecoder.Failure {
    var sentence: String {
        switch self {
        case .malformed(let coding):
            "The content is not in the coding that its Content-Encoding field names (\(coding.rawValue))."
        case .needsLargeWindow(let coding):
            "The content needs a window of more than 8 MB, which its content coding does not permit (\(coding.rawValue), RFC 9659)."
        case .truncated(let coding): "The content ends before its content coding does (\(coding.rawValue))."
        case .tooManyCodings(let limit): "The content has more than \(limit) content codings."
        case .expands(let limit): "The content expands to more than \(limit) times its coded size."
        }
    }
}

/// The decoding stage for one coding of a response's content.
final class DecodingStage {
    private let coding: ContentCoding
    private let decoder: OpaquePointer
    private let output: UnsafeMutableRawBufferPointer
    private var isFull = false
    private var status = coding_more
    private(set) var decodedBytes: Int64 = 0
    /// The input to decode next. It is set only after the previous input was decoded, and must remain valid until it is
    /// decoded.
    var input = UnsafeRawBufferPointer(start: nil, count: 0)

    /// Creates a stage. Returns nil if memory has run out.
    init?(_ coding: ContentCoding) {
        guard let decoder = coding_open(coding.kind) else { return nil }
        self.coding = coding
        self.decoder = decoder
        output = .allocate(byteCount: ContentDecoder.chunkSize, alignment: 16)
    }

    deinit {
        coding_close(decoder)
        output.deallocate()
    }

    /// Whether the stage can produce output or consume input.
    var canGoOn: Bool { isFull || !input.isEmpty }

    /// Whether the input may end here. Every coding has at least one byte, so a stage without input is incomplete.
    var isComplete: Bool { status == coding_finished }

    /// Decodes the next chunk. The chunk is valid until the next call.
    func step() throws(ContentDecoder.Failure) -> UnsafeRawBufferPointer {
        guard let room = output.bindMemory(to: UInt8.self).baseAddress else { throw .malformed(coding) }
        var next = input.bindMemory(to: UInt8.self).baseAddress
        var left = input.count
        var count = 0
        status = coding_step(decoder, &next, &left, room, output.count, &count)
        if status == coding_large_window { throw .needsLargeWindow(coding) }
        // A decoder that neither consumes nor produces anything would be called forever.
        let isStuck = count == 0 && left == input.count && !isFull
        guard status != coding_malformed, !isStuck else { throw .malformed(coding) }
        input = UnsafeRawBufferPointer(start: next, count: left)
        isFull = count == output.count && status != coding_finished
        decodedBytes += Int64(count)
        return UnsafeRawBufferPointer(rebasing: output[..<count])
    }
}

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
        // This is an old name for gzip, which recipients should accept (RFC 9110, section 8.4.1.3).
        guard let coding = coding ?? (name.hasSameLetters(as: "x-gzip") ? .gzip : nil) else { return nil }
        self = coding
    }

    /// Returns the codings that a field names, in the order in which they were applied.
    static func names(in field: String) -> [Substring] {
        field.utf8.split(separator: UInt8(ascii: ",")).map { Substring($0.trimmingBlanks) }
            .filter { !$0.isEmpty && !$0.hasSameLetters(as: "identity") }
    }

    /// Returns the codings with these names. Returns nil if one of them cannot be decoded.
    static func list(_ names: [Substring]) -> [ContentCoding]? {
        var codings: [ContentCoding] = []
        for name in names {
            guard let coding = ContentCoding(name: name), coding.isAvailable else { return nil }
            codings.append(coding)
        }
        return codings
    }
}

/// The compression of the content of requests.
package enum ContentCompressor {
    /// Compresses data in the format gzip (RFC 1952). Returns nil if there is no zlib, or if the data would not become
    /// smaller.
    package static func gzip(_ data: Data) -> Data? { compress(data, .gzip) }

    /// Compresses data in the format zstd (RFC 8878). Returns nil if there is no libzstd, or if the data would not
    /// become smaller.
    package static func zstd(_ data: Data) -> Data? { compress(data, .zstd) }

    private static func compress(_ data: Data, _ coding: ContentCoding) -> Data? {
        guard data.count > 1 else { return nil }
        var compressed = Data(count: data.count - 1)
        let count = compressed.withUnsafeMutableBytes { output in
            data.withUnsafeBytes { input in
                guard let target = output.bindMemory(to: UInt8.self).baseAddress,
                    let source = input.bindMemory(to: UInt8.self).baseAddress
                else { return 0 }
                return coding_compress(coding.kind, source, input.count, target, output.count)
            }
        }
        return count > 0 ? compressed.prefix(count) : nil
    }
}
#endif
