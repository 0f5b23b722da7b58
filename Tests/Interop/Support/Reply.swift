#if canImport(FoundationNetworking)
import Foundation
import LarkspurTransport
import Testing

/// What came of a task that went well.
struct Reply: Sendable {
    let response: HTTPURLResponse
    let content: Data
    /// One for each request that was sent.
    let metrics: [TransactionMetrics]
    let trailers: [String: String]?

    var status: Int { response.statusCode }
    var text: String { String(decoding: content, as: UTF8.self) }

    func field(_ name: String) -> String? { response.value(forHTTPHeaderField: name) }

    /// The request that brought this response.
    var last: TransactionMetrics {
        get throws { try #require(metrics.last) }
    }
}

extension URLSession {
    func reply(to request: URLRequest) async throws -> Reply {
        var task: URLSessionTask?
        let (content, response) = try await withCheckedThrowingContinuation { continuation in
            task = dataTask(with: request) { content, response, error in
                if let content, let response {
                    continuation.resume(returning: (content, response))
                } else {
                    continuation.resume(throwing: error ?? URLError(.unknown))
                }
            }
            task?.resume()
        }
        return Reply(
            response: try #require(response as? HTTPURLResponse),
            content: content,
            metrics: task?.transactionMetrics ?? [],
            trailers: task?.responseTrailers
        )
    }

    func reply(to url: URL) async throws -> Reply { try await reply(to: URLRequest(url: url)) }

    /// The error with which the loading of a URL fails.
    func failure(of url: URL, sourceLocation: SourceLocation = #_sourceLocation) async throws -> URLError {
        let error = await #expect(throws: URLError.self, sourceLocation: sourceLocation) {
            _ = try await self.reply(to: url)
        }
        return try #require(error)
    }
}
#endif
