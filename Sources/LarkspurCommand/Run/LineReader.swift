import Larkspur
import Synchronization

/// The lines of the standard input. Each line is read when it is requested. The reading is done on a separate queue, so
/// that no other work waits for it.
final class LineReader: Sendable {
    fileprivate struct State {
        var bytes: [UInt8] = []
        /// The position of the first byte that was not returned.
        var start = 0
        var isAtEnd = false
    }

    private let input: StandardInput
    private let queue = DispatchQueue(label: "larkspur.input")
    private let state = Mutex(State())

    init(_ input: StandardInput) { self.input = input }

    /// Returns the next line without its line feed; nil at the end of the input, or if the input cannot be read.
    func next() async -> Data? {
        await withCheckedContinuation { continuation in
            queue.async { [self] in continuation.resume(returning: read()) }
        }
    }

    private func read() -> Data? {
        // The number of bytes that are known to have no line feed. They are not searched again.
        var searched = 0
        while true {
            let line = state.withLock { $0.takeLine(searched: searched) }
            if let line { return line }
            searched = state.withLock { $0.bytes.count - $0.start }
            // Only this queue changes the state, so the lock is not held during the wait for input.
            let chunk = (try? input.read()) ?? nil
            state.withLock { $0.append(chunk) }
        }
    }
}

extension LineReader.State {
    /// Takes a line out of the buffer. The outer optional is nil if no line is complete. The inner optional is nil at
    /// the end of the input.
    fileprivate mutating func takeLine(searched: Int) -> Data?? {
        if let end = bytes[(start + searched)...].firstIndex(of: UInt8(ascii: "\n")) {
            defer { start = end + 1 }
            return .some(Data(bytes[start..<end]))
        }
        guard isAtEnd else { return nil }
        defer { start = bytes.count }
        return .some(start == bytes.count ? nil : Data(bytes[start...]))
    }

    fileprivate mutating func append(_ chunk: Data?) {
        guard let chunk else {
            isAtEnd = true
            return
        }
        if start > 0 {
            bytes.removeFirst(start)
            start = 0
        }
        bytes.append(contentsOf: chunk)
    }
}
