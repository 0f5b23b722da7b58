internal import AsyncHTTPClient
internal import Measuring
internal import NIOCore
internal import Synchronization

/// Calls back with the first content of a response that stays open.
final class StreamDelegate: HTTPClientResponseDelegate {
    private let completion: Mutex<CallbackClient.Completion?>

    init(_ completion: @escaping CallbackClient.Completion) {
        self.completion = Mutex(completion)
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        let completion = completion.withLock { $0.take() }
        completion?(nil)
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) throws {}
}
