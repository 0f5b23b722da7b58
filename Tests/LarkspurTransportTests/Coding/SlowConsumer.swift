import LarkspurTransport
import Synchronization

/// A delegate that takes no chunk after the first until it is told to.
final class SlowConsumer: NSObject, URLSessionDataDelegate, Sendable {
    enum Event: Sendable {
        case data(Data)
        case complete(URLError?)
    }

    let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation
    private let gate = DispatchSemaphore(value: 0)
    private let hasWaited = Atomic(false)

    override init() {
        (events, continuation) = AsyncStream.makeStream()
    }

    /// Lets the first chunk, and all others, pass.
    func open() { gate.signal() }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        continuation.yield(.data(data))
        if !hasWaited.exchange(true, ordering: .relaxed) { gate.wait() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        continuation.yield(.complete(error as? URLError))
        continuation.finish()
    }
}
