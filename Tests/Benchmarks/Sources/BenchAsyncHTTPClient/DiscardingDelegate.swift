internal import AsyncHTTPClient
internal import Measuring
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// Counts the content, and has the server wait where the consumer sleeps.
final class DiscardingDelegate: HTTPClientResponseDelegate {
    private let sleeps: Bool
    private let received = Mutex((status: 0, contentLength: 0))

    init(sleeps: Bool) {
        self.sleeps = sleeps
    }

    func didReceiveHead(task: HTTPClient.Task<(Int, Int)>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        received.withLock { $0.status = Int(head.status.code) }
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<(Int, Int)>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        let after = received.withLock {
            $0.contentLength += buffer.readableBytes
            return $0.contentLength
        }
        let count = sleeps ? SlowConsumer.sleeps(from: after - buffer.readableBytes, to: after) : 0
        guard count > 0 else { return task.eventLoop.makeSucceededVoidFuture() }
        let delay = TimeAmount.milliseconds(Int64(count * SlowConsumer.sleepMilliseconds))
        return task.eventLoop.scheduleTask(in: delay) {}.futureResult
    }

    func didFinishRequest(task: HTTPClient.Task<(Int, Int)>) throws -> (Int, Int) {
        received.withLock { $0 }
    }
}
