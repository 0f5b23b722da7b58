#if canImport(FoundationNetworking)
/// The source from which libcurl reads content in chunks, on the loop's thread.
protocol BodyReader: AnyObject {
    /// The length in bytes; nil if it is not known in advance.
    var length: Int64? { get }

    /// The number of bytes that were read, from the beginning of the content.
    var position: Int64 { get }

    /// The error that prevents the reader from continuing; nil if there is none.
    var failure: URLError? { get }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> EasyHandle.Provision

    /// Moves to an offset, because content has to be sent again. Returns false if that is not possible.
    func seek(to offset: Int64) -> Bool
}

/// Content in memory.
final class DataReader: BodyReader {
    private let data: Data
    private var offset = 0

    init(_ data: Data) { self.data = data }

    var length: Int64? { Int64(data.count) }
    var position: Int64 { Int64(offset) }
    var failure: URLError? { nil }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> EasyHandle.Provision {
        let count = min(buffer.count, data.count - offset)
        let start = data.startIndex + offset
        data[start..<start + count].withUnsafeBytes { buffer.copyMemory(from: $0) }
        offset += count
        return .bytes(count)
    }

    func seek(to offset: Int64) -> Bool {
        guard offset >= 0, offset <= Int64(data.count) else { return false }
        self.offset = Int(offset)
        return true
    }
}
#endif
