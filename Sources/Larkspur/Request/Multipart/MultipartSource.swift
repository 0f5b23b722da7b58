/// Where bytes of a form come from: exactly as many as were announced, or an error.
protocol MultipartSource: AnyObject {
    /// Whether reading more may take as long as somebody else likes.
    var mayHaveToBeWaitedFor: Bool { get }

    /// Reads into a buffer that is not empty; returns 0 at the end only.
    /// - Throws: `bodyUnreadable`.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(LarkspurError) -> Int
}

/// Bytes in memory.
final class MultipartDataSource: MultipartSource {
    private var rest: Data

    init(_ data: Data) { rest = data }

    var mayHaveToBeWaitedFor: Bool { false }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, rest.count)
        rest.prefix(count).withUnsafeBytes { buffer.copyMemory(from: $0) }
        rest = rest.dropFirst(count)
        return count
    }
}
