public import HTTPTypes
internal import HTTPTypesFoundation
public import Larkspur
internal import LarkspurHTTPTypes
internal import Synchronization

/// An HTTP client that sends requests through a session manager, with its headers, interceptors and timeouts.
///
///     let client = SessionHTTPClient(SessionManager())
///     let request = HTTPRequest(method: .post, scheme: "https", authority: "example.com", path: "/echo")
///     let body = HTTPClientRequestBody<SessionHTTPClient.Writer>.restartable { writer in
///         var hello = UniqueArray(copying: "Hello".utf8)
///         try await writer.finish(buffer: &hello)
///     }
///     try await client.perform(request: request, body: body) { response, reader in
///         let trailers = try await reader.forEachBuffer { buffer in … }
///     }
public struct SessionHTTPClient: HTTPClient {
    /// The session manager that sends the requests.
    public let manager: SessionManager

    /// Creates a client.
    /// - Parameter manager: The session manager. A request without a host is resolved against its base URL.
    public init(_ manager: SessionManager) { self.manager = manager }

    /// Options without settings: those of the session manager apply.
    public var defaultRequestOptions: RequestOptions { RequestOptions() }

    /// Sends a request, and passes the response of any status to a closure.
    ///
    /// Trailers of a request are sent over HTTP/1.1 alone. If the server may speak HTTP/2, name them in the field
    /// `Trailer` of the request, so that it goes by HTTP/1.1. Otherwise the writer's `finish` throws `unsupported`.
    /// - Parameters:
    ///   - request: The request.
    ///   - body: The content of the request; nil for none. It must end by one of the methods `finish` of its writer;
    ///     otherwise the request is broken off.
    ///   - options: The settings of the request.
    ///   - responseHandler: Called when the head of the response is here. If it returns before it has read the content
    ///     to its end, the call is cancelled. Otherwise the method waits until the content of the request has been
    ///     sent, too.
    /// - Returns: The value of the closure.
    /// - Throws: The error of the closure, or `LarkspurError`, if the request cannot be sent or no response arrives. If
    ///   the content of the request throws an error, the code is `bodyUnreadable`, and the error is the
    ///   `underlyingError`.
    public func perform<Return: ~Copyable>(
        request: HTTPRequest,
        body: consuming HTTPClientRequestBody<Writer>?,
        options: RequestOptions,
        responseHandler: (HTTPResponse, consuming Reader) async throws -> Return
    ) async throws -> Return {
        var result: Return?
        try await makeTask(request, body, options).open { head, content in
            guard let response = head.httpResponse else { throw Self.noResponse }
            result = try await responseHandler(response, Reader(content))
        }
        guard let value = result.take() else { throw Self.noResponse }
        return value
    }

    private static var noResponse: LarkspurError {
        LarkspurError(.malformedResponse, "The response is no HTTP response.")
    }

    private func makeTask(
        _ request: HTTPRequest,
        _ body: HTTPClientRequestBody<Writer>?,
        _ options: RequestOptions
    ) throws(LarkspurError) -> DataTask {
        guard let upload = options.resumableUpload else {
            let content = body.map { RequestBody.written($0, for: request) }
            return manager.call(request, body: content, options: options.resolved)
        }
        guard let body, body.isSeekable, let length = body.knownLength else {
            throw LarkspurError(.unsupported, "A resumable upload needs seekable content whose length is known.")
        }
        let content = RequestBody.sequence(length: length, contentType: request.contentType) { offset in
            WrittenChunks(body: body, offset: offset)
        }
        return manager.call(request, body: content, options: options.resolved, resumable: upload)
    }
}

extension SessionHTTPClient {
    /// The settings of one request.
    public struct RequestOptions: HTTPClientCapability.RedirectChoice, HTTPClientCapability.TimeLimits,
        HTTPClientCapability.SendingChoice, HTTPClientCapability.UploadResumption
    {
        /// All settings that Larkspur has for a call.
        public var callOptions: CallOptions
        /// Whether redirects are followed. If not, the redirect is the response. Default: true.
        public var followsRedirects = true

        /// The protocol by which an upload continues after a failure, from the first byte that the server lacks. The
        /// content must be seekable, and its length known. Default: nil, which sends the content in one request.
        public var resumableUpload: ResumableUpload?

        /// Creates options.
        /// - Parameter callOptions: Settings of the call. Default: those of the session manager.
        public init(callOptions: CallOptions = CallOptions()) { self.callOptions = callOptions }

        /// The limits of the time of the request. Default: those of the session manager.
        public var timeouts: Timeouts {
            get { callOptions.timeouts }
            set { callOptions.timeouts = newValue }
        }

        /// Whether a status of 300 or more leaves the content of the request to be sent to its end. Default: false.
        public var keepsSending: Bool {
            get { callOptions.keepsSending }
            set { callOptions.keepsSending = newValue }
        }

        /// The options of the call.
        fileprivate var resolved: CallOptions {
            if followsRedirects { return callOptions }
            var resolved = callOptions
            resolved.hooks = callOptions.hooks ?? SessionHooks()
            resolved.hooks?.willPerformHTTPRedirection = { _, _, _ in nil }
            return resolved
        }
    }
}

extension HTTPClientCapability {
    /// The choice whether redirects are followed.
    public protocol RedirectChoice: RequestOptions {
        /// Whether redirects are followed. If not, the redirect is the response.
        var followsRedirects: Bool { get set }
    }

    /// Limits of the time of a request.
    public protocol TimeLimits: RequestOptions {
        /// The limits.
        var timeouts: Timeouts { get set }
    }

    /// Uploads that continue after a failure.
    public protocol UploadResumption: RequestOptions {
        /// The protocol by which an upload continues; nil to send the content in one request.
        var resumableUpload: ResumableUpload? { get set }
    }

    /// The choice whether the content of a request is sent to its end.
    public protocol SendingChoice: RequestOptions {
        /// Whether a status of 300 or more leaves the content of the request to be sent to its end.
        var keepsSending: Bool { get set }
    }
}

extension SessionHTTPClient {
    /// The destination of a request's content.
    public struct Writer: CallerAsyncWriter, ~Copyable {
        /// A byte.
        public typealias WriteElement = UInt8
        /// The error of the call.
        public typealias WriteFailure = LarkspurError
        /// The trailers.
        public typealias FinalElement = HTTPFields?

        enum Destination {
            /// The request.
            case request(BodyWriter)
            /// The iterator that a resumable upload reads.
            case chunks(ChunkWriter)
        }

        private let destination: Destination
        private let conclusion: Conclusion

        fileprivate init(_ destination: Destination, _ conclusion: Conclusion) {
            self.destination = destination
            self.conclusion = conclusion
        }

        /// Writes the bytes of a buffer, which is then empty. Returns when there is room for more.
        /// - Parameter buffer: The bytes.
        /// - Throws: `LarkspurError` with the code `sendingEnded`, if the rest of the content is not sent: the server
        ///   has refused it, or the call has ended.
        public mutating func write<Buffer: RangeReplaceableContainer<UInt8> & ~Copyable>(
            buffer: inout Buffer
        ) async throws(LarkspurError) {
            if buffer.isEmpty { return }
            let bytes = [UInt8](draining: &buffer)
            switch destination {
            case .request(let writer): try await writer.write(bytes)
            case .chunks(let writer): try await writer.write(bytes)
            }
        }

        /// Writes the last bytes and the trailers.
        /// - Parameters:
        ///   - buffer: The last bytes.
        ///   - finalElement: The trailers; nil for none.
        /// - Throws: The errors of ``write(buffer:)``.
        public consuming func finish<Buffer: RangeReplaceableContainer<UInt8> & ~Copyable>(
            buffer: inout Buffer,
            finalElement: consuming HTTPFields?
        ) async throws(LarkspurError) {
            try await write(buffer: &buffer)
            switch destination {
            case .request(let writer): try await writer.finish(trailers: HTTPHeaders(finalElement ?? [:]))
            case .chunks(let writer): try writer.finish(finalElement)
            }
            conclusion.isReached.store(true, ordering: .relaxed)
        }
    }

    /// The source of a response's content.
    public struct Reader: AsyncReader, ~Copyable {
        /// A byte.
        public typealias ReadElement = UInt8
        /// An array of bytes.
        public typealias Buffer = UniqueArray<UInt8>
        /// The error of the call.
        public typealias ReadFailure = LarkspurError
        /// The trailers.
        public typealias FinalElement = HTTPFields?

        private let content: ContentChunks
        private var chunks: ContentChunks.Iterator
        private var buffer = UniqueArray<UInt8>()

        fileprivate init(_ content: ContentChunks) {
            self.content = content
            chunks = content.makeAsyncIterator()
        }

        /// Waits for bytes or for the end, and calls a closure.
        /// - Parameter body: Gets the buffer and, at the end, the trailers, or nil if there are none. Bytes that it
        ///   leaves in the buffer are there again in the next call.
        /// - Returns: The value of the closure.
        /// - Throws: The error of the call, or that of the closure.
        public mutating func read<Return: ~Copyable, Failure: Error>(
            body: (inout UniqueArray<UInt8>, consuming HTTPFields??) async throws(Failure) -> Return
        ) async throws(EitherError<LarkspurError, Failure>) -> Return {
            let chunk: Data?
            do throws(LarkspurError) { chunk = try await nextChunk() } catch { throw .first(error) }
            if let chunk { buffer.append(copying: chunk) }
            let end: HTTPFields?? = chunk == nil ? .some(content.trailerFields) : nil
            do throws(Failure) { return try await body(&buffer, end) } catch { throw .second(error) }
        }

        /// Returns the next chunk that is not empty; nil at the end.
        private mutating func nextChunk() async throws(LarkspurError) -> Data? {
            while let chunk = try await chunks.next(isolation: #isolation) {
                if !chunk.isEmpty { return chunk }
            }
            return nil
        }
    }
}

/// The end of a request's content, which its closure has to reach.
private final class Conclusion: Sendable {
    let isReached = Atomic(false)
}

/// The error of a closure that returns before the end of the content.
struct UnfinishedContent: Error, CustomStringConvertible {
    let description = "The content of the request has no end: its closure returned without a call of finish."
}

extension HTTPClientRequestBody where Writer == SessionHTTPClient.Writer {
    /// Writes the content to its end. An end that the closure did not write could be that of half of the content.
    /// - Throws: The error of the closure, or ``UnfinishedContent``.
    func produceToEnd(offset: Int64 = 0, into destination: Writer.Destination) async throws {
        let conclusion = Conclusion()
        try await produce(offset: offset, into: Writer(destination, conclusion))
        if !conclusion.isReached.load(ordering: .relaxed) { throw UnfinishedContent() }
    }
}

extension RequestBody {
    /// Returns a body that calls the closure of a client's request body each time that the content is sent.
    fileprivate static func written(
        _ body: HTTPClientRequestBody<SessionHTTPClient.Writer>,
        for request: HTTPRequest
    ) -> Self {
        let trailers = request.headerFields[values: .trailer].flatMap { $0.split(separator: ",") }
        return .writer(
            length: body.knownLength,
            contentType: request.contentType,
            trailers: trailers.map { $0.trimmingCharacters(in: .whitespaces) },
            isRepeatable: true
        ) { writer in try await body.produceToEnd(into: .request(writer)) }
    }
}

extension HTTPRequest {
    /// The media type of the content.
    fileprivate var contentType: String { headerFields[.contentType] ?? "application/octet-stream" }
}
