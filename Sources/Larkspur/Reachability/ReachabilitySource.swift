/// Who knows whether something can be reached: the system, or a test.
protocol ReachabilitySource: Sendable {
    /// Begins to watch.
    /// - Parameters:
    ///   - target: What is to be reached.
    ///   - report: Is told the status as soon as it is known, and whenever it may have changed; one call at a time.
    /// - Returns: What ends it. There may be a report under way when it returns.
    /// - Throws: ``ReachabilityUnavailable`` where the system does not tell.
    func watch(
        _ target: ReachabilityTarget,
        report: @escaping @Sendable (NetworkReachabilityStatus) -> Void
    ) throws(ReachabilityUnavailable) -> @Sendable () -> Void
}

/// The system does not tell.
struct ReachabilityUnavailable: Error, Equatable {
    /// Why, in a sentence.
    let reason: String
}

/// A source of its own for a system that has none.
struct UnavailableReachabilitySource: ReachabilitySource {
    let reason: String

    func watch(
        _ target: ReachabilityTarget,
        report: @escaping @Sendable (NetworkReachabilityStatus) -> Void
    ) throws(ReachabilityUnavailable) -> @Sendable () -> Void {
        throw ReachabilityUnavailable(reason: reason)
    }
}
