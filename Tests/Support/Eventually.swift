package import Testing

/// Waits for a condition that no event reports, such as the deinitialization of an object whose last reference another
/// thread holds for a moment. Between two looks it leaves the processor to the other tests.
package func eventually(_ condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let deadline = ContinuousClock.now + .seconds(180)
    while !condition() {
        try Task.checkCancellation()
        guard ContinuousClock.now < deadline else {
            Issue.record("The condition has not come true.", sourceLocation: sourceLocation)
            return
        }
        try await Task.sleep(for: .milliseconds(1))
    }
}
