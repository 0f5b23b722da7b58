internal import HTTPSyntax

extension MultipartFormData {
    /// Adds a field of the form with a text.
    /// - Parameters:
    ///   - text: The value, which is sent in UTF-8.
    ///   - name: The field's name. As with all names here, quotation marks and line breaks in it are percent-encoded.
    public mutating func append(text: String, name: String) {
        append(data: Data(text.utf8), name: name)
    }

    /// Adds a field of the form with data, which is no file.
    /// - Parameters:
    ///   - data: The value as it is sent.
    ///   - name: The field's name.
    public mutating func append(data: Data, name: String) {
        append(MultipartPart(safe: [ContentDisposition.field(name: name)], .data(data)))
    }

    /// Adds data as a file.
    /// - Parameters:
    ///   - data: The content.
    ///   - name: The field's name.
    ///   - fileName: The file's name.
    ///   - mimeType: The media type. Default: by the extension of `fileName`, `application/octet-stream` where that
    ///     says nothing.
    ///   - headers: More fields for the part's header; they win over those made of the other parameters. Default: none.
    /// - Throws: ``LarkspurError`` with the code `invalidHeaderField`.
    public mutating func append(
        data: Data,
        name: String,
        fileName: String,
        mimeType: String? = nil,
        headers: HTTPHeaders = HTTPHeaders()
    ) throws(LarkspurError) {
        let type = mimeType ?? MIMEType.ofFile(named: fileName)
        try append(.data(data), name, fileName, type, headers)
    }

    /// Adds a file, which is read when the form is sent.
    ///
    /// Its size is noted now, and must be the same then.
    /// - Parameters:
    ///   - file: The file, by a `file:` URL.
    ///   - name: The field's name.
    ///   - fileName: The name that the server is told. Default: the last part of the file's path.
    ///   - mimeType: The media type. Default: by the extension of the file, `application/octet-stream` where that says
    ///     nothing.
    ///   - headers: More fields for the part's header; they win over those made of the other parameters. Default: none.
    /// - Throws: ``LarkspurError``: `fileUnreadable` if the file is missing, a folder, no regular file, unreadable, or
    ///   named by another URL; `invalidHeaderField`.
    public mutating func append(
        file: URL,
        name: String,
        fileName: String? = nil,
        mimeType: String? = nil,
        headers: HTTPHeaders = HTTPHeaders()
    ) throws(LarkspurError) {
        try UploadFile.check(file)
        let file = file.absoluteURL
        let size = try MultipartFile(file).size
        let type = mimeType ?? MIMEType.ofFiles(withExtension: file.pathExtension)
        try append(.file(file, size: size), name, fileName ?? file.lastPathComponent, type, headers)
    }

    /// Adds what a stream delivers, as a file or a field.
    /// - Parameters:
    ///   - length: How many bytes the stream delivers. Another number is an error when the form is sent.
    ///   - name: The field's name.
    ///   - fileName: The file's name; nil for a field that is no file. Default: nil.
    ///   - mimeType: The media type. Default: by the extension of `fileName`; none without that.
    ///   - headers: More fields for the part's header; they win over those made of the other parameters. Default: none.
    ///   - makeStream: Makes the stream, unopened; called anew each time that the form is sent, on the thread that
    ///     reads it. Nil is an error of the sending.
    /// - Throws: ``LarkspurError``: `bodyUnreadable` for a negative length, `invalidHeaderField`.
    public mutating func append(
        length: Int64,
        name: String,
        fileName: String? = nil,
        mimeType: String? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        makeStream: @escaping @Sendable () -> InputStream?
    ) throws(LarkspurError) {
        let content = try MultipartStream.content(length: length) { () throws(LarkspurError) in
            guard let stream = makeStream() else {
                throw LarkspurError(.bodyUnreadable, "The closure of a form's part made no stream.")
            }
            return stream
        }
        try append(content, name, fileName, mimeType ?? fileName.map(MIMEType.ofFile), headers)
    }

    /// Adds what a stream delivers, as a file or a field; the form can be sent only once then.
    ///
    /// If it must be sent again, after a redirect or a challenge, the request fails with `bodyUnreadable`; a closure
    /// that makes the stream has no such limit.
    /// - Parameters:
    ///   - stream: The stream, unopened.
    ///   - length: How many bytes the stream delivers. Another number is an error when the form is sent.
    ///   - name: The field's name.
    ///   - fileName: The file's name; nil for a field that is no file. Default: nil.
    ///   - mimeType: The media type. Default: by the extension of `fileName`; none without that.
    ///   - headers: More fields for the part's header; they win over those made of the other parameters. Default: none.
    /// - Throws: ``LarkspurError``: `bodyUnreadable` for a negative length, `invalidHeaderField`.
    public mutating func append(
        stream: sending InputStream,
        length: Int64,
        name: String,
        fileName: String? = nil,
        mimeType: String? = nil,
        headers: HTTPHeaders = HTTPHeaders()
    ) throws(LarkspurError) {
        let stream = MultipartSingleStream(stream)
        let content = try MultipartStream.content(length: length) { () throws(LarkspurError) in try stream.take() }
        try append(content, name, fileName, mimeType ?? fileName.map(MIMEType.ofFile), headers)
    }

    /// Adds a part with a header of the caller's own.
    /// - Parameters:
    ///   - headers: The fields in their order, but for `Content-Disposition`, which comes first.
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
        _ mimeType: String?,
        _ headers: HTTPHeaders
    ) throws(LarkspurError) {
        var fields: HTTPHeaders = [ContentDisposition.field(name: name, fileName: fileName)]
        if let mimeType { fields.set(HTTPHeaders.Field(name: "Content-Type", value: mimeType)) }
        fields.merge(headers)
        append(try MultipartPart(fields, content))
    }
}
