import Synchronization

/// A client that calls back: what ends a request begins the next.
package protocol CallbackClient: Client {
    typealias Completion = @Sendable (_ failure: String?) -> Void

    /// Begins one request; `completion` is called once, with a sentence if it failed.
    func perform(_ request: Request, completion: @escaping Completion)
}

extension CallbackClient {
    package func run(_ request: Request, in loop: ClosedLoop, inFlight: Int) async {
        await withCheckedContinuation { continuation in
            let lanes = Lanes(count: inFlight) { continuation.resume() }
            for _ in 0..<inFlight { performNext(request, loop, lanes) }
        }
    }

    private func performNext(_ request: Request, _ loop: ClosedLoop, _ lanes: Lanes) {
        guard loop.claim() else { return lanes.leave() }
        perform(request) { failure in
            loop.finish(failure)
            performNext(request, loop, lanes)
        }
    }
}

/// Calls a closure when the last of several chains of requests has come to its end.
private final class Lanes: Sendable {
    private let count: Atomic<Int>
    private let whenEmpty: @Sendable () -> Void

    init(count: Int, whenEmpty: @escaping @Sendable () -> Void) {
        self.count = Atomic(count)
        self.whenEmpty = whenEmpty
    }

    func leave() {
        if count.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { whenEmpty() }
    }
}
