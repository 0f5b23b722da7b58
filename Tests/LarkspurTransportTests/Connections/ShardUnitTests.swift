#if canImport(FoundationNetworking)
import Foundation
import Testing

@testable import LarkspurTransport

/// Shards with transfers of libcurl that have no URL, and so fail without the network.
@Suite("Shard")
struct ShardUnitTests {
    /// libcurl's result for a transfer without a URL (`CURLE_URL_MALFORMAT`).
    private let urlIsMissing: Int32 = 3
    private let settings = TestEngine().settings
    private let connections: Connections

    init() throws { connections = try Connections(settings: settings, poll: EventPoll()) }

    private func add(_ user: FakeConnectionUser, to shard: Shard) throws -> EasyHandle {
        let handle = try connections.takeHandle(for: nil)
        handle.client = user
        #expect(shard.add(user, handle))
        return handle
    }

    private func fill(_ shard: Shard, with count: Int) throws -> [(FakeConnectionUser, EasyHandle)] {
        try (0..<count).map { number in
            let user = FakeConnectionUser(number)
            return (user, try add(user, to: shard))
        }
    }

    private func makeShard() throws -> Shard { try #require(connections.shardWithRoom(for: .requests)) }

    @Test("A transfer is due at once, and its end is reported to its client once")
    func end() throws {
        let shard = try makeShard()
        let user = FakeConnectionUser(1)
        let handle = try add(user, to: shard)
        #expect(connections.deadlines.next <= LoopTime.now)
        for _ in 0..<3 { connections.advance(at: .now) }
        #expect(user.results == [urlIsMissing])
        shard.remove(user, handle)
        connections.close()
    }

    @Test("A transfer that has ended can be started again")
    func restart() throws {
        let shard = try makeShard()
        let user = FakeConnectionUser(1)
        let handle = try add(user, to: shard)
        connections.advance(at: .now)
        #expect(shard.restart(handle))
        connections.advance(at: .now)
        #expect(user.results.count == 2)
        #expect(shard.transferCount == 1)
        shard.remove(user, handle)
        connections.close()
    }

    @Test("A full shard is followed by another, and is used again when half of its transfers have ended")
    func capacity() throws {
        let shard = try makeShard()
        let users = try fill(shard, with: Shard.capacity)
        #expect(!shard.hasRoom)
        let next = try makeShard()
        #expect(next !== shard && next.hasRoom)
        // The next one is taken until it is full.
        for (user, handle) in users.prefix(Shard.capacity / 2) { shard.remove(user, handle) }
        #expect(shard.transferCount == Shard.capacity / 2)
        #expect(try makeShard() === next)
        let others = try fill(next, with: Shard.capacity)
        #expect(try makeShard() === shard)
        for (user, handle) in users.suffix(Shard.capacity / 2) { shard.remove(user, handle) }
        for (user, handle) in others { next.remove(user, handle) }
        connections.close()
    }

    @Test("A shard without transfers closes its connections after a time, and another replaces it")
    func idleTime() throws {
        let shard = try makeShard()
        let user = FakeConnectionUser(1)
        let handle = try add(user, to: shard)
        connections.advance(at: .now)
        shard.remove(user, handle)
        let now = connections.now
        #expect(shard.deadline > now.adding(59) && shard.deadline <= now.adding(60))
        connections.advance(at: now.adding(59))
        #expect(!shard.isClosed)
        connections.advance(at: now.adding(61))
        #expect(shard.isClosed)
        #expect(try makeShard() !== shard)
        connections.close()
    }

    @Test("A transfer keeps its shard open")
    func use() throws {
        let shard = try makeShard()
        let (user, other) = (FakeConnectionUser(1), FakeConnectionUser(2))
        let handle = try add(user, to: shard)
        shard.remove(user, handle)
        let otherHandle = try add(other, to: shard)
        connections.advance(at: LoopTime.now.adding(1000))
        #expect(!shard.isClosed)
        shard.remove(other, otherHandle)
        connections.close()
    }

    @Test("While a shard has uploads, they are checked whenever the shard has made progress")
    func uploads() throws {
        let shard = try makeShard()
        let (user, other) = (FakeConnectionUser(1), FakeConnectionUser(2))
        let handle = try add(user, to: shard)
        let otherHandle = try add(other, to: shard)
        shard.watchUpload(of: user)
        connections.advance(at: .now)
        #expect(user.sentBytesChecks == 1 && other.sentBytesChecks == 0)
        shard.remove(user, handle)
        shard.noteProgress()
        connections.advance(at: .now)
        #expect(user.sentBytesChecks == 1)
        shard.remove(other, otherHandle)
        connections.close()
    }

    @Test("All transfers watch streams while one of them needs the watch")
    func streams() throws {
        let shard = try makeShard()
        let users = try fill(shard, with: 2)
        #expect(!shard.watchesStreams)
        shard.beginWatchingStreams()
        shard.beginWatchingStreams()
        shard.endWatchingStreams()
        #expect(shard.watchesStreams)
        shard.endWatchingStreams()
        #expect(!shard.watchesStreams)
        for (user, handle) in users {
            #expect(user.streamWatches == [true, false])
            shard.remove(user, handle)
        }
        connections.close()
    }

    @Test("A closed shard takes no transfers")
    func closed() throws {
        let shard = try makeShard()
        shard.close()
        let handle = try connections.takeHandle(for: nil)
        #expect(!shard.add(FakeConnectionUser(1), handle))
        #expect(shard.transferCount == 0)
        connections.close()
    }
}
#endif
