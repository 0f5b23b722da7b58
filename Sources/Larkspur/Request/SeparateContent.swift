internal import HTTPSyntax
import Synchronization

/// The content of a call that its task gets separately from the request: a file, a stream, or produced content.
package struct SeparateContent: Sendable {
    enum Source: Sendable {
        case file(URL)
        case section(FileSection)
        case stream(length: Int64?, @Sendable () -> InputStream?)
        case produced(BodyProducer)
        /// A stream that only the task can read, or the content of a resumable upload.
        case inaccessible
    }

    let source: Source

    /// The number of bytes that are read or written at once.
    private static let chunkSize = 1 << 16

    /// Whether the content can be coded: it is accessible to others than the task.
    package var canBeCoded: Bool { if case .inaccessible = source { false } else { true } }

    /// Returns the number of bytes; nil if it is not known.
    /// - Throws: `fileUnreadable`.
    package func length() throws(LarkspurError) -> Int64? {
        switch source {
        case .file(let file): try FileSection.state(of: file).size
        case .section(let section): section.count
        case .stream(let length, _): length
        case .produced(let producer): producer.length
        case .inaccessible: nil
        }
    }

    /// Returns the SHA-256 of a file or a section of a file; nil for other content. The file is read in chunks, on
    /// another thread.
    /// - Throws: `fileUnreadable`, `bodyUnreadable`, or a `CancellationError`.
    package func sha256() async throws -> [UInt8]? {
        guard let section = try section() else { return nil }
        let isCancelled = Flag()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async {
                    continuation.resume(with: Result { try Self.sha256(of: section, isCancelled) })
                }
            }
        } onCancel: {
            isCancelled.value.store(true, ordering: .relaxed)
        }
    }

    private final class Flag: Sendable {
        let value = Atomic(false)
    }

    private static func sha256(of section: FileSection, _ isCancelled: Flag) throws -> [UInt8] {
        let reader = try FileSectionReader(section)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunkSize, alignment: 1)
        defer { buffer.deallocate() }
        var hash = SHA256()
        while true {
            if isCancelled.value.load(ordering: .relaxed) { throw CancellationError() }
            let count = try reader.read(into: buffer)
            guard count > 0 else { return hash.finished() }
            hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Returns the file, or the section of a file, in its present state; nil for other content.
    private func section() throws(LarkspurError) -> FileSection? {
        switch source {
        case .file(let file):
            let state = try FileSection.state(of: file)
            return FileSection(file: file, state: state, offset: 0, count: state.size)
        case .section(let section): return section
        case .stream, .produced, .inaccessible: return nil
        }
    }

    /// Returns the producer of the coded content.
    /// - Throws: `fileUnreadable`, or `unsupported` if the content cannot be coded.
    func producer(of coding: BodyCoding) throws(LarkspurError) -> BodyProducer {
        switch source {
        case .file, .section:
            guard let section = try section() else { break }
            let length = section.count
            return BodyProducer(length: length, repetition: .fromBeginning) { writer, _ in
                try await Self.write(
                    { () throws(LarkspurError) -> any BlockingReader in try FileSectionReader(section) },
                    to: writer
                )
            }.coded(by: coding)
        case .stream(let length, let makeStream):
            return BodyProducer(length: length, repetition: .fromBeginning) { writer, _ in
                try await Self.write(
                    { () throws(LarkspurError) -> any BlockingReader in try StreamBodyReader(makeStream) },
                    to: writer
                )
            }.coded(by: coding)
        case .produced(let producer): return producer.coded(by: coding)
        case .inaccessible: break
        }
        throw LarkspurError(.unsupported, "The content of the request can be read only by its task.")
    }

    private typealias MakeReader = @Sendable () throws(LarkspurError) -> sending any BlockingReader

    /// Writes the bytes of a reader. They are read on another thread, because reading may block.
    private static func write(_ makeReader: @escaping MakeReader, to writer: BodyWriter) async throws {
        let queue = DispatchQueue(label: "larkspur.coded-content")
        let reading = Reading(makeReader)
        while true {
            let chunk = try await withCheckedThrowingContinuation { continuation in
                queue.async { continuation.resume(with: Result { try reading.next(chunkSize) }) }
            }
            guard !chunk.isEmpty else { return }
            try await writer.write(chunk)
        }
    }

    /// A reader that several threads use, one after the other.
    private final class Reading: Sendable {
        private let makeReader: MakeReader
        private let reader = Mutex<(any BlockingReader)?>(nil)

        init(_ makeReader: @escaping MakeReader) { self.makeReader = makeReader }

        func next(_ size: Int) throws -> Data {
            try reader.withLock { reader in
                if reader == nil { reader = try makeReader() }
                let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
                defer { buffer.deallocate() }
                let count = try reader?.read(into: buffer) ?? 0
                return Data(buffer[..<count])
            }
        }
    }
}

/// A reader of the stream of a request's content.
private final class StreamBodyReader: BlockingReader {
    private let stream: InputStream

    init(_ makeStream: () -> InputStream?) throws(LarkspurError) {
        guard let stream = makeStream() else {
            throw LarkspurError(.bodyUnreadable, "There is no stream for the content of the request.")
        }
        self.stream = stream
    }

    deinit { stream.close() }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(LarkspurError) -> Int {
        if stream.streamStatus == .notOpen { stream.open() }
        let count = stream.read(into: buffer)
        // The stream may be of a subclass that the caller has written, and may return any number.
        guard (0...buffer.count).contains(count), stream.streamStatus != .error else {
            throw LarkspurError(
                .bodyUnreadable,
                "The stream of the request's content could not be read.",
                underlyingError: stream.streamError
            )
        }
        return count
    }
}

extension BodyProducer {
    /// Returns the producer of the coded content. It counts as a production of this producer.
    fileprivate func coded(by coding: BodyCoding) -> BodyProducer {
        BodyProducer(length: coding.length, repetition: repetition) { writer, _ in
            try await self.produce(to: writer.coded(by: coding.makeCoder()))
        }
    }
}
