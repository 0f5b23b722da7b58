#if canImport(FoundationNetworking)
/// The content of a request, as its task received it.
enum RequestBody: Sendable {
    case none
    case data(Data)
    case file(URL)
    /// A stream, which is read once: that of the request, if it has one. Otherwise, and each time that the content must
    /// be sent again, the delegate provides one.
    case stream(Transferring<InputStream>?)

    /// Takes the content of the request itself.
    init(of request: URLRequest) {
        if let data = request.httpBody {
            self = .data(data)
        } else if let stream = request.httpBodyStream {
            self = .stream(Transferring(stream))
        } else {
            self = .none
        }
    }
}

/// The content of a task's requests: its source, and how much of it has been sent.
struct RequestContent {
    var body: RequestBody
    /// The reader for the transfer under way; nil without content.
    var reader: (any BodyReader)?
    /// The reader of a stream; nil until there is a stream for the request.
    var streamReader: StreamReader?
    var hasAskedForStream = false
    /// The number of the current stream, which distinguishes its content from that of an earlier one.
    var streamNumber = 0
    var sentBytes: Int64 = 0

    init(_ body: RequestBody) { self.body = body }

    /// Creates the reader for a transfer.
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

    /// Sets the content of the next request. A stream of which nothing was read is used again.
    mutating func beginNext(_ body: RequestBody) {
        self.body = body
        reader = nil
        sentBytes = 0
        if streamReader?.position != 0 { streamReader = nil }
    }
}
#endif
