#if canImport(FoundationNetworking)
/// The content of a task's requests: its source, and how much of it has been sent.
struct RequestContent {
    var body: RequestBody
    /// The reader for the transfer under way; nil without content.
    var reader: (any BodyReader)?
    /// Nil until there is a stream for the request.
    var streamReader: StreamReader?
    var hasAskedForStream = false
    /// The number of the stream that is read, which tells its content from that of an earlier one.
    var streamNumber = 0
    var sentBytes: Int64 = 0

    init(_ body: RequestBody) { self.body = body }

    /// Makes the reader for a transfer.
    mutating func makeReader() throws(URLError) -> (any BodyReader)? {
        reader =
            switch body {
            case .none: nil
            case .data(let data): DataReader(data)
            case .file(let file): try FileReader(file)
            case .stream: streamReader
            }
        return reader
    }

    /// Takes the content of the next request. A stream of which nothing was read serves again.
    mutating func beginNext(_ body: RequestBody) {
        self.body = body
        reader = nil
        sentBytes = 0
        if streamReader?.position != 0 { streamReader = nil }
    }
}
#endif
