public import Foundation

extension LoopbackServer {
    /// What was waited for did not happen in time.
    public struct WaitTimeout: Error, Sendable, CustomStringConvertible {
        /// What was waited for, how long, and what was there instead.
        public let description: String
    }

    /// Blocks the thread until so many requests have come.
    ///
    /// - Parameters:
    ///   - count: How many there should be at least, with those that had come before.
    ///   - path: Only requests for this path count; nil, which is the default, means all.
    ///   - timeout: The limit in seconds, by default 30.
    /// - Returns: All requests that count, perhaps more than so many.
    /// - Throws: ``WaitTimeout``.
    @discardableResult
    public func waitForRequests(_ count: Int, to path: String? = nil, timeout: TimeInterval = 30) throws -> [Request] {
        let gate = journal.gate { $0.requests(to: path).count >= count }
        defer { journal.forget(gate) }
        gate.wait(timeout: timeout)
        return try requests(atLeast: count, to: path, after: timeout)
    }

    /// Suspends the task until so many requests have come, or the task is cancelled.
    ///
    /// - Parameters:
    ///   - count: How many there should be at least, with those that had come before.
    ///   - path: Only requests for this path count; nil, which is the default, means all.
    ///   - timeout: The limit in seconds, by default 30.
    /// - Returns: All requests that count, perhaps more than so many.
    /// - Throws: ``WaitTimeout``, or `CancellationError`.
    @discardableResult
    public func waitForRequests(
        _ count: Int,
        to path: String? = nil,
        timeout: TimeInterval = 30
    ) async throws -> [Request] {
        let gate = journal.gate { $0.requests(to: path).count >= count }
        defer { journal.forget(gate) }
        await gate.wait(atMost: timeout)
        try Task.checkCancellation()
        return try requests(atLeast: count, to: path, after: timeout)
    }

    /// Blocks the thread until exactly so many connections are open.
    ///
    /// - Parameters:
    ///   - count: How many there should be, such as 0 after a client has closed all of its own.
    ///   - timeout: The limit in seconds, by default 30.
    /// - Throws: ``WaitTimeout``.
    public func waitForOpenConnections(_ count: Int, timeout: TimeInterval = 30) throws {
        let gate = journal.gate { $0.openConnections == count }
        defer { journal.forget(gate) }
        if !gate.wait(timeout: timeout) { throw connectionTimeout(count, timeout) }
    }

    /// Suspends the task until exactly so many connections are open, or the task is cancelled.
    ///
    /// - Parameters:
    ///   - count: How many there should be, such as 0 after a client has closed all of its own.
    ///   - timeout: The limit in seconds, by default 30.
    /// - Throws: ``WaitTimeout``, or `CancellationError`.
    public func waitForOpenConnections(_ count: Int, timeout: TimeInterval = 30) async throws {
        let gate = journal.gate { $0.openConnections == count }
        defer { journal.forget(gate) }
        await gate.wait(atMost: timeout)
        try Task.checkCancellation()
        if !gate.isOpen { throw connectionTimeout(count, timeout) }
    }

    private func requests(atLeast count: Int, to path: String?, after timeout: TimeInterval) throws -> [Request] {
        let requests = journal.entries.requests(to: path)
        guard requests.count >= count else {
            let target = path.map { " to \($0)" } ?? ""
            throw WaitTimeout(
                description: "Waited \(timeout) s for \(count) requests\(target), but \(requests.count) came."
            )
        }
        return requests
    }

    private func connectionTimeout(_ count: Int, _ timeout: TimeInterval) -> WaitTimeout {
        WaitTimeout(
            description: "Waited \(timeout) s for \(count) open connections, but there are \(openConnectionCount)."
        )
    }
}

extension LoopbackServer.Gate {
    /// Suspends the task until the gate is open, the time is over or the task is cancelled.
    fileprivate func wait(atMost timeout: TimeInterval) async {
        await withTaskGroup { group in
            group.addTask { await self.wait() }
            // Sleeping throws only when it is cancelled, which is how it ends when the gate was first.
            group.addTask { try? await Task.sleep(for: .seconds(timeout.clampedToWaitingTime)) }
            await group.next()
            group.cancelAll()
        }
    }
}
