import HTTPSyntax

/// A content coding in which the interceptor `compression(threshold:coding:)` sends the content of requests.
public struct RequestCoding: Sendable, Hashable {
    /// The codings, with their names in the field `Content-Encoding`.
    private enum Kind: String {
        case gzip, zstd
    }

    private let kind: Kind

    /// The name of the coding in the field `Content-Encoding`.
    var name: String { kind.rawValue }

    /// gzip (RFC 9110, section 8.4.1.3), which most servers read that read compressed requests at all. It needs the
    /// library zlib.
    public static let gzip = RequestCoding(kind: .gzip)

    /// zstd (RFC 8878), with libzstd's level 3. It is faster than gzip, and its results are usually smaller, but fewer
    /// servers read it. It needs the library libzstd.
    public static let zstd = RequestCoding(kind: .zstd)

    /// Returns data in the coding; nil if the library of the coding is missing, or if the data would not become
    /// smaller.
    func compress(_ data: Data) -> Data? {
        #if canImport(FoundationNetworking)
        switch kind {
        case .gzip: ContentCompressor.gzip(data)
        case .zstd: ContentCompressor.zstd(data)
        }
        #else
        nil
        #endif
    }
}

/// An interceptor that compresses the content of requests (RFC 9110, section 8.4.1).
///
///     manager.interceptors.call = [.compression(threshold: 4096, coding: .zstd)]
///
/// The request gets the field `Content-Encoding`. Content is sent unchanged in these cases: it has fewer bytes than
/// ``threshold``, it would not become smaller, it has a `Content-Encoding` already, or it is not in memory (files,
/// streams and forms). A server responds with the status 415 if it does not support the coding (RFC 7694). The request
/// is then sent once more, uncompressed. But if the coding was zstd and the field `Accept-Encoding` of the response
/// names gzip, the request is first sent with gzip. The library of the coding is loaded at run time, on Linux only.
/// Without the library nothing is compressed, because a server that reads one coding may not read another.
package struct RequestCompression: RequestInterceptor {
    /// The minimum size of content that is compressed, in bytes. Default: 1,024.
    package var threshold: Int
    /// The coding. Default: gzip.
    package var coding: RequestCoding

    /// Creates an interceptor.
    /// - Parameters:
    ///   - threshold: The minimum size of content that is compressed, in bytes. Default: 1,024.
    ///   - coding: The coding. Default: gzip.
    package init(threshold: Int = 1024, coding: RequestCoding = .gzip) {
        self.threshold = threshold
        self.coding = coding
    }

    /// Sends a request with compressed content. If the server does not support the coding, sends it again uncompressed.
    /// - Throws: The error of the attempt.
    package func intercept(
        _ request: URLRequest,
        context: RequestContext,
        next: RequestContext.Next
    ) async throws -> InterceptedResponse {
        guard let coded = compressed(request) else { return try await next(request) }
        func isRefused(_ response: InterceptedResponse) -> Bool {
            response.statusCode == 415 && !context.hasDeliveredContent && !Task.isCancelled
        }
        var response = try await next(coded)
        if isRefused(response), coding != .gzip, response.accepts(.gzip), let coded = compressed(request, .gzip) {
            response = try await next(coded)
        }
        return isRefused(response) ? try await next(request) : response
    }

    /// Returns the request with compressed content; nil if its content is sent unchanged.
    package func compressed(_ request: URLRequest) -> URLRequest? { compressed(request, coding) }

    private func compressed(_ request: URLRequest, _ coding: RequestCoding) -> URLRequest? {
        guard let content = request.httpBody, content.count >= threshold,
            request.value(forHTTPHeaderField: "Content-Encoding") == nil, let compressed = coding.compress(content)
        else { return nil }
        var coded = request
        coded.httpBody = compressed
        coded.setValue(coding.name, forHTTPHeaderField: "Content-Encoding")
        if request.value(forHTTPHeaderField: "Content-Length") != nil {
            coded.setValue(String(compressed.count), forHTTPHeaderField: "Content-Length")
        }
        return coded
    }
}

extension InterceptedResponse {
    /// Whether the field `Accept-Encoding` of the response names a coding for the content of requests (RFC 7694,
    /// section 3).
    fileprivate func accepts(_ coding: RequestCoding) -> Bool {
        guard let field = header("Accept-Encoding") else { return false }
        return field.parts(separatedBy: ",").contains { element in
            let parts = element.parts(separatedBy: ";").map { String($0.trimmingBlanks) }
            guard parts.first?.hasSameLetters(as: coding.name) == true else { return false }
            // The weight 0 means that the coding is not accepted (RFC 9110, section 12.4.2).
            return !parts.dropFirst().contains { $0.utf8.starts(with: "q=0".utf8) && Double($0.dropFirst(2)) == 0 }
        }
    }
}

extension RequestInterceptor where Self == ClosureInterceptor {
    /// Returns an interceptor that compresses the content of requests with gzip.
    /// - Parameter threshold: The minimum size of content that is compressed, in bytes. Default: 1,024.
    public static func compression(threshold: Int = 1024) -> ClosureInterceptor {
        ClosureInterceptor(RequestCompression(threshold: threshold))
    }

    /// Returns an interceptor that compresses the content of requests.
    ///
    /// Without the library of the coding, and on platforms other than Linux, content is sent uncompressed. After a 415,
    /// the request is sent again: with gzip, if the coding was zstd and the `Accept-Encoding` of the response names
    /// gzip, otherwise uncompressed.
    /// - Parameters:
    ///   - threshold: The minimum size of content that is compressed, in bytes. Default: 1,024.
    ///   - coding: The coding of the content, such as `.zstd`.
    public static func compression(threshold: Int = 1024, coding: RequestCoding) -> ClosureInterceptor {
        ClosureInterceptor(RequestCompression(threshold: threshold, coding: coding))
    }
}
