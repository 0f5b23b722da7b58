internal import Foundation
import HTTPSyntax
internal import Synchronization

/// The record of the server's events so far, and the gates that wait for further events.
final class Journal: Sendable {
    typealias Request = LoopbackServer.Request
    typealias Gate = LoopbackServer.Gate

    struct Entries: Sendable {
        fileprivate(set) var requests: [Request] = []
        fileprivate(set) var acceptedConnections = 0
        fileprivate(set) var openConnections = 0

        func requests(to path: String?) -> [Request] {
            guard let path else { return requests }
            return requests.filter { $0.path == path }
        }
    }

    private struct Waiter: Sendable {
        let isSatisfied: @Sendable (Entries) -> Bool
        let gate: Gate
    }

    private struct State {
        var entries = Entries()
        var waiters: [Waiter] = []
    }

    private let state = Mutex(State())

    var entries: Entries {
        state.withLock { $0.entries }
    }

    func record(_ request: Request) {
        update { $0.requests.append(request) }
    }

    func clearRequests() {
        update { $0.requests = [] }
    }

    func connectionOpened() {
        update { entries in
            entries.acceptedConnections += 1
            entries.openConnections += 1
        }
    }

    func connectionClosed() {
        update { $0.openConnections -= 1 }
    }

    private func update(_ change: (inout Entries) -> Void) {
        let satisfied = state.withLock { state in
            change(&state.entries)
            let satisfied = state.waiters.filter { $0.isSatisfied(state.entries) }
            state.waiters.removeAll { waiter in satisfied.contains { $0.gate === waiter.gate } }
            return satisfied
        }
        for waiter in satisfied { waiter.gate.open() }
    }

    // MARK: Waiting

    /// Returns a gate that opens as soon as the entries meet a condition. The gate stays open even if the entries
    /// change again.
    func gate(when isSatisfied: @escaping @Sendable (Entries) -> Bool) -> Gate {
        let gate = Gate()
        let isSatisfiedNow = state.withLock { state in
            if isSatisfied(state.entries) { return true }
            state.waiters.append(Waiter(isSatisfied: isSatisfied, gate: gate))
            return false
        }
        if isSatisfiedNow { gate.open() }
        return gate
    }

    /// Removes a gate that is no longer needed.
    func forget(_ gate: Gate) {
        state.withLock { state in state.waiters.removeAll { $0.gate === gate } }
    }
}
