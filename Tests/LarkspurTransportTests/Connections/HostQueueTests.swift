#if canImport(FoundationNetworking)
import Testing

@testable import LarkspurTransport

@Suite("HostQueue")
struct HostQueueTests {
    /// A queue whose users are recorded when they are admitted.
    private final class Line {
        let queue: HostQueue
        private(set) var admitted: [Int] = []
        private(set) var users: [FakeConnectionUser] = []

        init(limit: Int) { queue = HostQueue(limit: limit) }

        @discardableResult func enqueue(_ identifier: Int, priority: Float = 0.5) -> FakeConnectionUser {
            let user = FakeConnectionUser(identifier)
            user.onBeginning = { [unowned self] in admitted.append($0.identifier) }
            users.append(user)
            queue.enqueue(user, priority: priority)
            return user
        }

        /// Ends transfers until all users have had theirs.
        func drain() {
            for _ in users { queue.release(nil) }
        }
    }

    @Test("No more users are admitted at a time than the limit allows", arguments: [1, 2, 6])
    func limit(_ limit: Int) {
        let line = Line(limit: limit)
        for number in 0..<10 { line.enqueue(number) }
        #expect(line.admitted == Array(0..<limit))
    }

    @Test("The end of a transfer admits the next user, and no other")
    func release() {
        let line = Line(limit: 2)
        for number in 0..<5 { line.enqueue(number) }
        line.queue.release(nil)
        #expect(line.admitted == [0, 1, 2])
        line.queue.release(nil)
        #expect(line.admitted == [0, 1, 2, 3])
    }

    @Test("A user that comes after the end of a transfer is admitted")
    func laterUsers() {
        let line = Line(limit: 1)
        line.enqueue(0)
        line.queue.release(nil)
        line.enqueue(1)
        #expect(line.admitted == [0, 1])
    }

    @Test("Users are admitted by priority, and those of one priority in the order of their arrival")
    func order() {
        let line = Line(limit: 1)
        line.enqueue(0)
        let priorities: [Float] = [0.5, 0, 1, 0.5, 1, 0.25, 0, 0.5]
        for (index, priority) in priorities.enumerated() { line.enqueue(index + 1, priority: priority) }
        line.drain()
        #expect(line.admitted == [0, 3, 5, 1, 4, 8, 6, 2, 7])
    }

    @Test("A user has a ticket while it waits")
    func tickets() {
        let line = Line(limit: 1)
        #expect(line.enqueue(0).ticket == nil)
        let waiting = line.enqueue(1)
        #expect(waiting.ticket != nil)
        line.queue.release(nil)
        #expect(waiting.ticket == nil)
    }

    @Test("A user that leaves while it waits is skipped, and takes no place")
    func leaving() {
        let line = Line(limit: 1)
        line.enqueue(0)
        let leaving = line.enqueue(1)
        line.enqueue(2)
        line.enqueue(3)
        leaving.ticket = nil
        line.queue.release(nil)
        #expect(line.admitted == [0, 2])
        #expect(leaving.beginnings == 0)
        line.queue.release(nil)
        #expect(line.admitted == [0, 2, 3])
    }

    @Test(
        "A user that is queued again with another priority is admitted once, by the new priority",
        arguments: [0, 1] as [Float]
    )
    func prioritizing(priority: Float) {
        let line = Line(limit: 1)
        line.enqueue(0)
        line.enqueue(1)
        let moving = line.enqueue(2)
        line.enqueue(3)
        line.queue.enqueue(moving, priority: priority)
        line.drain()
        #expect(line.admitted == (priority == 1 ? [0, 2, 1, 3] : [0, 1, 3, 2]))
    }

    @Test("Many users keep their order when most of them leave")
    func many() {
        let line = Line(limit: 1)
        line.enqueue(-1)
        for number in 0..<1_000 { line.enqueue(number) }
        for user in line.users where user.identifier % 3 != 0 { user.ticket = nil }
        line.drain()
        #expect(line.admitted == [-1] + Array(stride(from: 0, to: 1_000, by: 3)))
    }

    @Test("A user that ends as soon as it is admitted gives its place to the next one, without recursion")
    func endingAtOnce() {
        let queue = HostQueue(limit: 1)
        var depth = 0
        var greatestDepth = 0
        var beginnings = 0
        queue.enqueue(FakeConnectionUser(-1), priority: 0.5)
        for number in 0..<1_000 {
            let user = FakeConnectionUser(number)
            user.onBeginning = { _ in
                depth += 1
                beginnings += 1
                greatestDepth = max(greatestDepth, depth)
                queue.release(nil)
                depth -= 1
            }
            queue.enqueue(user, priority: 0.5)
        }
        queue.release(nil)
        #expect(beginnings == 1_000)
        #expect(greatestDepth == 1)
        #expect(queue.isIdle)
    }

    @Test("A queue is idle when no transfer is active and no user waits")
    func idle() {
        let line = Line(limit: 1)
        #expect(line.queue.isIdle)
        line.enqueue(0)
        #expect(!line.queue.isIdle)
        line.queue.release(nil)
        #expect(line.queue.isIdle)
    }

    @Test("With HTTP/2, as many users are admitted as share a connection")
    func multiplexing() {
        let line = Line(limit: 1)
        for number in 0..<150 { line.enqueue(number) }
        line.queue.allowMultiplexing(in: nil)
        #expect(line.admitted == Array(0..<100))
    }

    @Test("HTTP/2 does not lower a limit")
    func highLimit() {
        let line = Line(limit: 120)
        line.queue.allowMultiplexing(in: nil)
        for number in 0..<150 { line.enqueue(number) }
        #expect(line.admitted.count == 120)
    }

    // MARK: Shards

    private func makeConnections() throws -> Connections {
        try Connections(settings: TestEngine().settings, poll: EventPoll())
    }

    @Test("The shard of the transfer that ended last is taken first, and each shard is taken once")
    func shards() throws {
        let connections = try makeConnections()
        let (first, second) = (
            try #require(connections.shardWithRoom(for: .requests)),
            try #require(connections.shardWithRoom(for: .webSockets))
        )
        let queue = HostQueue(limit: 2)
        for number in 0..<2 { queue.enqueue(FakeConnectionUser(number), priority: 0.5) }
        #expect(queue.takeShard() === nil)
        queue.release(first)
        queue.release(second)
        #expect(queue.takeShard() === second)
        #expect(queue.takeShard() === first)
        #expect(queue.takeShard() === nil)
        connections.close()
    }

    @Test("A shard that was closed is not taken")
    func closedShards() throws {
        let connections = try makeConnections()
        let shard = try #require(connections.shardWithRoom(for: .requests))
        let queue = HostQueue(limit: 1)
        queue.enqueue(FakeConnectionUser(0), priority: 0.5)
        queue.release(shard)
        queue.allowMultiplexing(in: shard)
        connections.close()
        #expect(queue.takeShard() === nil)
    }

    @Test("The shard of an HTTP/2 connection can be taken repeatedly")
    func sharedShard() throws {
        let connections = try makeConnections()
        let shard = try #require(connections.shardWithRoom(for: .requests))
        let queue = HostQueue(limit: 1)
        queue.allowMultiplexing(in: shard)
        for _ in 0..<3 { #expect(queue.takeShard() === shard) }
        connections.close()
    }

    @Test("A shard with an aged connection is not taken until the connection is closed, and stays no shared shard")
    func agedConnections() throws {
        let connections = try makeConnections()
        let shard = try #require(connections.shardWithRoom(for: .requests))
        let queue = HostQueue(limit: 1)
        queue.enqueue(FakeConnectionUser(0), priority: 0.5)
        queue.allowMultiplexing(in: shard)
        queue.avoid(shard, while: [OpenSocket(number: 1000, opening: .now)])
        queue.release(shard)
        queue.allowMultiplexing(in: shard)
        #expect(queue.avoids(shard) && queue.takeShard() == nil)
        let next = try #require(connections.shardWithRoom(for: .requests, avoids: queue.avoids))
        #expect(next !== shard)
        queue.allowMultiplexing(in: next)
        #expect(queue.takeShard() === next)
        queue.allowMultiplexing(in: shard)
        #expect(queue.takeShard() === next)
        // The table of sockets does not contain the socket.
        queue.forgetClosed(in: try #require(connections.support).sockets)
        #expect(!queue.avoids(shard))
        connections.close()
    }

    @Test("An aged connection is known until its last socket is closed, and not beyond by the number of the socket")
    func closedConnections() throws {
        let connections = try makeConnections()
        let shard = try #require(connections.shardWithRoom(for: .requests))
        let time = LoopTime.now
        let (first, second) = (OpenSocket(number: 7, opening: time), OpenSocket(number: 8, opening: time))
        var aged = AgedConnections()
        aged.insert(shard, [first, second])
        aged.forgetClosed { $0.number == 8 }
        #expect(aged.contains(shard) && !aged.isEmpty)
        aged.forgetClosed { $0.opening > time }
        #expect(!aged.contains(shard) && aged.isEmpty)
        connections.close()
    }
}
#endif
