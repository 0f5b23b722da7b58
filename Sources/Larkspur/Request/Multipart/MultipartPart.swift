/// A part of a multipart form: its encoded header, and the source of its content.
struct MultipartPart: Sendable {
    /// The source of a part's content, and its length in bytes.
    enum Content: Sendable {
        case data(Data)
        /// A file, with the size that it had when it was appended.
        case file(URL, size: Int64)
        /// The bytes of a stream, which is created for each sending.
        case stream(length: Int64, make: @Sendable () throws(LarkspurError) -> InputStream)
    }

    /// The lines of the header and the empty line after them.
    let header: Data
    let content: Content

    /// - Throws: `invalidHeaderField`, for a field that would extend beyond its line.
    init(_ fields: some Sequence<HTTPHeaders.Field>, _ content: Content) throws(LarkspurError) {
        for field in fields { try field.validate() }
        self.init(safe: fields, content)
    }

    /// - Parameter fields: Fields that are known not to extend beyond their lines.
    init(safe fields: some Sequence<HTTPHeaders.Field>, _ content: Content) {
        var header = Data()
        for field in fields { header.append(contentsOf: "\(field.name): \(field.value)\r\n".utf8) }
        header.append(contentsOf: "\r\n".utf8)
        self.header = header
        self.content = content
    }

    /// The length of the content, in bytes.
    var length: Int64 {
        switch content {
        case .data(let data): Int64(data.count)
        case .file(_, let size): size
        case .stream(let length, _): length
        }
    }
}
