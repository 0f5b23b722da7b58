#if canImport(FoundationNetworking)
/// The content of a request in the form that its task has received.
enum TaskBody: Sendable {
    case none
    case data(Data)
    case file(URL)
    /// A stream, which can be read only once. If the request has a stream, it is used first. The delegate provides all
    /// other streams, including streams for content that has to be sent again.
    case stream(Transferring<InputStream>?)
    /// Content that a program produces while the content is sent.
    case produced(ProducedBody)

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
struct SentBody {
    var body: TaskBody
    /// The reader for the current transfer; nil without content.
    var reader: (any BodyReader)?
    /// The reader of the current stream; nil until there is a stream.
    var streamReader: StreamReader?
    var hasAskedForStream = false
    /// The channel of the current production; nil if nothing is produced.
    var channel: BodyChannel?
    /// The number of the current stream or production. It distinguishes the current chunks from the chunks of an
    /// earlier stream or production.
    var streamNumber = 0
    var sentBytes: Int64 = 0

    /// Creates the content of a task's first request; nil if it has none.
    init?(_ body: TaskBody) {
        if case .none = body { return nil }
        self.body = body
    }

    /// Creates the reader for a transfer.
    mutating func makeReader() throws(URLError) -> (any BodyReader)? {
        reader =
            switch body {
            case .none: nil
            case .data(let data): DataReader(data)
            case .file(let file): try FileReader(file)
            case .stream: streamReader
            case .produced(let produced): try makeReader(of: produced)
            }
        return reader
    }

    private mutating func makeReader(of produced: ProducedBody) throws(URLError) -> ChannelReader {
        guard produced.canBegin() else { throw .unrepeatableContent(after: nil, url: nil) }
        let channel = produced.makeChannel()
        streamNumber += 1
        self.channel = channel
        return ChannelReader(channel, length: produced.hasTrailers ? nil : produced.length)
    }

    /// Whether the content comes from a stream or a producer. To send such content again, a new stream or production is
    /// needed.
    var isStreamed: Bool {
        switch body {
        case .stream, .produced: true
        case .none, .data, .file: false
        }
    }

    /// Whether a program produces the content.
    var isProduced: Bool {
        if case .produced = body { true } else { false }
    }

    /// Whether the response is read while the content is sent.
    var isTwoWay: Bool {
        if case .produced(let produced) = body { produced.isTwoWay } else { false }
    }

    /// Whether trailers may follow the content.
    var hasTrailers: Bool {
        if case .produced(let produced) = body { produced.hasTrailers } else { false }
    }

    /// Ends the sending of content that is being produced.
    mutating func endProduction(_ reason: BodyChannel.Refusal) { channel.take()?.close(reason) }

    /// Sets the content of the next request. If no byte of a stream was read, the stream is used again.
    mutating func beginNext(_ body: TaskBody) {
        self.body = body
        endProduction(.transferEnded)
        reader = nil
        sentBytes = 0
        if streamReader?.position != 0 { streamReader = nil }
    }
}

extension URLError {
    /// Returns the error of a request whose content would have to be sent again.
    /// - Parameters:
    ///   - response: The response that requires this; nil if there is none.
    ///   - url: The URL of the request.
    static func unrepeatableContent(after response: HTTPURLResponse?, url: URL?) -> URLError {
        let sentence =
            response.map {
                "The response has the status \($0.statusCode), which requires the content once more, but the content can be sent only once."
            } ?? "The content can be sent only once, and an earlier request has consumed it."
        return .engine(.requestBodyStreamExhausted, sentence, url: url)
    }
}
#endif
