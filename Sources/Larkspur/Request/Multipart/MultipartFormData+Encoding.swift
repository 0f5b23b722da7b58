extension MultipartFormData {
    /// Creates a stream that delivers the body, unopened. The stream opens each file when it reaches that file.
    ///
    /// On Linux the stream reports its errors by `streamError`, which is a ``LarkspurError``.
    public func makeInputStream() -> InputStream { Platform.makeMultipartStream(of: self) { _ in } }

    /// Returns the whole body in memory, for small forms and for tests.
    /// - Throws: ``LarkspurError`` with the code `bodyUnreadable`.
    public func data() throws(LarkspurError) -> Data {
        var data = Data()
        try forEachPiece { piece throws(LarkspurError) in data.append(contentsOf: piece) }
        return data
    }

    /// Writes the body to a file, for an upload of that file.
    ///
    /// The file gets its name, and replaces an existing file, when it is complete. ``bytesPerSecond`` has no effect
    /// here.
    /// - Parameter file: The file to write, as a `file:` URL. Its folder must exist.
    /// - Throws: ``LarkspurError``: `bodyUnreadable`, `fileUnwritable`.
    public func write(to file: URL) throws(LarkspurError) {
        guard file.isFileURL else {
            throw LarkspurError(.fileUnwritable, "A form is written to a file: URL.", failingURL: file)
        }
        let target = try MultipartTarget(file)
        try forEachPiece { piece throws(LarkspurError) in try target.write(piece) }
        try target.finish()
    }

    private func forEachPiece(
        _ body: (UnsafeRawBufferPointer) throws(LarkspurError) -> Void
    ) throws(LarkspurError) {
        var form = self
        form.bytesPerSecond = nil
        let reader = MultipartReader(form)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: MultipartReader.pieceSize, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = try reader.read(into: buffer)
            guard count > 0 else { return }
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }
}
