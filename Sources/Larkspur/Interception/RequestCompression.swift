import HTTPSyntax

/// An interceptor that compresses the content of requests with gzip (RFC 9110, section 8.4.1.3).
///
///     manager.interceptors.call = [.compression(threshold: 4096)]
///
/// The request gets the field `Content-Encoding: gzip`. Content is sent unchanged in these cases: it has fewer bytes
/// than ``threshold``, it would not become smaller, it has a `Content-Encoding` already, or it is not in memory (files,
/// streams and forms). A server responds with the status 415 if it does not support the coding (RFC 7694). The request
/// is then sent once more, uncompressed. The library zlib is loaded at run time, on Linux only. Without zlib nothing is
/// compressed.
package struct RequestCompression: RequestInterceptor {
    /// The minimum size of content that is compressed, in bytes. Default: 1,024.
    package var threshold: Int

    /// Creates an interceptor.
    /// - Parameter threshold: The minimum size of content that is compressed, in bytes. Default: 1,024.
    package init(threshold: Int = 1024) { self.threshold = threshold }

    /// Sends a request with compressed content. If the server does not support the coding, sends it again uncompressed.
    /// - Throws: The error of the attempt.
    package func intercept(
        _ request: URLRequest,
        context: RequestContext,
        next: RequestContext.Next
    ) async throws -> InterceptedResponse {
        guard let coded = compressed(request) else { return try await next(request) }
        let response = try await next(coded)
        guard response.statusCode == 415, !context.hasDeliveredContent, !Task.isCancelled else { return response }
        return try await next(request)
    }

    /// Returns the request with compressed content; nil if its content is sent unchanged.
    package func compressed(_ request: URLRequest) -> URLRequest? {
        guard let content = request.httpBody, content.count >= threshold,
            request.value(forHTTPHeaderField: "Content-Encoding") == nil, let compressed = Self.gzip(content)
        else { return nil }
        var coded = request
        coded.httpBody = compressed
        coded.setValue("gzip", forHTTPHeaderField: "Content-Encoding")
        if request.value(forHTTPHeaderField: "Content-Length") != nil {
            coded.setValue(String(compressed.count), forHTTPHeaderField: "Content-Length")
        }
        return coded
    }

    /// Returns data in the gzip format (RFC 1952); nil if zlib is missing, or if the data would not become smaller.
    private static func gzip(_ data: Data) -> Data? {
        #if canImport(FoundationNetworking)
        Gzip.compress(data)
        #else
        nil
        #endif
    }
}

extension RequestInterceptor where Self == ClosureInterceptor {
    /// Returns an interceptor that compresses the content of requests with gzip.
    /// - Parameter threshold: The minimum size of content that is compressed, in bytes. Default: 1,024.
    public static func compression(threshold: Int = 1024) -> ClosureInterceptor {
        ClosureInterceptor(RequestCompression(threshold: threshold))
    }
}
