#if !canImport(FoundationNetworking)
extension Platform {
    /// Creates one end of a pair of bound streams. A thread writes to the other end. Subclasses of `InputStream` cannot
    /// be used, because Apple's URL loading reads only Foundation's streams. This code is for Apple platforms, and is
    /// not tested there.
    static func makeBoundStream(
        onFailure: @escaping @Sendable (LarkspurError) -> Void,
        makeReader: @escaping @Sendable () throws(LarkspurError) -> any BlockingReader
    ) -> InputStream {
        var input: InputStream?
        var output: OutputStream?
        Stream.getBoundStreams(
            withBufferSize: MultipartReader.chunkSize,
            inputStream: &input,
            outputStream: &output
        )
        guard let input, let output else { return InputStream(data: Data()) }
        let writer = ContentStreamWriter(output)
        Thread.detachNewThread { writer.write(makeReader, onFailure: onFailure) }
        return input
    }
}

/// A writer that sends content to one end of a pair of streams, on a separate thread. It closes the stream at the end
/// of the content. If the content cannot be read, it closes the stream early. The stream is then shorter than the
/// announced length.
private struct ContentStreamWriter: @unchecked Sendable {
    // Safe: the stream is passed to the writing thread, and from then on only that thread uses the stream.
    private let output: OutputStream

    init(_ output: OutputStream) { self.output = output }

    func write(
        _ makeReader: () throws(LarkspurError) -> any BlockingReader,
        onFailure: (LarkspurError) -> Void
    ) {
        output.open()
        defer { output.close() }
        var buffer = [UInt8](repeating: 0, count: MultipartReader.chunkSize)
        do throws(LarkspurError) {
            let reader = try makeReader()
            while true {
                let count = try read(reader, &buffer)
                guard count > 0, send(buffer[..<count]) else { return }
            }
        } catch {
            onFailure(error)
        }
    }

    private func read(_ reader: any BlockingReader, _ buffer: inout [UInt8]) throws(LarkspurError) -> Int {
        try buffer.withUnsafeMutableBytes { bytes throws(LarkspurError) in try reader.read(into: bytes) }
    }

    private func send(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBufferPointer { pointer in
                pointer.baseAddress.map { output.write($0, maxLength: pointer.count) } ?? 0
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
#endif
