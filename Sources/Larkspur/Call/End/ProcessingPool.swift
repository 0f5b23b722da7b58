import Synchronization

/// The pool that runs validation and serialization on the processing queue. It uses at most as many threads at a time
/// as there are processors, but two if there is only one processor.
///
/// Responses come in bursts. A worker that has finished one response continues with the next, so that a thread is woken
/// once for a burst and not for each response.
final class ProcessingPool: Sendable {
    typealias Work = @Sendable () -> Void

    private struct State {
        var works: [Work?] = []
        var next = 0
        var workers = 0

        mutating func take() -> Work? {
            guard next < works.count else {
                works.removeAll(keepingCapacity: true)
                next = 0
                workers -= 1
                return nil
            }
            next += 1
            // The work retains a response, which must be released before the end of the burst.
            defer { works[next - 1] = nil }
            return works[next - 1]
        }
    }

    private static let limit = max(2, ProcessInfo.processInfo.activeProcessorCount)

    /// The concurrent queue on which the workers run.
    let queue = DispatchQueue(label: "larkspur.processing", attributes: .concurrent)
    private let state = Mutex(State())

    func submit(_ work: @escaping Work) {
        let needsWorker = state.withLock { state in
            state.works.append(work)
            guard state.workers < Self.limit else { return false }
            state.workers += 1
            return true
        }
        if needsWorker { queue.async { [self] in run() } }
    }

    private func run() {
        while let work = state.withLock({ $0.take() }) { work() }
    }
}
