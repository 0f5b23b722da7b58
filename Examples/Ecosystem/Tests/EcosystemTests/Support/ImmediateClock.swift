/// A clock whose sleeps end at once, unless the task was cancelled.
struct ImmediateClock: Clock {
    let minimumResolution = Duration.zero

    var now: ContinuousClock.Instant { .now }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
    }
}
