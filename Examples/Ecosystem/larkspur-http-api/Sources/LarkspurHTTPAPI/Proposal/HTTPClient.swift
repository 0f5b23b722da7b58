public import HTTPTypes

/// The protocol of HTTP clients, in the shape of the [proposed HTTP API for
/// Swift](https://github.com/apple/swift-http-api-proposal).
///
/// Content goes in both directions as it is written and read. A response can be read while the content of the request
/// is still written.
public protocol HTTPClient<RequestOptions>: Sendable, ~Copyable, ~Escapable {
    /// The settings of one request. It conforms to the capabilities that the client has.
    associatedtype RequestOptions: HTTPClientCapability.RequestOptions
    /// The destination of a request's content. Its conclusion is the trailers, or nil.
    associatedtype Writer: CallerAsyncWriter, ~Copyable, SendableMetatype
    where Writer.WriteElement == UInt8, Writer.FinalElement == HTTPFields?
    /// The source of a response's content. Its conclusion is the trailers, or nil.
    associatedtype Reader: AsyncReader, ~Copyable, SendableMetatype
    where Reader.ReadElement == UInt8, Reader.FinalElement == HTTPFields?

    /// The settings of a request for which the caller has none.
    var defaultRequestOptions: RequestOptions { get }

    /// Sends a request, and passes the response to a closure.
    /// - Parameters:
    ///   - request: The request.
    ///   - body: The content of the request; nil for none.
    ///   - options: The settings of the request.
    ///   - responseHandler: Called when the head of the response is here. It reads the content with the reader. What it
    ///     does not read is discarded.
    /// - Returns: The value of the closure.
    /// - Throws: The error of the request or of the closure.
    mutating func perform<Return: ~Copyable>(
        request: HTTPRequest,
        body: consuming HTTPClientRequestBody<Writer>?,
        options: RequestOptions,
        responseHandler: (HTTPResponse, consuming Reader) async throws -> Return
    ) async throws -> Return
}

/// The protocols by which libraries ask for abilities that only some clients have.
///
/// A library requires a capability of the options, and works with each client that has it:
///
///     func fetch<Client: HTTPClient>(by client: Client) async throws
///     where Client.RequestOptions: HTTPClientCapability.RedirectChoice { … }
public enum HTTPClientCapability {
    /// The settings of one request.
    public protocol RequestOptions: Sendable {}
}
