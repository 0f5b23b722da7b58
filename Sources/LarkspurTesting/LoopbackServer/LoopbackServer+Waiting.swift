public import Foundation

extension LoopbackServer {
    /// The error of a wait that reached its limit.
    public struct WaitTimeout: Error, Sendable, CustomStringConvertible {
        /// The awaited condition, the limit, and the actual state.
        public let description: String
    }

    /// Blocks the thread until the server has received a number of requests.
    ///
    /// - Parameters:
    ///   - count: The minimum number of requests, including those before the call.
    ///   - path: The path of the requests that count; nil for all. Default: nil.
    ///   - timeout: The limit in seconds. Default: 30.
    /// - Returns: All requests that count, which may be more than `count`.
    /// - Throws: ``WaitTimeout``, if the limit is reached.
    @discardableResult
    public func waitForRequests(_ count: Int, to path: String? = nil, timeout: TimeInterval = 30) throws -> [Request] {
        let gate = journal.gate { $0.requests(to: path).count >= count }
        defer { journal.forget(gate) }
        gate.wait(timeout: timeout)
        return try requests(atLeast: count, to: path, after: timeout)
    }

    /// Suspends the task until the server has received a number of requests, or the task is cancelled.
    ///
    /// - Parameters:
    ///   - count: The minimum number of requests, including those before the call.
    ///   - path: The path of the requests that count; nil for all. Default: nil.
    ///   - timeout: The limit in seconds. Default: 30.
    /// - Returns: All requests that count, which may be more than `count`.
    /// - Throws: ``WaitTimeout``, if the limit is reached, or `CancellationError`.
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

    /// Blocks the thread until the number of open connections has a value.
    ///
    /// - Parameters:
    ///   - count: The exact number of open connections, such as 0 after a client has closed all of its own.
    ///   - timeout: The limit in seconds. Default: 30.
    /// - Throws: ``WaitTimeout``, if the limit is reached.
    public func waitForOpenConnections(_ count: Int, timeout: TimeInterval = 30) throws {
        let gate = journal.gate { $0.openConnections == count }
        defer { journal.forget(gate) }
        if !gate.wait(timeout: timeout) { throw connectionTimeout(count, timeout) }
    }

    /// Suspends the task until the number of open connections has a value, or the task is cancelled.
    ///
    /// - Parameters:
    ///   - count: The exact number of open connections, such as 0 after a client has closed all of its own.
    ///   - timeout: The limit in seconds. Default: 30.
    /// - Throws: ``WaitTimeout``, if the limit is reached, or `CancellationError`.
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
            // The sleep throws only if it is cancelled, which happens when the gate opens first.
            group.addTask { try? await Task.sleep(for: .seconds(timeout.clampedToWaitingTime)) }
            await group.next()
            group.cancelAll()
        }
    }
}
