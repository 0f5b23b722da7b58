#if canImport(FoundationNetworking)
import Foundation
import Larkspur
import LarkspurTransport
import Synchronization

/// The ways in which a program can load a URL.
enum LoadingStyle: CaseIterable, Sendable {
    case handler, delegate, async, bytes, download, manager

    /// Loads a URL; the content as far as it came is not returned with an error.
    func load(_ url: URL, from server: MisbehavingServer) async throws -> Data {
        switch self {
        case .handler:
            return try await server.makeSession().reply(to: url).content
        case .async:
            return try await server.makeSession().data(from: url).0
        case .bytes:
            var content = Data()
            for try await byte in try await server.makeSession().bytes(from: url).0 { content.append(byte) }
            return content
        case .download:
            let (file, _) = try await server.makeSession().download(from: url)
            defer { try? FileManager.default.removeItem(at: file) }
            return try Data(contentsOf: file)
        case .delegate:
            return try await withCheckedThrowingContinuation { continuation in
                let collector = ContentCollector { continuation.resume(with: $0) }
                let session = server.makeSession(delegate: collector)
                session.dataTask(with: url).resume()
                session.finishTasksAndInvalidate()
            }
        case .manager:
            let manager = SessionManager(configuration: .ephemeral, transport: .curl(server.options))
            return try await withCheckedThrowingContinuation { continuation in
                manager.get(url.absoluteString, as: .data) { _, content in
                    continuation.resume(returning: content)
                } failure: { _, error in
                    continuation.resume(throwing: error)
                }
            }
        }
    }
}

/// A delegate that collects the content of one task.
final class ContentCollector: NSObject, URLSessionDataDelegate {
    private let content = Mutex(Data())
    private let completion: @Sendable (Result<Data, any Error>) -> Void

    init(completion: @escaping @Sendable (Result<Data, any Error>) -> Void) { self.completion = completion }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        content.withLock { $0 += data }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let content = content.withLock { $0 }
        completion(error.map { .failure($0) } ?? .success(content))
    }
}
#endif
