package import Testing

/// Waits for a condition that no event reports, such as the deinitialization of an object whose last reference another
/// thread holds for a moment.
package func eventually(_ condition: () async -> Bool, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    try await eventually(true, condition, sourceLocation: sourceLocation)
}

/// Waits until a value that no event reports equals another one. A failure shows the value that was seen last.
package func eventually<Value: Equatable>(
    _ expected: Value,
    _ value: () async throws -> Value,
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    try await eventually(value, isMet: { $0 == expected }, "equal \(expected)", sourceLocation: sourceLocation)
}

/// Waits until a value that no event reports is in a range. A failure shows the value that was seen last.
package func eventually<Range: RangeExpression>(
    in range: Range,
    _ value: () async throws -> Range.Bound,
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    try await eventually(value, isMet: { range.contains($0) }, "be in \(range)", sourceLocation: sourceLocation)
}

/// Looks at a value until it meets a condition. Between two looks it leaves the processor to the other tests.
private func eventually<Value>(
    _ value: () async throws -> Value,
    isMet: (Value) -> Bool,
    _ condition: String,
    sourceLocation: SourceLocation
) async throws {
    let deadline = ContinuousClock.now + .seconds(180)
    var seen = try await value()
    while !isMet(seen) {
        try Task.checkCancellation()
        guard ContinuousClock.now < deadline else {
            Issue.record("After 180 s the value is \(seen); it should \(condition).", sourceLocation: sourceLocation)
            return
        }
        try await Task.sleep(for: .milliseconds(1))
        seen = try await value()
    }
}
