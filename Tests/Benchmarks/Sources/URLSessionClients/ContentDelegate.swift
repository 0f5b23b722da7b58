internal import Foundation
internal import FoundationNetworking
internal import Measuring
internal import Synchronization

/// Counts the content of each task, or collects it for decoding, and says when the task has ended.
final class ContentDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private struct Exchange {
        let target: Target
        let completion: CallbackClient.Completion
        var contentLength = 0
        var json: Data?

        /// Returns how much there is by now, and the completion of a stream that opens with it.
        mutating func receive(_ data: Data) -> (Int, CallbackClient.Completion?) {
            let opens = target.staysOpen && contentLength == 0
            contentLength += data.count
            json?.append(data)
            return (contentLength, opens ? completion : nil)
        }
    }

    private let workload: Options.Workload
    private let exchanges = Mutex<[Int: Exchange]>([:])
    private let invalidHandler = Mutex<(@Sendable () -> Void)?>(nil)

    init(_ workload: Options.Workload) {
        self.workload = workload
    }

    func expect(_ task: URLSessionTask, _ target: Target, _ completion: @escaping CallbackClient.Completion) {
        let exchange = Exchange(target: target, completion: completion, json: workload.decodes ? Data() : nil)
        exchanges.withLock { $0[task.taskIdentifier] = exchange }
    }

    func whenInvalid(_ handler: @escaping @Sendable () -> Void) {
        invalidHandler.withLock { $0 = handler }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let (after, opened) = exchanges.withLock { $0[dataTask.taskIdentifier]?.receive(data) ?? (0, nil) }
        opened?(nil)
        guard workload == .slow else { return }
        for _ in 0..<SlowConsumer.sleeps(from: after - data.count, to: after) {
            Thread.sleep(forTimeInterval: Double(SlowConsumer.sleepMilliseconds) / 1000)
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = exchanges.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        if exchange.target.staysOpen { end("\(exchange.target.url) has ended: \(error.map { "\($0)" } ?? "no error")") }
        let outcome = Outcome(task.response, exchange.contentLength, error, exchange.json)
        exchange.completion(outcome.failure(of: exchange.target, workload))
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        invalidHandler.withLock { $0 }?()
    }
}
