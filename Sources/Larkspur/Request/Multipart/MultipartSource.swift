/// A source of bytes of a form. It delivers exactly the announced number of bytes, or fails.
protocol MultipartSource: AnyObject {
    /// Whether a read may block for an indefinite time.
    var mayHaveToBeWaitedFor: Bool { get }

    /// Reads into a buffer that is not empty. Returns 0 only at the end.
    /// - Throws: `bodyUnreadable`.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(LarkspurError) -> Int
}

/// A source of bytes in memory.
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
