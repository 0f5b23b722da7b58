#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import LarkspurTesting
import Testing
import TestSupport

@testable import LarkspurTransport

@Suite("Transfers in several multi handles")
struct ShardTests {
    @Test("Requests during more streams than two multi handles take share a connection, and the streams continue")
    func streams() async {
        // In a process of its own, as they need more descriptors than the others leave.
        await #expect(processExitsWith: .success) {
            raiseDescriptorLimit()
            let server = try LoopbackServer()
            let gate = LoopbackServer.Gate()
            let head = Data("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na".utf8)
            server.route("/stream", .raw([.bytes(head), .wait(gate), .bytes(Data("b".utf8))], ending: .negotiated))
            let session = CurlURLSession(
                configuration: .testing { $0.httpMaximumConnectionsPerHost = 1000 }
            )
            let count = 2 * Shard.capacity + 20
            let ends = Recorder<Bool>()
            for _ in 0..<count {
                session.dataTask(with: server.url("/stream")) { data, _, _ in ends.record(data == Data("ab".utf8)) }
                    .resume()
            }
            try await server.waitForRequests(count)
            for _ in 0..<50 {
                try #require(try await session.outcome(of: server.url("/get")).status == 200)
            }
            try #require(server.acceptedConnectionCount == count + 1)
            gate.open()
            try #require(try await ends.wait(for: count).allSatisfy { $0 })
            // All of these find a connection that another has left.
            for _ in 0..<count {
                session.dataTask(with: server.url("/stream")) { data, _, _ in ends.record(data == Data("ab".utf8)) }
                    .resume()
            }
            try #require(try await ends.wait(for: 2 * count).allSatisfy { $0 })
            try #require(server.acceptedConnectionCount == count + 1)
            session.finishTasksAndInvalidate()
            try await server.waitForOpenConnections(0)
        }
    }
}

@Suite("A heap of deadlines")
struct DeadlineHeapTests {
    private final class Holder: DeadlineHolder {
        var deadlineIndex: Int?
    }

    @Test("Deadlines that were set, moved or removed are due in order, each once")
    func order() {
        var generator = SeededGenerator(seed: 14)
        let start = LoopTime.now
        var heap = DeadlineHeap<LoopTime, Holder>()
        var expected: [ObjectIdentifier: LoopTime] = [:]
        let holders = (0..<200).map { _ in Holder() }
        for _ in 0..<5_000 {
            let holder = holders[Int.random(in: 0..<200, using: &generator)]
            let time = start.adding(Double(Int.random(in: 0..<1_000, using: &generator)))
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                heap.remove(holder)
                expected[ObjectIdentifier(holder)] = nil
            case 1:
                heap.advance(time, of: holder)
                expected[ObjectIdentifier(holder)] = min(time, expected[ObjectIdentifier(holder)] ?? time)
            default:
                heap.set(time, of: holder)
                expected[ObjectIdentifier(holder)] = time
            }
            #expect(heap.next == expected.values.min() ?? .distantFuture)
        }
        var last = start
        while let holder = heap.takeDue(at: start.adding(2_000)) {
            let time = expected.removeValue(forKey: ObjectIdentifier(holder))
            #expect(time.map { $0 >= last } == true && holder.deadlineIndex == nil)
            last = time ?? last
        }
        #expect(expected.isEmpty)
        let early = Holder()
        heap.set(start.adding(5), of: early)
        #expect(heap.takeDue(at: start.adding(4)) == nil)
        heap.set(.distantFuture, of: early)
        #expect(heap.next == .distantFuture)
    }
}
#endif
