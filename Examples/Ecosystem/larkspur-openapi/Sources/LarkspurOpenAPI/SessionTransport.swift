public import Foundation
public import HTTPTypes
internal import HTTPTypesFoundation
public import Larkspur
internal import LarkspurHTTPTypes

/// A transport of OpenAPI clients that sends requests through a session manager, with its headers, interceptors and
/// timeouts.
public struct SessionTransport: ClientTransport {
    private let manager: SessionManager
    private let maximumRequestSize: Int

    /// Creates a transport.
    /// - Parameters:
    ///   - manager: The session manager. Its base URL is not used.
    ///   - maximumRequestSize: The number of bytes of a request's content that are collected in memory. Default: 10
    ///     MiB.
    public init(_ manager: SessionManager, maximumRequestSize: Int = 10 << 20) {
        self.manager = manager
        self.maximumRequestSize = maximumRequestSize
    }

    /// Sends a request. The content of the request is collected, and that of the response is delivered as it arrives.
    /// - Returns: The response, when the first piece of its content has arrived, and its content. Releasing the content
    ///   cancels the call.
    /// - Throws: `LarkspurError`, if the request cannot be sent or no response arrives, or the error of the content.
    public func send(
        _ request: HTTPRequest,
        body: HTTPBody?,
        baseURL: URL,
        operationID: String
    ) async throws -> (HTTPResponse, HTTPBody?) {
        var content: Data?
        if let body { content = try await collect(body) }
        let task = manager.dataTask(with: try manager.makeRequest(request.resolved(against: baseURL), body: content))
        let reader = ContentReader(task.validate(statusCode: 0...999))
        let hasContent = try await reader.begin()
        guard let response = (task.response as? HTTPURLResponse)?.httpResponse else {
            throw LarkspurError(.malformedResponse, "The response of \(operationID) is no HTTP response.")
        }
        return (response, hasContent ? HTTPBody(reader) : nil)
    }

    private func collect(_ body: HTTPBody) async throws -> Data {
        var content = Data()
        for try await piece in body {
            guard piece.count <= maximumRequestSize - content.count else {
                throw LarkspurError(.contentTooLarge, "The request has more than \(maximumRequestSize) bytes.")
            }
            content += piece
        }
        return content
    }
}

/// A reader of a response's content. Its release cancels the call, unless that has ended.
private actor ContentReader {
    private var iterator: ContentChunks.Iterator
    private var first: Data?

    init(_ task: DataTask) { iterator = task.chunks.makeAsyncIterator() }

    /// Starts the call, and waits for the first piece of the content.
    /// - Returns: Whether there is content.
    func begin() async throws(LarkspurError) -> Bool {
        first = try await read()
        return first != nil
    }

    /// Returns the next piece, from the first one on; nil at the end.
    func next() async throws(LarkspurError) -> Data? {
        if let piece = first.take() { return piece }
        return try await read()
    }

    private func read() async throws(LarkspurError) -> Data? {
        // A property of an actor cannot change while a method waits. The copy reads from the same source.
        var copy = iterator
        return try await copy.next(isolation: self)
    }
}

extension HTTPBody {
    fileprivate init(_ reader: ContentReader) {
        self.init(AsyncThrowingStream { try await reader.next().map { ArraySlice($0) } })
    }
}

extension HTTPRequest {
    /// Returns the request for a server, below the path of its URL.
    fileprivate func resolved(against baseURL: URL) -> HTTPRequest {
        let base = HTTPRequest(url: baseURL)
        var result = self
        result.scheme = base.scheme
        result.authority = base.authority
        let prefix = base.path ?? ""
        result.path = (prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix) + (path ?? "")
        return result
    }
}
