#if canImport(FoundationNetworking)
/// The content of a request, as its task received it.
enum RequestBody: Sendable {
    case none
    case data(Data)
    case file(URL)
    /// A stream, which can be read only once. If the request has a stream, it is the first stream. The delegate
    /// provides all other streams, including streams for content that has to be sent again.
    case stream(Transferring<InputStream>?)

    /// Creates the body from the content that the request itself has.
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
    /// The reader for the current transfer; nil without content.
    var reader: (any BodyReader)?
    /// The reader of the current stream; nil until there is a stream.
    var streamReader: StreamReader?
    var hasAskedForStream = false
    /// The number of the current stream. It distinguishes the chunks of this stream from the chunks of an earlier
    /// stream.
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

    /// Sets the content of the next request. A stream of which no byte was read is used again.
    mutating func beginNext(_ body: RequestBody) {
        self.body = body
        reader = nil
        sentBytes = 0
        if streamReader?.position != 0 { streamReader = nil }
    }
}
#endif
