internal import Foundation

/// The length and a hash of a file's content. It detects changes within one process, without storing the content, which
/// may be large.
struct FileFingerprint: Equatable, Sendable {
    private static let chunkSize = 1 << 20

    private var length = 0
    private var hasher = Hasher()

    init() {}

    init(_ content: Data) {
        add(content)
    }

    /// Reads a file in chunks; nil if there is no file.
    init?(of file: URL) throws {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        let handle = try FileHandle(forReadingFrom: file)
        while let chunk = try handle.read(upToCount: Self.chunkSize), !chunk.isEmpty { add(chunk) }
        try handle.close()
    }

    /// Adds the next bytes of the content. The hash does not depend on where the content is divided.
    mutating func add(_ bytes: some ContiguousBytes) {
        bytes.withUnsafeBytes { bytes in
            length += bytes.count
            hasher.combine(bytes: bytes)
        }
    }

    static func == (left: Self, right: Self) -> Bool {
        left.length == right.length && left.hasher.finalize() == right.hasher.finalize()
    }
}
