/// A part of a multipart form: its header as it is sent, and where its content comes from.
struct MultipartPart: Sendable {
    /// Where the content of a part comes from, and how long it is, in bytes.
    enum Content: Sendable {
        case data(Data)
        /// A file, with the size that it had when it was appended.
        case file(URL, size: Int64)
        /// What a stream delivers that is made anew for each sending.
        case stream(length: Int64, make: @Sendable () throws(LarkspurError) -> InputStream)
    }

    /// The lines of the header with the empty line after them.
    let header: Data
    let content: Content

    /// - Throws: `invalidHeaderField`, for what would break out of its line.
    init(_ fields: some Sequence<HTTPHeaders.Field>, _ content: Content) throws(LarkspurError) {
        for field in fields { try field.validate() }
        self.init(safe: fields, content)
    }

    /// - Parameter fields: Fields that are known to stay within their lines.
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
