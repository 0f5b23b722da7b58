#if canImport(FoundationNetworking)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LarkspurTransport

@Suite("The channel of produced content", .timeLimit(.minutes(2)))
struct BodyChannelTests {
    private struct Failure: Error, Equatable {}

    private final class Count: Sendable {
        private let number = Mutex(0)

        var value: Int { number.withLock { $0 } }

        func add() { number.withLock { $0 += 1 } }
    }

    /// Returns a channel whose production has started and writes nothing.
    private func makeStarted(length: Int64? = nil, wake: @escaping @Sendable () -> Void = {}) -> BodyChannel {
        let channel = BodyChannel(length: length) { _ in Task {} }
        channel.attach(allowsTrailers: true, wake: wake)
        _ = channel.take()
        return channel
    }

    private func bytes(_ step: BodyChannel.Step) -> String? {
        if case .bytes(let data) = step { String(decoding: data, as: UTF8.self) } else { nil }
    }

    private func isEnd(_ step: BodyChannel.Step) -> Bool {
        if case .end = step { true } else { false }
    }

    @Test("The producer starts when content is first requested, and starts once")
    func lateStart() {
        let starts = Count()
        let channel = BodyChannel(length: nil) { _ in
            starts.add()
            return Task {}
        }
        channel.attach(allowsTrailers: false) {}
        #expect(starts.value == 0)
        #expect(channel.isAtRest)
        _ = channel.take()
        _ = channel.take()
        #expect(starts.value == 1)
        #expect(!channel.isAtRest)
    }

    @Test("A producer that cannot start fails the content")
    func noStart() {
        let channel = BodyChannel(length: nil) { _ in throw Failure() }
        guard case .fail(let error) = channel.take() else {
            Issue.record("The content did not fail.")
            return
        }
        #expect(error is Failure)
        #expect(channel.failure is Failure)
    }

    @Test("Chunks arrive in order, one for each write, and then the end")
    func order() async throws {
        let channel = makeStarted()
        try await channel.write(Data("one".utf8))
        try await channel.write(Data())
        try await channel.write(Data("two".utf8))
        try channel.finish(trailers: ["A: 1"])
        #expect(bytes(channel.take()) == "one")
        #expect(bytes(channel.take()) == "two")
        #expect(isEnd(channel.take()))
        #expect(channel.trailers == ["A: 1"])
        #expect(channel.isAtRest)
    }

    @Test("The transfer is woken once for each wait, and at once by a failure")
    func waking() async throws {
        let wakes = Count()
        let channel = makeStarted { wakes.add() }
        try await channel.write(Data("a".utf8))
        try await channel.write(Data("b".utf8))
        #expect(wakes.value == 1)
        #expect(bytes(channel.take()) == "a")
        channel.fail(Failure())
        #expect(wakes.value == 2)
        // The bytes that were written before are not sent either, because the request is broken.
        guard case .fail = channel.take() else {
            Issue.record("The content did not fail.")
            return
        }
    }

    @Test("A writer waits while much is buffered, and continues when there is room")
    func backPressure() async throws {
        let channel = makeStarted()
        let chunk = Data(count: 1 << 16)
        let written = Recorder<Int>()
        let writer = Task {
            for number in 1...12 {
                try await channel.write(chunk)
                written.record(number)
            }
        }
        let full = BodyChannel.highMark / chunk.count
        try await written.wait(for: full - 1)
        var taken = 0
        while taken < 12 {
            guard case .bytes = channel.take() else {
                await Task.yield()
                continue
            }
            taken += 1
            #expect(written.values.count - taken <= full)
        }
        try await writer.value
    }

    @Test(
        "The reason of the end is thrown to a waiting writer, whose task is cancelled",
        arguments: [BodyChannel.Refusal.answered(status: 413), .transferEnded]
    )
    func closing(_ reason: BodyChannel.Refusal) async throws {
        let refusals = Recorder<BodyChannel.Refusal>()
        let cancellations = Recorder<Bool>()
        let arrivals = Recorder<Bool>()
        let channel = BodyChannel(length: nil) { channel in
            Task {
                do throws(BodyChannel.Refusal) {
                    while true { try await channel.write(Data(count: 1 << 16)) }
                } catch {
                    refusals.record(error)
                    cancellations.record(Task.isCancelled)
                }
            }
        }
        channel.attach(allowsTrailers: false) { arrivals.record(true) }
        _ = channel.take()
        try await arrivals.wait()
        channel.close(reason)
        #expect(try await refusals.wait() == [reason])
        #expect(try await cancellations.wait() == [true])
        await #expect(throws: reason) { try await channel.write(Data("x".utf8)) }
        #expect(throws: reason) { try channel.finish() }
        // A failure after the end counts no more.
        channel.fail(Failure())
        #expect(channel.failure == nil)
    }

    @Test(
        "Several writers return when the call ends, also if one of them has finished the content",
        arguments: [BodyChannel.Refusal.answered(status: 413), .transferEnded],
        [true, false]
    )
    func closingSeveral(_ reason: BodyChannel.Refusal, isFinished: Bool) async throws {
        let channel = makeStarted()
        try await channel.write(Data(count: BodyChannel.highMark - 1))
        let writers = (0..<3).map { _ in
            Task { () -> BodyChannel.Refusal? in
                do throws(BodyChannel.Refusal) {
                    try await channel.write(Data(count: 1))
                    return nil
                } catch {
                    return error
                }
            }
        }
        try await eventually(3) { channel.waiterCount }
        if isFinished { try channel.finish() }
        channel.close(reason)
        for writer in writers { #expect(await writer.value == reason) }
        await #expect(throws: reason) { try await channel.write(Data("x".utf8)) }
        #expect(throws: reason) { try channel.finish() }
    }

    @Test("Writers that wait when the content is finished continue when it is sent")
    func finishingSeveral() async throws {
        let channel = makeStarted()
        try await channel.write(Data(count: BodyChannel.highMark - 1))
        let writers = (0..<3).map { _ in Task { try await channel.write(Data("x".utf8)) } }
        try await eventually(3) { channel.waiterCount }
        try channel.finish()
        var count = 0
        while case .bytes(let bytes) = channel.take() { count += bytes.count }
        #expect(count == BodyChannel.highMark + 2)
        for writer in writers { try await writer.value }
    }

    @Test("A producer that has finished is not cancelled by the end")
    func closingFinished() async throws {
        let finished = Recorder<Bool>()
        let cancelled = Recorder<Bool>()
        let gate = AsyncStream.makeStream(of: Void.self)
        let channel = BodyChannel(length: nil) { channel in
            Task {
                try? channel.finish()
                finished.record(true)
                for await _ in gate.stream { break }
                cancelled.record(Task.isCancelled)
            }
        }
        channel.attach(allowsTrailers: false) {}
        _ = channel.take()
        try await finished.wait()
        channel.close(.transferEnded)
        gate.continuation.yield()
        #expect(try await cancelled.wait() == [false])
    }

    @Test("A difference between the announced and the written length is an error", arguments: [0, 1, 5, 9])
    func length(_ count: Int) async throws {
        let channel = makeStarted(length: 5)
        if count > 5 {
            await #expect(throws: BodyChannel.Refusal.tooLong(length: 5)) {
                try await channel.write(Data(count: count))
            }
        } else {
            try await channel.write(Data(count: count))
            if count == 5 {
                try channel.finish()
            } else {
                #expect(throws: BodyChannel.Refusal.tooShort(Int64(count), length: 5)) { try channel.finish() }
            }
        }
        #expect((channel.failure == nil) == (count == 5))
    }

    @Test("The last announced byte is sent when the content is finished")
    func lastByte() async throws {
        let channel = makeStarted(length: 5)
        try await channel.write(Data("hel".utf8))
        try await channel.write(Data("lo".utf8))
        #expect(bytes(channel.take()) == "hel")
        #expect(bytes(channel.take()) == "l")
        guard case .wait = channel.take() else {
            Issue.record("More was sent.")
            return
        }
        try channel.finish()
        #expect(bytes(channel.take()) == "o")
        #expect(isEnd(channel.take()))
    }

    @Test("Trailers need a connection that can send them")
    func trailers() {
        let channel = BodyChannel(length: nil) { _ in Task {} }
        channel.attach(allowsTrailers: false) {}
        _ = channel.take()
        #expect(throws: BodyChannel.Refusal.trailersNotPossible) { try channel.finish(trailers: ["A: 1"]) }
        #expect(channel.failure as? BodyChannel.Refusal == .trailersNotPossible)
    }

    @Test("Nothing is written after the end")
    func afterEnd() async throws {
        let channel = makeStarted()
        try channel.finish()
        await #expect(throws: BodyChannel.Refusal.contentEnded) { try await channel.write(Data("x".utf8)) }
        #expect(throws: BodyChannel.Refusal.contentEnded) { try channel.finish() }
    }

    @Test("A cancelled writer stops waiting, and other writers continue")
    func cancelledWriter() async throws {
        let channel = makeStarted()
        try await channel.write(Data(count: BodyChannel.highMark - 1))
        let first = Task { try await channel.write(Data("x".utf8)) }
        let second = Task { try await channel.write(Data("y".utf8)) }
        second.cancel()
        // The second writer had room if it came before the first one was cancelled, and did not have to wait then.
        _ = try? await second.value
        while case .bytes = channel.take() {}
        try await first.value
    }

    @Test("A thread that waits for content gets it, and is woken by the end of the channel")
    func blocking() async throws {
        let channel = BodyChannel(length: nil) { channel in
            Task {
                try? await channel.write(Data("blocked".utf8))
            }
        }
        let steps = Recorder<String>()
        Thread.detachNewThread {
            while true {
                switch channel.takeBlocking() {
                case .bytes(let data): steps.record(String(decoding: data, as: UTF8.self))
                case .fail(let error):
                    steps.record("\(error)")
                    return
                case .wait, .end:
                    steps.record("end")
                    return
                }
            }
        }
        #expect(try await steps.wait(for: 1) == ["blocked"])
        channel.close()
        #expect(try await steps.wait(for: 2).last == "transferEnded")
    }

    /// Random writers, a reader with random waits and a random end: every byte comes in order up to the end, and every
    /// writer ends.
    @Test("Random chunks arrive unchanged, up to a random end of the channel", arguments: 0..<40)
    func random(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let chunks = (0..<Int.random(in: 1...60, using: &random)).map { _ in
            Data((0..<Int.random(in: 0...90_000, using: &random)).map { UInt8(truncatingIfNeeded: $0) })
        }
        let closesAfter = Bool.random(using: &random) ? Int.random(in: 0...chunks.count, using: &random) : nil
        let hasLength = Bool.random(using: &random)
        let whole = chunks.reduce(Data(), +)
        let arrivals = AsyncStream.makeStream(of: Void.self)
        let channel = BodyChannel(length: hasLength ? Int64(whole.count) : nil) { channel in
            Task {
                do {
                    for chunk in chunks { try await channel.write(chunk) }
                    try channel.finish()
                } catch {
                    channel.fail(error)
                }
            }
        }
        channel.attach(allowsTrailers: false) { arrivals.continuation.yield() }
        var received = Data()
        var count = 0
        var iterator = arrivals.stream.makeAsyncIterator()
        reading: while true {
            if count == closesAfter { channel.close() }
            switch channel.take() {
            case .bytes(let data):
                received.append(data)
                count += 1
            case .wait: await iterator.next()
            case .end, .fail: break reading
            }
        }
        if let closesAfter, closesAfter <= count {
            #expect(whole.starts(with: received), "seed \(seed)")
        } else {
            #expect(received == whole, "seed \(seed)")
        }
    }
}
#endif
