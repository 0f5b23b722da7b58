#if canImport(FoundationNetworking)
import Foundation
import LarkspurTesting
import Synchronization

/// The server's record of a crossing's requests.
final class CrossingRecord: Sendable {
    private struct State {
        var attempts: [Int: Int] = [:]
        var whole: Set<Int> = []
        var early: Set<Int> = []
        var left: Set<Int> = []
        var lost: Set<Int> = []
        var arrived: Set<Int> = []
        var primed = 0
        var violations: [String] = []
        var answered: [Int: LoopbackServer.Gate] = [:]
        var finished: [Int: LoopbackServer.Gate] = [:]
    }

    let crossing: Crossing
    let number: Int
    let contents: [CrossingContent]
    /// Open when the requests of all calls have arrived.
    let allArrived = LoopbackServer.Gate()
    /// Open when there are as many connections as calls.
    let allPrimed = LoopbackServer.Gate()
    private let state = Mutex(State())

    init(_ crossing: Crossing, number: Int) throws {
        self.crossing = crossing
        self.number = number
        contents = try (0..<crossing.calls).map {
            try CrossingContent(crossing, marker: Self.marker(number, $0), call: $0)
        }
    }

    static func marker(_ number: Int, _ call: Int) -> String { "\(number)-\(call)" }

    static func response(to marker: String) -> String { "The response to \(marker)" }

    func response(to call: Int) -> String { Self.response(to: Self.marker(number, call)) }

    var violations: [String] { state.withLock { $0.violations } }

    func note(_ violation: String) { state.withLock { $0.violations.append(violation) } }

    /// Records a request.
    /// - Returns: The number of the call's requests before it.
    func begin(_ call: Int) -> Int {
        state.withLock { state in
            defer { state.attempts[call, default: 0] += 1 }
            return state.attempts[call, default: 0]
        }
    }

    func attempts(of call: Int) -> Int { state.withLock { $0.attempts[call, default: 0] } }

    func notePrimed() {
        let isLast = state.withLock { state in
            state.primed += 1
            return state.primed == crossing.calls
        }
        if isLast { allPrimed.open() }
    }

    func noteArrival(_ call: Int) {
        let isLast = state.withLock { $0.arrived.insert(call).inserted && $0.arrived.count == crossing.calls }
        if isLast { allArrived.open() }
    }

    var arrivedCount: Int { state.withLock { $0.arrived.count } }

    /// Records that the content of a call has arrived as a whole.
    func noteWhole(_ call: Int) { state.withLock { _ = $0.whole.insert(call) } }

    /// Records that a call was answered before its content, on a connection that ends.
    func noteEarly(_ call: Int) { state.withLock { _ = $0.early.insert(call) } }

    /// Records that a call was answered before its content, and that the client has then ended the connection.
    func noteLeft(_ call: Int) { state.withLock { _ = $0.left.insert(call) } }

    /// Whether the call may be reported as a success.
    func maySucceed(_ call: Int) -> Bool {
        let mayLeave = CrossingRules(crossing: crossing).mayLeaveContent
        return state.withLock {
            $0.whole.contains(call) || $0.early.contains(call) || mayLeave && $0.left.contains(call)
        }
    }

    /// Whether the connection of a call's first request is lost; the next call of the function returns false.
    func losesConnection(_ call: Int) -> Bool { state.withLock { $0.lost.insert(call).inserted } }

    func hasLostConnection(_ call: Int) -> Bool { state.withLock { $0.lost.contains(call) } }

    /// The gate that opens when the server has nothing more to send to a call.
    func answered(_ call: Int) -> LoopbackServer.Gate { gate(\.answered, call) }

    /// The gate that opens when one of the writers of a call has ended the content.
    func finished(_ call: Int) -> LoopbackServer.Gate { gate(\.finished, call) }

    private func gate(
        _ gates: WritableKeyPath<State, [Int: LoopbackServer.Gate]>,
        _ call: Int
    ) -> LoopbackServer.Gate {
        state.withLock { state in
            let gate = state[keyPath: gates][call] ?? LoopbackServer.Gate()
            state[keyPath: gates][call] = gate
            return gate
        }
    }
}
#endif
