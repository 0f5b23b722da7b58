import Testing

/// Waits for a condition that no event reports.
func eventually(
    _ condition: () async -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let deadline = ContinuousClock.now + .seconds(120)
    while await !condition() {
        try Task.checkCancellation()
        guard ContinuousClock.now < deadline else {
            Issue.record("The condition has not come true.", sourceLocation: sourceLocation)
            return
        }
        try await Task.sleep(for: .milliseconds(1))
    }
}
