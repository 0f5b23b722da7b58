import Larkspur
import Synchronization

/// A request that is sent repeatedly, to measure latencies.
struct Repetition: Sendable {
    /// The receiver that discards the content of a response.
    private struct Counter: RequestExchange.Receiver {
        func redirect(_ response: HTTPURLResponse, to request: URLRequest) {}
        func begin(_ response: HTTPURLResponse) -> Bool { true }
        func receive(_ data: Data) -> Bool { true }
    }

    /// The state that the parallel requests share.
    private final class Tally: Sendable {
        struct State {
            var remaining: Int
            var summary = LatencySummary()
            var firstError: LarkspurError?
        }

        let state: Mutex<State>

        init(_ count: Int) { state = Mutex(State(remaining: count)) }

        /// Takes one of the remaining requests. Returns false if no request is left.
        func take() -> Bool {
            state.withLock { state in
                guard state.remaining > 0 else { return false }
                state.remaining -= 1
                return true
            }
        }

        func note(_ outcome: RequestExchange.Outcome, after latency: Duration) {
            state.withLock { state in
                if let status = outcome.response?.statusCode, outcome.error == nil {
                    state.summary.add(latency, status: status)
                } else {
                    state.summary.addError()
                    state.firstError = state.firstError ?? outcome.error
                }
            }
        }
    }

    let exchange: RequestExchange
    let count: Int
    let parallelism: Int

    /// Sends all requests. Returns their latencies, the time for all of them, and the first error.
    func run() async -> (summary: LatencySummary, elapsed: Duration, firstError: LarkspurError?) {
        let tally = Tally(count)
        let began = ContinuousClock.now
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<min(parallelism, count) {
                group.addTask {
                    while tally.take() {
                        let start = ContinuousClock.now
                        let outcome = await exchange.run(Counter())
                        tally.note(outcome, after: start.duration(to: .now))
                    }
                }
            }
        }
        let state = tally.state.withLock { $0 }
        return (state.summary, began.duration(to: .now), state.firstError)
    }
}
