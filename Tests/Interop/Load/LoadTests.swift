#if os(Linux)
import Foundation
import Larkspur
import TestSupport
import Testing

/// Many connections, many requests and many sessions, with figures that have to stay flat.
@Suite("Load and time", .needsLoadServer, .seeded, .serialized, .timeLimit(.minutes(600)))
struct LoadTests {
    /// Threads that the process may add, whatever is under way: those of Swift and of Dispatch, and of the sessions.
    private static let extraThreads = 24

    @Test("Ten thousand simultaneous requests, each on its own connection, succeed")
    func connections() async throws {
        let count = 10_000
        let manager = try LoadServer.makeManager(connections: 20_000)
        _ = try await manager.get("small").data
        let before = try ProcessFigures()
        let isOver = Tally<Bool>()
        let watcher = Task {
            var most = before
            while isOver.total == 0 {
                let now = try ProcessFigures()
                most.descriptors = max(most.descriptors, now.descriptors)
                most.threads = max(most.threads, now.threads)
                most.residentKiB = max(most.residentKiB, now.residentKiB)
                await Task.yield()
            }
            return most
        }
        let start = ContinuousClock.now
        let other = try LoadServer.makeManager()
        let succeeded = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 1...count {
                group.addTask {
                    (try? await manager.get("hold/\(count)").timeout(idle: .seconds(600)).string) == "held"
                }
                // The server's queue of new connections is shorter than all of them.
                guard number.isMultiple(of: 1_000), number < count else { continue }
                while try await Int(other.get("held").string) ?? 0 < number {}
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        let duration = ContinuousClock.now - start
        isOver.add(true)
        let most = try await watcher.value
        print("\(count) connections in \(duration): before \(before); at most \(most)")
        #expect(succeeded == count)
        #expect(most.descriptors >= count)
        #expect(most.threads <= before.threads + Self.extraThreads)
        // Each has buffers of libcurl, a task and a request.
        #expect((most.residentKiB - before.residentKiB) / count < 150)
        manager.invalidate(cancelingTasks: false)
        try await eventually(in: ...(before.descriptors + 10), { try ProcessFigures().descriptors })
    }

    @Test("Memory, threads and descriptors stay constant over many requests")
    func soak() async throws {
        let manager = try LoadServer.makeManager(connections: 32)
        let failures = Tally<Bool>()
        func send(_ count: Int) async {
            await withTaskGroup { group in
                for worker in 0..<32 {
                    group.addTask {
                        for number in 0..<count / 32 {
                            let text: String?
                            if (worker + number).isMultiple(of: 2) {
                                text = try? await manager.get("small").string
                            } else {
                                text = await withCheckedContinuation { continuation in
                                    manager.get("small").response(as: .string) {
                                        continuation.resume(returning: $0.value)
                                    }
                                }
                            }
                            if text != "twenty bytes of text" { failures.add(true) }
                        }
                    }
                }
            }
        }
        let start = ContinuousClock.now
        await send(LoadServer.requests / 10)
        let early = try ProcessFigures()
        await send(LoadServer.requests / 10 * 9)
        let late = try ProcessFigures()
        print(
            "\(LoadServer.requests) requests in \(ContinuousClock.now - start): after a tenth \(early); at the end \(late)"
        )
        #expect(failures.total == 0)
        // The allocator's arenas go on filling for a while; a leak of 100 bytes a request would be more.
        let allowed = 12 * 1024 + LoadServer.requests / 100
        #expect(late.residentKiB - early.residentKiB < allowed, "\(early); \(late)")
        #expect(late.threads <= early.threads + 4)
        #expect(late.descriptors <= early.descriptors + 4)
    }

    @Test("A hundred sessions at once are created, used and invalidated, and leave neither threads nor descriptors")
    func sessions() async throws {
        let before = try ProcessFigures()
        let succeeded = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    let manager = try LoadServer.makeManager()
                    defer { manager.invalidate(cancelingTasks: false) }
                    var count = 0
                    for _ in 0..<10 where try await manager.get("small").string == "twenty bytes of text" { count += 1 }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(succeeded == 1000)
        let during = try ProcessFigures()
        try await eventually(in: ...(before.descriptors + 4), { try ProcessFigures().descriptors })
        try await eventually(in: ...(before.threads + 8), { try ProcessFigures().threads })
        print("100 sessions: before \(before); with them \(during); after \(try ProcessFigures())")
    }

    @Test("Mixed use with failing servers, limits and cancellations stays correct, with constant memory")
    func mixedUse() async throws {
        let uses = Tally<MixedUse>()
        let folder = TemporaryFolder()
        let start = ContinuousClock.now
        let end = start + .seconds(LoadServer.seconds)
        let early = Recorder<ProcessFigures>()
        try await withThrowingTaskGroup { group in
            // Two managers, so that a session has to do with others.
            let managers = [try LoadServer.makeManager(), try LoadServer.makeManager(connections: 32)]
            for worker in 0..<24 {
                let manager = managers[worker % 2]
                group.addTask {
                    var generator = SeededGenerator(worker)
                    while ContinuousClock.now < end {
                        let use = MixedUse.allCases.randomElement(using: &generator) ?? .get
                        do {
                            try await use.perform(manager, folder.url, &generator)
                        } catch {
                            Issue.record("\(use): \(error)")
                        }
                        uses.add(use)
                        // The first figures after a tenth of the time are compared with those of the end.
                        if ContinuousClock.now - start > (end - start) / 10, early.values.isEmpty {
                            early.record(try ProcessFigures())
                        }
                    }
                }
            }
            try await group.waitForAll()
            for manager in managers { manager.invalidate(cancelingTasks: false) }
        }
        let late = try ProcessFigures()
        let first = try #require(early.values.first)
        print("\(uses.total) uses in \(ContinuousClock.now - start): after a tenth \(first); at the end \(late)")
        print(MixedUse.allCases.map { "\($0): \(uses.count($0))" }.joined(separator: ", "))
        #expect(MixedUse.allCases.allSatisfy { uses.count($0) > 0 })
        #expect(late.residentKiB - first.residentKiB < 48 * 1024, "\(first); \(late)")
        #expect(late.threads <= first.threads + Self.extraThreads)
        #expect(late.descriptors <= first.descriptors + 64)
        // Nothing is left of downloads that were cancelled.
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }
}
#endif
