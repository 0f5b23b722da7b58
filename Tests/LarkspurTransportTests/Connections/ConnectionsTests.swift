#if canImport(FoundationNetworking)
import Foundation
import Testing

@testable import LarkspurTransport

@Suite("Connections")
struct ConnectionsTests {
    private let settings = TestEngine().settings

    private func makeConnections() throws -> Connections {
        try Connections(settings: settings, poll: EventPoll())
    }

    private func destination(_ text: String) -> Destination { Destination(URL(string: text)) }

    // MARK: Queues

    @Test("Each origin has one queue for its requests")
    func queues() {
        let connections = Connections(settings: settings)
        let queue = connections.queue(of: destination("http://a.test/one?x"))
        #expect(connections.queue(of: destination("http://a.test/two")) === queue)
        for other in ["http://b.test/one", "https://a.test/one", "http://a.test:8080/one"] {
            #expect(connections.queue(of: destination(other)) !== queue)
        }
    }

    @Test("Origins with requests keep their queues, and the queues of many idle origins are removed")
    func idleQueues() {
        let connections = Connections(settings: settings)
        let busy = connections.queue(of: destination("http://busy.test/"))
        busy.enqueue(FakeConnectionUser(0), priority: 0.5)
        weak var idle: HostQueue?
        idle = connections.queue(of: destination("http://idle.test/"))
        #expect(idle != nil)
        for number in 0..<1023 { _ = connections.queue(of: destination("http://\(number).test/")) }
        #expect(idle == nil)
        #expect(connections.queue(of: destination("http://busy.test/")) === busy)
    }

    // MARK: Handles

    @Test("Without shards, there is no handle and no deadline")
    func noShards() throws {
        let connections = Connections(settings: settings)
        #expect(throws: URLError.self) { try connections.takeHandle(for: nil) }
        #expect(connections.shard(for: nil) == nil)
        #expect(connections.deadlines.next == .distantFuture && connections.support == nil)
    }

    @Test("A returned handle no longer has the client of the old transfer, and is used for the next transfer")
    func reuse() throws {
        let connections = try makeConnections()
        let handle = try connections.takeHandle(for: nil)
        handle.client = FakeConnectionUser(0)
        connections.reclaim(handle)
        #expect(handle.client == nil)
        #expect(try connections.takeHandle(for: nil) === handle)
        #expect(try connections.takeHandle(for: nil) !== handle)
        connections.close()
    }

    @Test("The handle of a WebSocket's connection is not used again")
    func connectOnly() throws {
        let connections = try makeConnections()
        let handle = try connections.takeHandle(for: nil)
        handle.connectOnly()
        connections.reclaim(handle)
        #expect(try connections.takeHandle(for: nil) !== handle)
        connections.close()
    }

    // MARK: Shards

    @Test("A transfer gets the shard with a connection to its origin, or else the one with room")
    func shards() throws {
        let connections = try makeConnections()
        let queue = HostQueue(limit: 1)
        let current = try #require(connections.shard(for: queue))
        let webSockets = try #require(connections.shard(for: nil))
        #expect(current.use == .requests && webSockets.use == .webSockets)
        queue.enqueue(FakeConnectionUser(0), priority: 0.5)
        queue.release(webSockets)
        #expect(connections.shard(for: queue) === webSockets)
        #expect(connections.shard(for: queue) === current)
        connections.close()
        #expect(current.isClosed && webSockets.isClosed)
    }
}
#endif
