public import Foundation
internal import HTTPSyntax

extension LoopbackServer {
    /// The number of requests that an expectation requires.
    public struct RequestCount: Sendable, Hashable, CustomStringConvertible, ExpressibleByIntegerLiteral {
        let range: ClosedRange<Int>

        /// Exactly the given number of requests; a negative number counts as 0.
        public static func times(_ count: Int) -> RequestCount { RequestCount(range: max(0, count)...max(0, count)) }
        /// The given number of requests, or more.
        public static func atLeast(_ count: Int) -> RequestCount { RequestCount(range: max(0, count)...Int.max) }
        /// The given number of requests, or fewer.
        public static func atMost(_ count: Int) -> RequestCount { RequestCount(range: 0...max(0, count)) }
        /// No request.
        public static let never = times(0)
        /// Exactly one request.
        public static let once = times(1)

        private init(range: ClosedRange<Int>) { self.range = range }

        /// Creates the count ``times(_:)`` from a literal.
        public init(integerLiteral value: Int) { self = .times(value) }

        /// The number in words, such as `at least 2 times`.
        public var description: String {
            if range == 0...0 { return "never" }
            if range.lowerBound == range.upperBound { return Self.times(range.lowerBound, "") }
            return range.upperBound == Int.max
                ? Self.times(range.lowerBound, "at least ") : Self.times(range.upperBound, "at most ")
        }

        private static func times(_ count: Int, _ prefix: String) -> String {
            prefix + (count == 1 ? "once" : "\(count) times")
        }
    }

    /// An expectation about the clients of a server.
    struct Expectation: Sendable {
        let pattern: RequestPattern
        let count: RequestCount

        /// Returns the matching requests.
        func fitting(_ requests: [Request]) -> [Request] {
            requests.filter { pattern.differences(of: $0).isEmpty }
        }

        /// Returns the failure in words; nil if the expectation is met.
        func failure(_ requests: [Request]) -> String? {
            let fitting = fitting(requests)
            guard !count.range.contains(fitting.count) else { return nil }
            var text =
                "Expected \(count): \(pattern)\n    came: \(fitting.count == 1 ? "once" : "\(fitting.count) times")"
            let others = requests.filter { !pattern.differences(of: $0).isEmpty }
            guard fitting.count < count.range.lowerBound,
                let nearest = Nearness.nearest(1, of: others, by: pattern.distance(to:)).first
            else { return text }
            let differences = pattern.differences(of: nearest).joined(separator: ", and ")
            text += "\n    nearest: \(nearest.method) \(nearest.target), but \(differences)".onOneLineKeepingIndentation
            return text
        }
    }

    /// The error of expectations that were not met.
    public struct UnmetExpectations: Error, Sendable, CustomStringConvertible, LocalizedError {
        /// The expectations, the received requests, the most similar request with its differences, and the position of
        /// the call of `verify`.
        public let description: String
        /// The module and the file of the call of `verify`, as in `#fileID`.
        public let fileID: String
        /// The line of the call of `verify`.
        public let line: Int

        init(_ report: String, _ fileID: StaticString, _ line: UInt) {
            self.fileID = "\(fileID)"
            self.line = Int(line)
            description = report + "\nVerified at \(fileID):\(line)."
        }
        /// The text of ``description``.
        public var errorDescription: String? { description }
    }

    /// Adds an expectation about clients' requests. ``verify(fileID:line:)`` and ``verify(timeout:fileID:line:)`` check
    /// the expectation. It does not change the responses.
    ///
    ///     server.expect(.post("/users").json(#"{"name": "Ada"}"#), 1)
    ///     server.expect(.delete("/users/{id}"), .never)
    ///
    /// - Parameters:
    ///   - pattern: The requests.
    ///   - count: The number of requests; a literal means exactly that number. Default: once.
    public func expect(_ pattern: RequestPattern, _ count: RequestCount = .once) {
        expectations.add(Expectation(pattern: pattern, count: count))
    }

    /// Adds an expectation about clients' requests.
    /// - Parameters:
    ///   - pattern: The requests.
    ///   - times: The exact number of requests.
    public func expect(_ pattern: RequestPattern, times: Int) { expect(pattern, .times(times)) }

    /// Adds an expectation about clients' requests.
    /// - Parameters:
    ///   - pattern: The requests.
    ///   - atLeast: The minimum number of requests.
    public func expect(_ pattern: RequestPattern, atLeast: Int) { expect(pattern, .atLeast(atLeast)) }

    /// Removes the expectations.
    public func removeExpectations() { expectations.removeAll() }

    /// Checks the expectations against the requests so far.
    /// - Parameters:
    ///   - fileID: The file for the error. Default: the file of the call.
    ///   - line: The line for the error. Default: the line of the call.
    /// - Throws: ``UnmetExpectations`` with all expectations that are not met.
    public func verify(fileID: StaticString = #fileID, line: UInt = #line) throws {
        let requests = journal.entries.requests
        let failures = expectations.all.compactMap { $0.failure(requests) }
        guard !failures.isEmpty else { return }
        throw UnmetExpectations(Self.report(failures, requests), fileID, line)
    }

    /// Waits until enough requests have arrived, and then checks the expectations. So a test need not know when its
    /// client has sent the requests. The method does not wait for superfluous requests.
    /// - Parameters:
    ///   - timeout: The limit.
    ///   - fileID: The file for the error. Default: the file of the call.
    ///   - line: The line for the error. Default: the line of the call.
    /// - Throws: ``UnmetExpectations`` with all expectations that are not met when the limit is reached, or
    ///   `CancellationError`.
    public func verify(
        timeout: Duration,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws {
        let expectations = expectations.all
        let clock = ContinuousClock()
        let deadline = clock.now + timeout.clampedToWaitingTime
        while true {
            // Outside of the journal's lock, because the conditions are the caller's code.
            let requests = journal.entries.requests
            let areEnough = expectations.allSatisfy { $0.fitting(requests).count >= $0.count.range.lowerBound }
            let remaining = clock.now.duration(to: deadline)
            guard !areEnough, remaining > .zero, !Task.isCancelled else { break }
            let gate = journal.gate { $0.requests.count != requests.count }
            await gate.wait(atMost: remaining)
            journal.forget(gate)
        }
        try Task.checkCancellation()
        try verify(fileID: fileID, line: line)
    }

    private static func report(_ failures: [String], _ requests: [Request]) -> String {
        let most = 20
        var lines = failures
        lines.append(requests.isEmpty ? "No request came." : "The requests that came:")
        lines += requests.prefix(most).map { "    \($0.method) \($0.target)".onOneLineKeepingIndentation }
        if requests.count > most { lines.append("    … and \(requests.count - most) more") }
        return lines.joined(separator: "\n")
    }
}

extension String {
    /// The text with escapes in place of control characters, except for the white space at its beginning.
    fileprivate var onOneLineKeepingIndentation: String {
        let indentation = prefix { $0 == " " || $0 == "\n" }
        return indentation + String(dropFirst(indentation.count)).onOneLine
    }
}
