#if canImport(FoundationNetworking)
internal import CCodings

/// The decoding of one coding of a response's content.
final class DecodingStage {
    private let coding: ContentCoding
    private let decoder: OpaquePointer
    private let output: UnsafeMutableRawBufferPointer
    private var isFull = false
    private var status = coding_more
    private(set) var decodedBytes: Int64 = 0
    /// The input to decode next. It is set only when the previous input is used up, and must stay valid until it is
    /// decoded.
    var input = UnsafeRawBufferPointer(start: nil, count: 0)

    /// Creates a stage; nil if memory has run out.
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

    /// Whether the input may end here. No coding has an empty form, so a stage that has got no input is incomplete.
    var isComplete: Bool { status == coding_finished }

    /// Decodes the next chunk. It is valid until the next call.
    func step() throws(ContentDecoder.Failure) -> UnsafeRawBufferPointer {
        guard let room = output.bindMemory(to: UInt8.self).baseAddress else { throw .malformed(coding) }
        var next = input.bindMemory(to: UInt8.self).baseAddress
        var left = input.count
        var count = 0
        status = coding_step(decoder, &next, &left, room, output.count, &count)
        if status == coding_large_window { throw .needsLargeWindow(coding) }
        // A decoder that neither consumes nor produces anything would be called for ever.
        let isStuck = count == 0 && left == input.count && !isFull
        guard status != coding_malformed, !isStuck else { throw .malformed(coding) }
        input = UnsafeRawBufferPointer(start: next, count: left)
        isFull = count == output.count && status != coding_finished
        decodedBytes += Int64(count)
        return UnsafeRawBufferPointer(rebasing: output[..<count])
    }
}
#endif
