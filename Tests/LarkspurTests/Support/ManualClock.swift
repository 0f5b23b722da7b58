import Synchronization

/// A clock that stands still until a test moves it.
final class ManualClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration = .zero

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State {
        var now = Instant()
        var sleepers: [Int: (deadline: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var nextID = 0
    }

    private let state = Mutex(State())
    /// How long each sleep is, recorded when it begins.
    let sleeps = Recorder<Duration>()

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .zero }
    var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (isOver, duration) = state.withLock { state in
                    let isOver = Task.isCancelled || deadline <= state.now
                    if !isOver { state.sleepers[id] = (deadline, continuation) }
                    return (isOver, state.now.duration(to: deadline))
                }
                if isOver {
                    continuation.resume(with: Task.isCancelled ? .failure(CancellationError()) : .success(()))
                }
                sleeps.record(duration)
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: id) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.sorted { $0.deadline < $1.deadline }
        }
        for sleeper in due { sleeper.continuation.resume() }
    }
}

/// A clock whose sleeps end at once.
final class InstantClock: Clock, Sendable {
    private let state = Mutex(ManualClock.Instant())
    /// The length of each sleep.
    let sleeps = Recorder<Duration>()

    var now: ManualClock.Instant { state.withLock { $0 } }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        let duration = state.withLock { now in
            defer { now = max(now, deadline) }
            return now.duration(to: deadline)
        }
        sleeps.record(duration)
    }
}
