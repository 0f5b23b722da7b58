#if canImport(FoundationNetworking)
/// Takes the content of one response out of its codings, piece by piece, as far as its consumer keeps up.
///
/// It belongs to the loop's thread.
final class ContentDecoder {
    /// How much is handed out at a time at most, in bytes.
    static let pieceSize = 1 << 16
    /// Content may expand to this many bytes, whatever its coded size.
    static let harmlessSize: Int64 = 16 << 20
    /// How many codings may be applied one after the other.
    static let codingLimit = 4

    enum Failure: Error, Equatable {
        /// The content is not in the coding.
        case malformed(ContentCoding)
        /// The content ends before its coding does.
        case truncated(ContentCoding)
        /// The content is so many times larger than its coded form, or would be.
        case expands(limit: Int)
    }

    /// The value of Accept-Encoding that names all codings there are libraries for; nil if there is none.
    static let acceptEncoding: String? = {
        let names = ContentCoding.allCases.filter(\.isAvailable).map(\.rawValue)
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }()

    /// In the order in which they are undone.
    private let codings: [ContentCoding]
    private let maximumExpansion: Int
    /// One for each coding; made when there is content.
    private var stages: [DecodingStage] = []
    /// What came in and was not decoded when its consumer stopped.
    private var kept: [UInt8] = []
    private var keptStart = 0
    /// The bytes that came in.
    private(set) var codedBytes: Int64 = 0
    /// The bytes that were handed out.
    private(set) var decodedBytes: Int64 = 0

    /// Nil if there is nothing to be undone, or if it cannot be: then the content is what it is.
    /// - Parameters:
    ///   - contentEncoding: The value of the Content-Encoding field.
    ///   - maximumExpansion: How many times its coded size content may have, as long as it is more than
    ///     ``harmlessSize``.
    init?(contentEncoding: String, maximumExpansion: Int) {
        guard let codings = ContentCoding.list(of: contentEncoding), !codings.isEmpty, codings.count <= Self.codingLimit
        else { return nil }
        self.codings = codings.reversed()
        self.maximumExpansion = maximumExpansion
    }

    /// Whether something can be decoded without further input.
    var hasRest: Bool { keptStart < kept.count || stages.contains(where: \.canGoOn) }

    /// Decodes what was kept and then this, until the consumer stops it; what is not decoded by then is kept.
    /// - Parameters:
    ///   - input: Empty to go on with what was kept.
    ///   - consume: Takes a piece; false stops after it.
    func decode(
        _ input: UnsafeRawBufferPointer,
        _ consume: (UnsafeRawBufferPointer) -> Bool
    ) throws(Failure) {
        guard !input.isEmpty || hasRest else { return }
        codedBytes += Int64(input.count)
        if keptStart == kept.count {
            let rest = try run(input, consume)
            // Copied only if there is any, which is seldom.
            kept = Array(rest)
            keptStart = 0
        } else {
            kept.append(contentsOf: input)
            try decodeKept(consume)
        }
    }

    private func decodeKept(_ consume: (UnsafeRawBufferPointer) -> Bool) throws(Failure) {
        let bytes = kept
        let start = keptStart
        // Array's own method cannot say which error it passes on.
        let left = bytes.withUnsafeBytes { bytes in
            Result { () throws(Failure) in try run(UnsafeRawBufferPointer(rebasing: bytes[start...]), consume).count }
        }
        keptStart = bytes.count - (try left.get())
        guard keptStart == bytes.count else { return }
        kept = []
        keptStart = 0
    }

    /// Checks that the content is complete; all of it must have been decoded.
    func finish() throws(Failure) {
        for (stage, coding) in zip(stages, codings) where !stage.isComplete { throw .truncated(coding) }
    }

    // MARK: Stages

    /// Returns what of the input is left.
    private func run(
        _ input: UnsafeRawBufferPointer,
        _ consume: (UnsafeRawBufferPointer) -> Bool
    ) throws(Failure) -> UnsafeRawBufferPointer {
        try openStages()
        guard let first = stages.first else { return input }
        first.input = input
        defer { first.input = UnsafeRawBufferPointer(start: nil, count: 0) }
        while let piece = try nextPiece(of: stages.count - 1) {
            decodedBytes += Int64(piece.count)
            if !consume(piece) { break }
        }
        return first.input
    }

    private func openStages() throws(Failure) {
        guard stages.isEmpty else { return }
        for coding in codings {
            guard let stage = DecodingStage(coding) else { throw .malformed(coding) }
            stages.append(stage)
        }
    }

    /// The next piece that a stage gives; nil if it, and those before it, need more input.
    private func nextPiece(of index: Int) throws(Failure) -> UnsafeRawBufferPointer? {
        let stage = stages[index]
        while true {
            if stage.canGoOn {
                let piece = try stage.step()
                try checkExpansion(of: stage)
                if !piece.isEmpty { return piece }
            } else {
                guard index > 0, let input = try nextPiece(of: index - 1) else { return nil }
                stage.input = input
            }
        }
    }

    /// Of every stage, for one may expand without end what the next takes without giving anything.
    private func checkExpansion(of stage: DecodingStage) throws(Failure) {
        guard stage.decodedBytes > Self.harmlessSize else { return }
        if stage.decodedBytes / max(1, codedBytes) > Int64(maximumExpansion) { throw .expands(limit: maximumExpansion) }
    }
}
#endif
