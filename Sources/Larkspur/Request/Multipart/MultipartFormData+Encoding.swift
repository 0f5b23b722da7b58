extension MultipartFormData {
    /// Makes a stream that delivers the body, unopened; files are opened when it comes to them.
    ///
    /// On Linux the stream reports what goes wrong by `streamError`, which is a ``LarkspurError``.
    public func makeInputStream() -> InputStream { Platform.makeMultipartStream(of: self) { _ in } }

    /// The whole body in memory: for small forms and tests.
    /// - Throws: ``LarkspurError`` with the code `bodyUnreadable`.
    public func data() throws(LarkspurError) -> Data {
        var data = Data()
        try forEachPiece { piece throws(LarkspurError) in data.append(contentsOf: piece) }
        return data
    }

    /// Writes the body to a file, for an upload of that file.
    ///
    /// The file appears under its name when it is whole, in place of one that was there. ``bytesPerSecond`` does not
    /// slow this down.
    /// - Parameter file: Where to, by a `file:` URL; its folder must exist.
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
