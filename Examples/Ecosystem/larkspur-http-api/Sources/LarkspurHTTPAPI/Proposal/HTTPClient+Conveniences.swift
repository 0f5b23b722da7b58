public import Foundation
public import HTTPTypes
internal import HTTPTypesFoundation

extension HTTPClient where Self: ~Copyable, Self: ~Escapable {
    /// Sends a request with the default settings, and passes the response to a closure.
    /// - Parameters:
    ///   - request: The request.
    ///   - body: The content of the request. Default: none.
    ///   - options: The settings of the request. Default: those of the client.
    ///   - responseHandler: Called when the head of the response is here.
    /// - Returns: The value of the closure.
    /// - Throws: The error of the request or of the closure.
    public mutating func perform<Return: ~Copyable>(
        request: HTTPRequest,
        body: consuming HTTPClientRequestBody<Writer>? = nil,
        options: RequestOptions? = nil,
        responseHandler: (HTTPResponse, consuming Reader) async throws -> Return
    ) async throws -> Return {
        let options = options ?? defaultRequestOptions
        return try await perform(request: request, body: body, options: options, responseHandler: responseHandler)
    }

    /// Sends a GET request, and collects the content of the response.
    /// - Parameters:
    ///   - url: The URL.
    ///   - headerFields: The fields of the request. Default: none.
    ///   - options: The settings of the request. Default: those of the client.
    ///   - limit: The maximum number of bytes. If there are more, the error is ``AsyncReaderLeftOverElementsError``.
    /// - Returns: The response of any status, and its content.
    public mutating func get(
        url: URL,
        headerFields: HTTPFields = [:],
        options: RequestOptions? = nil,
        collectUpTo limit: Int
    ) async throws -> (response: HTTPResponse, bodyData: Data) {
        try await collect(.get, url, headerFields, nil, options, limit)
    }

    /// Sends a POST request with data, and collects the content of the response. The parameters are those of
    /// ``get(url:headerFields:options:collectUpTo:)``.
    public mutating func post(
        url: URL,
        headerFields: HTTPFields = [:],
        bodyData: Data,
        options: RequestOptions? = nil,
        collectUpTo limit: Int
    ) async throws -> (response: HTTPResponse, bodyData: Data) {
        try await collect(.post, url, headerFields, bodyData, options, limit)
    }

    /// Sends a PUT request with data, and collects the content of the response. The parameters are those of
    /// ``get(url:headerFields:options:collectUpTo:)``.
    public mutating func put(
        url: URL,
        headerFields: HTTPFields = [:],
        bodyData: Data,
        options: RequestOptions? = nil,
        collectUpTo limit: Int
    ) async throws -> (response: HTTPResponse, bodyData: Data) {
        try await collect(.put, url, headerFields, bodyData, options, limit)
    }

    /// Sends a PATCH request with data, and collects the content of the response. The parameters are those of
    /// ``get(url:headerFields:options:collectUpTo:)``.
    public mutating func patch(
        url: URL,
        headerFields: HTTPFields = [:],
        bodyData: Data,
        options: RequestOptions? = nil,
        collectUpTo limit: Int
    ) async throws -> (response: HTTPResponse, bodyData: Data) {
        try await collect(.patch, url, headerFields, bodyData, options, limit)
    }

    /// Sends a DELETE request, and collects the content of the response. The parameters are those of
    /// ``get(url:headerFields:options:collectUpTo:)``.
    public mutating func delete(
        url: URL,
        headerFields: HTTPFields = [:],
        bodyData: Data? = nil,
        options: RequestOptions? = nil,
        collectUpTo limit: Int
    ) async throws -> (response: HTTPResponse, bodyData: Data) {
        try await collect(.delete, url, headerFields, bodyData, options, limit)
    }

    private mutating func collect(
        _ method: HTTPRequest.Method,
        _ url: URL,
        _ headerFields: HTTPFields,
        _ bodyData: Data?,
        _ options: RequestOptions?,
        _ limit: Int
    ) async throws -> (response: HTTPResponse, bodyData: Data) {
        try await perform(
            request: HTTPRequest(method: method, url: url, headerFields: headerFields),
            body: bodyData.map { .data($0) },
            options: options
        ) { response, reader in
            var content = Data()
            do throws(EitherError<Reader.ReadFailure, AsyncReaderLeftOverElementsError>) {
                _ = try await reader.forEachBuffer { buffer throws(AsyncReaderLeftOverElementsError) in
                    guard buffer.count <= limit - content.count else { throw AsyncReaderLeftOverElementsError() }
                    content += [UInt8](draining: &buffer)
                }
            } catch {
                try error.unwrap()
            }
            return (response, content)
        }
    }
}

extension [UInt8] {
    /// Creates an array from the bytes of a buffer, which is then empty.
    init<Buffer: RangeReplaceableContainer<UInt8> & ~Copyable>(draining buffer: inout Buffer) {
        self.init()
        reserveCapacity(buffer.count)
        var drain = buffer.consumeAll()
        var isOver = false
        while !isOver {
            let bytes = drain.drainNext()
            isOver = bytes.isEmpty
            bytes.span.withUnsafeBufferPointer { append(contentsOf: $0) }
        }
    }
}
