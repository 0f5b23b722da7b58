import LarkspurTransport
import Synchronization

/// A delegate that takes redirects for the responses that they are.
final class RedirectRefuser: NSObject, URLSessionDataDelegate, Sendable {
    private let content = Mutex(Data())
    private let results: AsyncStream<(Data, URLError?)>
    private let continuation: AsyncStream<(Data, URLError?)>.Continuation

    override init() {
        (results, continuation) = AsyncStream.makeStream()
    }

    /// The content and the error with which the task ended.
    var result: (Data, URLError?) {
        get async {
            for await result in results { return result }
            return (Data(), URLError(.cancelled))
        }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        content.withLock { $0 += data }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        continuation.yield((content.withLock { $0 }, error as? URLError))
    }
}
