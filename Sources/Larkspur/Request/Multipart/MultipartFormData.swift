/// A multipart form, whose fields and files are the parts of a request's body (RFC 7578).
///
///     var form = MultipartFormData()
///     form.append(text: "Ada", name: "author")
///     try form.append(file: URL(fileURLWithPath: "portrait.jpg"), name: "portrait")
///
/// The form is sent as a stream. Files are read in pieces while they are sent, so that a body of any size needs little
/// memory and no temporary file. The length of the body is known beforehand. If a file has changed its size by then, or
/// cannot be read, the request fails; the server never takes the truncated body for complete.
///
/// A form is a value: a copy has its own parts. It can be sent any number of times, unless a part is a single stream.
public struct MultipartFormData: Sendable {
    /// The boundary between the parts. Default: random.
    public var boundary: MultipartBoundary

    /// The maximum number of bytes that are read for sending per second; nil for no limit but that of the network.
    /// Default: nil.
    ///
    /// The limit applies to each sending of the form. A value below 1 counts as 1. With the transport `.foundation` on
    /// Linux, the wait for the next piece blocks all tasks of the session.
    public var bytesPerSecond: Int?

    private(set) var parts: [MultipartPart] = []

    /// Creates a form without parts.
    /// - Parameter boundary: The boundary between the parts. Default: random.
    public init(boundary: MultipartBoundary = MultipartBoundary()) {
        self.boundary = boundary
    }

    /// Whether the form has no parts. The body of such a form is only the closing delimiter.
    public var isEmpty: Bool { parts.isEmpty }

    /// The value of the request's `Content-Type` field.
    public var contentType: String { "multipart/form-data; boundary=\(boundary.parameter)" }

    /// The length of the whole body in bytes: the value of the request's `Content-Length` field.
    public var contentLength: Int64 {
        var length = Int64(closingDelimiter.count)
        for index in parts.indices {
            // A sum that overflows becomes the greatest number, which no real body reaches.
            for count in [Int64(delimiter(before: index).count), Int64(parts[index].header.count), parts[index].length]
            {
                let (sum, isTooMuch) = length.addingReportingOverflow(count)
                length = isTooMuch ? .max : sum
            }
        }
        return length
    }

    mutating func append(_ part: MultipartPart) { parts.append(part) }

    // MARK: The bytes between the parts

    /// Returns the line before a part (RFC 2046, section 5.1.1), with the line break that ends the part before it.
    func delimiter(before index: Int) -> Data {
        Data("\(index == 0 ? "" : "\r\n")--\(boundary.value)\r\n".utf8)
    }

    /// The line after the last part.
    var closingDelimiter: Data { Data("\(parts.isEmpty ? "" : "\r\n")--\(boundary.value)--\r\n".utf8) }
}

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
