internal import HTTPSyntax

/// A multipart form, whose fields and files are the parts of a request's body (RFC 7578).
///
///     var form = MultipartFormData()
///     form.append(text: "Ada", name: "author")
///     try form.append(file: URL(fileURLWithPath: "portrait.jpg"), name: "portrait")
///
/// The form is sent as a stream. Files are read in chunks while they are sent. So a body of any size needs little
/// memory and no temporary file. The length of the body is known before it is sent. If a file cannot be read, or has
/// another size than when it was appended, the request fails. A server never accepts the truncated body as complete.
///
/// A form is a value: changes of a copy do not affect the original. A form can be sent any number of times, unless one
/// of its parts is a stream that can be read only once.
public struct MultipartFormData: Sendable {
    /// The boundary between the parts. Default: random.
    public var boundary: MultipartBoundary

    /// The maximum number of bytes per second that are read for sending; nil if only the network limits them. Default:
    /// nil.
    ///
    /// The limit applies to each sending of the form. A value below 1 counts as 1. With the transport `.foundation` on
    /// Linux, the wait for the next chunk blocks all tasks of the session.
    public var bytesPerSecond: Int?

    private(set) var parts: [MultipartPart] = []

    /// Creates a form without parts.
    /// - Parameter boundary: The boundary between the parts. Default: random.
    public init(boundary: MultipartBoundary = MultipartBoundary()) {
        self.boundary = boundary
    }

    /// Whether the form has no parts. The body of such a form is only the closing delimiter.
    package var isEmpty: Bool { parts.isEmpty }

    /// The value of the request's `Content-Type` field.
    public var contentType: String { "multipart/form-data; boundary=\(boundary.parameter)" }

    /// The length of the whole body in bytes: the value of the request's `Content-Length` field.
    public var contentLength: Int64 {
        var length = Int64(closingDelimiter.count)
        for index in parts.indices {
            // If the sum overflows, the length becomes the greatest number. An overflow would otherwise terminate the
            // process.
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

    /// Returns the line before a part (RFC 2046, section 5.1.1). It includes the line break that ends the previous
    /// part.
    func delimiter(before index: Int) -> Data {
        Data("\(index == 0 ? "" : "\r\n")--\(boundary.value)\r\n".utf8)
    }

    /// The line after the last part.
    var closingDelimiter: Data { Data("\(parts.isEmpty ? "" : "\r\n")--\(boundary.value)--\r\n".utf8) }
}

extension MultipartFormData {
    /// Creates an unopened stream that delivers the body. The stream opens each file when it reaches that file.
    ///
    /// On Linux the stream reports its errors by `streamError`, which is a ``LarkspurError``.
    public func makeInputStream() -> InputStream { Platform.makeMultipartStream(of: self) { _ in } }

    /// Returns the whole body in memory, for small forms and for tests.
    /// - Throws: ``LarkspurError`` with the code `bodyUnreadable`.
    public func data() throws(LarkspurError) -> Data {
        var data = Data()
        try forEachChunk { chunk throws(LarkspurError) in data.append(contentsOf: chunk) }
        return data
    }

    /// Writes the body to a file, for an upload of that file.
    ///
    /// The file has a temporary name until it is complete. Then it gets its name, and replaces an existing file.
    /// ``bytesPerSecond`` has no effect here.
    /// - Parameter file: The file to write, as a `file:` URL. Its folder must exist.
    /// - Throws: ``LarkspurError``: `bodyUnreadable`, `fileUnwritable`.
    public func write(to file: URL) throws(LarkspurError) {
        guard file.isFileURL else {
            throw LarkspurError(.fileUnwritable, "A form is written to a file: URL.", failingURL: file)
        }
        let target = try MultipartTarget(file)
        try forEachChunk { chunk throws(LarkspurError) in try target.write(chunk) }
        try target.finish()
    }

    private func forEachChunk(
        _ body: (UnsafeRawBufferPointer) throws(LarkspurError) -> Void
    ) throws(LarkspurError) {
        var form = self
        form.bytesPerSecond = nil
        let reader = MultipartReader(form)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: MultipartReader.chunkSize, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = try reader.read(into: buffer)
            guard count > 0 else { return }
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }
}

extension MultipartFormData {
    /// Adds a field with a text to the form.
    /// - Parameters:
    ///   - text: The value, which is sent in UTF-8.
    ///   - name: The field's name. Quotation marks and line breaks in it are percent-encoded.
    public mutating func append(text: String, name: String) {
        append(data: Data(text.utf8), name: name)
    }

    /// Adds a field with data to the form. The field is not a file.
    /// - Parameters:
    ///   - data: The value, which is sent unchanged.
    ///   - name: The field's name.
    public mutating func append(data: Data, name: String) {
        append(MultipartPart(safe: [ContentDisposition.field(name: name)], .data(data)))
    }

    /// Adds a field with data of a media type to the form, such as a JSON document. The field is not a file.
    /// - Parameters:
    ///   - data: The value, which is sent unchanged.
    ///   - name: The field's name.
    ///   - contentType: The media type.
    ///   - headers: Further fields of the part's header. They replace fields from the other parameters. Default: none.
    /// - Throws: ``LarkspurError`` with the code `invalidHeaderField`, if a field is malformed.
    public mutating func append(
        data: Data,
        name: String,
        contentType: String,
        headers: HTTPHeaders = HTTPHeaders()
    ) throws(LarkspurError) {
        try append(.data(data), name, nil, contentType, headers)
    }

    /// Adds data to the form as a file.
    /// - Parameters:
    ///   - data: The content.
    ///   - name: The field's name.
    ///   - fileName: The file's name.
    ///   - contentType: The media type. Default: the type of the extension of `fileName`, or `application/octet-stream`
    ///     if the extension is unknown.
    ///   - headers: Further fields of the part's header. They replace fields from the other parameters. Default: none.
    /// - Throws: ``LarkspurError`` with the code `invalidHeaderField`, if a field is malformed.
    public mutating func append(
        data: Data,
        name: String,
        fileName: String,
        contentType: String? = nil,
        headers: HTTPHeaders = HTTPHeaders()
    ) throws(LarkspurError) {
        let type = contentType ?? MIMEType.ofFile(named: fileName)
        try append(.data(data), name, fileName, type, headers)
    }

    /// Adds a file to the form. The file is read when the form is sent.
    ///
    /// The size of the file must not change between this call and the sending.
    /// - Parameters:
    ///   - file: The file, as a `file:` URL.
    ///   - name: The field's name.
    ///   - fileName: The file name that is sent to the server. Default: the last part of the file's path.
    ///   - contentType: The media type. Default: the type of the file's extension, or `application/octet-stream` if the
    ///     extension is unknown.
    ///   - headers: More fields of the part's header, which replace fields from the other parameters. Default: none.
    /// - Throws: ``LarkspurError``: `fileUnreadable` if the URL is not a `file:` URL, or if the file is missing,
    ///   unreadable, a folder or another file that is not regular; `invalidHeaderField` if a field is malformed.
    public mutating func append(
        file: URL,
        name: String,
        fileName: String? = nil,
        contentType: String? = nil,
        headers: HTTPHeaders = HTTPHeaders()
    ) throws(LarkspurError) {
        try UploadFile.check(file)
        let file = file.absoluteURL
        let size = try MultipartFile(file).size
        let type = contentType ?? MIMEType.ofFiles(withExtension: file.pathExtension)
        try append(.file(file, size: size), name, fileName ?? file.lastPathComponent, type, headers)
    }

    /// Adds the bytes of a stream to the form, as a file or a field.
    /// - Parameters:
    ///   - length: The number of bytes that the stream delivers. If the stream delivers another number, sending the
    ///     form fails.
    ///   - name: The field's name.
    ///   - fileName: The file's name; nil for a field that is not a file. Default: nil.
    ///   - contentType: The media type. Default: the type of the extension of `fileName`; none if `fileName` is nil.
    ///   - headers: Further fields of the part's header, which replace fields from the other parameters. Default: none.
    ///   - makeStream: A closure that creates the stream, unopened. It is called each time that the form is sent, on
    ///     the thread that reads the form. If it returns nil, sending the form fails.
    /// - Throws: ``LarkspurError``: `bodyUnreadable` for a negative length, `invalidHeaderField` if a field is
    ///   malformed.
    public mutating func append(
        length: Int64,
        name: String,
        fileName: String? = nil,
        contentType: String? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        makeStream: @escaping @Sendable () -> InputStream?
    ) throws(LarkspurError) {
        let content = try MultipartStream.content(length: length) { () throws(LarkspurError) in
            guard let stream = makeStream() else {
                throw LarkspurError(.bodyUnreadable, "The closure of a form's part made no stream.")
            }
            return stream
        }
        try append(content, name, fileName, contentType ?? fileName.map(MIMEType.ofFile), headers)
    }

    /// Adds the bytes of a stream to the form, as a file or a field. The form can then be sent only once.
    ///
    /// If the form must be sent again, after a redirect or a challenge, the request fails with `bodyUnreadable`. A
    /// closure that creates the stream does not have this limit.
    /// - Parameters:
    ///   - stream: The stream, unopened.
    ///   - length: The number of bytes that the stream delivers. If the stream delivers another number, sending the
    ///     form fails.
    ///   - name: The field's name.
    ///   - fileName: The file's name; nil for a field that is not a file. Default: nil.
    ///   - contentType: The media type. Default: the type of the extension of `fileName`; none if `fileName` is nil.
    ///   - headers: More fields of the part's header, which replace fields from the other parameters. Default: none.
    /// - Throws: ``LarkspurError``: `bodyUnreadable` for a negative length, `invalidHeaderField` if a field is
    ///   malformed.
    public mutating func append(
        stream: sending InputStream,
        length: Int64,
        name: String,
        fileName: String? = nil,
        contentType: String? = nil,
        headers: HTTPHeaders = HTTPHeaders()
    ) throws(LarkspurError) {
        let stream = MultipartSingleStream(stream)
        let content = try MultipartStream.content(length: length) { () throws(LarkspurError) in try stream.take() }
        try append(content, name, fileName, contentType ?? fileName.map(MIMEType.ofFile), headers)
    }

    /// Adds a part whose header the caller provides.
    /// - Parameters:
    ///   - headers: The fields of the header. `Content-Disposition` is sent first. The other fields follow in their
    ///     order.
    ///   - body: The content.
    /// - Throws: ``LarkspurError`` with the code `invalidHeaderField`.
    public mutating func append(headers: HTTPHeaders, body: Data) throws(LarkspurError) {
        let isDisposition: (HTTPHeaders.Field) -> Bool = { $0.name.hasSameLetters(as: "Content-Disposition") }
        append(
            try MultipartPart(headers.filter(isDisposition) + headers.filter { !isDisposition($0) }, .data(body))
        )
    }

    private mutating func append(
        _ content: MultipartPart.Content,
        _ name: String,
        _ fileName: String?,
        _ contentType: String?,
        _ headers: HTTPHeaders
    ) throws(LarkspurError) {
        var fields: HTTPHeaders = [ContentDisposition.field(name: name, fileName: fileName)]
        if let contentType { fields.set(HTTPHeaders.Field(name: "Content-Type", value: contentType)) }
        fields.merge(headers)
        append(try MultipartPart(fields, content))
    }
}
