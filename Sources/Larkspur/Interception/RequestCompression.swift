/// An interceptor that compresses the content of requests with gzip (RFC 9110, section 8.4.1.3).
///
///     manager.interceptors.call = [.compression(threshold: 4096)]
///
/// The request gets the field `Content-Encoding: gzip`. Content is sent as it is if it has fewer bytes than
/// ``threshold``, would not become smaller, has a `Content-Encoding` already, or is not in memory: files, streams and
/// forms. If the server answers with the status 415, which says that it does not know the coding (RFC 7694), the
/// request is sent once more without it. zlib is found at run time, on Linux only; without it nothing is compressed.
public struct RequestCompression: RequestInterceptor {
    /// The least number of bytes that are compressed. Default: 1,024.
    public var threshold: Int

    /// Creates an interceptor.
    /// - Parameter threshold: The least number of bytes that are compressed. Default: 1,024.
    public init(threshold: Int = 1024) { self.threshold = threshold }

    /// Sends a request with compressed content, and as it is if the server does not know the coding.
    /// - Throws: The error of the attempt.
    public func intercept(
        _ request: URLRequest,
        context: RequestContext,
        next: RequestContext.Next
    ) async throws -> InterceptedResponse {
        guard let content = request.httpBody, content.count >= threshold,
            request.value(forHTTPHeaderField: "Content-Encoding") == nil, let compressed = Self.gzip(content)
        else { return try await next(request) }
        var coded = request
        coded.httpBody = compressed
        coded.setValue("gzip", forHTTPHeaderField: "Content-Encoding")
        if request.value(forHTTPHeaderField: "Content-Length") != nil {
            coded.setValue(String(compressed.count), forHTTPHeaderField: "Content-Length")
        }
        let response = try await next(coded)
        guard response.statusCode == 415, !context.hasDeliveredContent, !Task.isCancelled else { return response }
        return try await next(request)
    }

    /// Returns data in the format gzip (RFC 1952); nil without zlib, and if it would not become smaller.
    private static func gzip(_ data: Data) -> Data? {
        #if canImport(FoundationNetworking)
        Gzip.compress(data)
        #else
        nil
        #endif
    }
}

extension RequestInterceptor where Self == RequestCompression {
    /// Returns an interceptor that compresses the content of requests with gzip.
    /// - Parameter threshold: The least number of bytes that are compressed. Default: 1,024.
    public static func compression(threshold: Int = 1024) -> RequestCompression {
        RequestCompression(threshold: threshold)
    }
}
