package import Testing

/// Waits for a condition that no event announces, such as the end of an object whose last reference another thread
/// holds for a moment.
package func eventually(
    _ condition: () -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let deadline = ContinuousClock.now + .seconds(180)
    while !condition(), ContinuousClock.now < deadline {
        try Task.checkCancellation()
        await Task.yield()
    }
    #expect(condition(), sourceLocation: sourceLocation)
}
