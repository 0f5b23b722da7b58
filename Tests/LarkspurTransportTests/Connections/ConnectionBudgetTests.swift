#if canImport(FoundationNetworking)
import Testing

@testable import LarkspurTransport

@Suite("The budget of connections")
struct ConnectionBudgetTests {
    /// Queues that share a budget, and whose users are recorded when they are admitted.
    private final class Queues {
        private let queues: [HostQueue]
        private(set) var admitted: [String] = []

        init(_ count: Int, limit: Int, budget: Int) {
            let budget = ConnectionBudget(limit: budget)
            queues = (0..<count).map { _ in HostQueue(limit: limit, budget: budget) }
        }

        @discardableResult
        func enqueue(_ index: Int, _ number: Int, failing: Bool = false) -> FakeConnectionUser {
            let user = FakeConnectionUser(number)
            user.onBeginning = { [unowned self] in
                admitted.append("\(index).\($0.identifier)")
                if failing { release(index) }
            }
            queues[index].enqueue(user, priority: 0.5)
            return user
        }

        func release(_ index: Int) { queues[index].release(nil) }

        func share(_ index: Int) { queues[index].allowMultiplexing(in: nil) }
    }

    @Test("The number of admitted requests does not exceed the limit, however many origins there are")
    func limit() {
        let queues = Queues(3, limit: 2, budget: 3)
        for number in 0..<3 { for index in 0..<3 { queues.enqueue(index, number) } }
        #expect(queues.admitted == ["0.0", "1.0", "2.0"])
    }

    @Test("The limit of an origin applies in addition to the budget")
    func limitOfOrigin() {
        let queues = Queues(2, limit: 2, budget: 5)
        for number in 0..<4 { queues.enqueue(0, number) }
        for number in 0..<4 { queues.enqueue(1, number) }
        #expect(queues.admitted == ["0.0", "0.1", "1.0", "1.1"])
    }

    @Test("A free place is given to the origin that has waited longest")
    func order() {
        let queues = Queues(3, limit: 4, budget: 1)
        for number in 0..<2 { for index in 0..<3 { queues.enqueue(index, number) } }
        for index in [0, 1, 2, 0, 1, 2] { queues.release(index) }
        #expect(queues.admitted == ["0.0", "1.0", "2.0", "0.1", "1.1", "2.1"])
    }

    @Test("A request that has left the queue takes no place")
    func leaving() {
        let queues = Queues(3, limit: 4, budget: 1)
        queues.enqueue(0, 0)
        queues.enqueue(1, 0).ticket = nil
        queues.enqueue(2, 0)
        queues.release(0)
        #expect(queues.admitted == ["0.0", "2.0"])
    }

    @Test("Requests that share a connection take one place")
    func sharing() {
        let queues = Queues(2, limit: 4, budget: 3)
        for number in 0..<6 { queues.enqueue(0, number) }
        for number in 0..<3 { queues.enqueue(1, number) }
        #expect(queues.admitted.count == 3)
        queues.share(0)
        #expect(Set(queues.admitted) == ["0.0", "0.1", "0.2", "0.3", "0.4", "0.5", "1.0", "1.1"])
        for _ in 0..<5 { queues.release(0) }
        #expect(queues.admitted.count == 8)
        queues.release(0)
        #expect(queues.admitted.last == "1.2")
        // The place is taken again by the next request.
        queues.enqueue(0, 6)
        #expect(queues.admitted.count == 9)
        queues.release(1)
        #expect(queues.admitted.last == "0.6")
    }

    @Test("Requests that end as soon as they begin give their places to all others")
    func failures() {
        let count = 20_000
        let queues = Queues(count, limit: 1, budget: 1)
        queues.enqueue(0, 0)
        for index in 1..<count { queues.enqueue(index, 0, failing: true) }
        #expect(queues.admitted.count == 1)
        queues.release(0)
        #expect(queues.admitted.count == count)
    }
}
#endif
