import Testing

@testable import LarkspurRedis

@Suite("The queue of steps", .timeLimit(.minutes(1)))
struct StepQueueTests {
    private typealias Failure = StepQueue.Failure

    /// A queue with an open connection.
    private func openQueue() -> StepQueue {
        var queue = StepQueue(limit: .seconds(1))
        queue.connectionStarted()
        queue.connectionOpened()
        return queue
    }

    @Test("The first step needs a connection, and all steps are sent in their order when it is open")
    func order() {
        var queue = StepQueue(limit: .seconds(1))
        #expect(!queue.needsConnection)
        #expect(queue.add(1, at: .zero) == nil)
        #expect(queue.needsConnection)
        queue.connectionStarted()
        #expect(!queue.needsConnection)
        #expect(queue.add(2, at: .zero) == nil)
        #expect(queue.nextToSend(at: .zero) == nil)
        queue.connectionOpened()
        #expect(queue.nextToSend(at: .zero) == 1)
        #expect(queue.nextToSend(at: .zero) == 2)
        #expect(queue.nextToSend(at: .zero) == nil)
        #expect(queue.replyArrived(at: .zero) == 1)
        #expect(queue.end(1) == false)
        #expect(queue.replyArrived(at: .zero) == 2)
        #expect(queue.replyArrived(at: .zero) == nil)
    }

    @Test("After a lost connection, the steps without a reply are sent again before the others, and once")
    func losses() {
        var queue = openQueue()
        for id in 1...3 as ClosedRange<UInt64> { _ = queue.add(id, at: .zero) }
        _ = queue.nextToSend(at: .zero)
        _ = queue.nextToSend(at: .zero)
        #expect(queue.replyArrived(at: .zero) == 1)
        #expect(queue.end(1) == false)
        #expect(queue.connectionLost() == [])
        #expect(queue.needsConnection)
        queue.connectionStarted()
        queue.connectionOpened()
        #expect(queue.nextToSend(at: .zero) == 2)
        #expect(queue.nextToSend(at: .zero) == 3)
        _ = queue.replyArrived(at: .zero)
        #expect(queue.end(2) == true)
        #expect(queue.connectionLost() == [])
        queue.connectionStarted()
        queue.connectionOpened()
        #expect(queue.nextToSend(at: .zero) == 3)
        #expect(queue.connectionLost() == [Failure(id: 3, reason: .lost, mayHaveBeenPerformed: true)])
    }

    @Test("A failed attempt to connect ends all steps, and further ones until a pause ends")
    func failedConnections() {
        var queue = StepQueue(limit: .seconds(1))
        var now = Duration.zero
        for pause in [50, 100, 200, 400, 800, 1000, 1000] {
            #expect(queue.add(1, at: now) == nil)
            #expect(queue.needsConnection)
            queue.connectionStarted()
            let failure = Failure(id: 1, reason: .unreachable, mayHaveBeenPerformed: false)
            #expect(queue.connectionFailed(at: now) == [failure])
            now += .milliseconds(pause) - .nanoseconds(1)
            #expect(queue.add(1, at: now) == failure)
            #expect(!queue.needsConnection && queue.nextTime == nil)
            now += .nanoseconds(1)
        }
    }

    @Test("A replica is followed by the next connection at once, and a second one soon afterwards by a pause")
    func replicas() {
        var queue = openQueue()
        var now = Duration.zero
        for pause in [0, 50, 100, 200, 400, 800, 1000, 1000, 0, 50] {
            if pause == 0 { now += .seconds(10) }
            _ = queue.add(1, at: now)
            #expect(queue.replicaReplied(at: now) == (pause == 0 ? [] : [unreachable(1)]))
            _ = queue.cancel(1)
            now += .milliseconds(pause)
            if pause > 0 { #expect(queue.add(2, at: now - .nanoseconds(1)) == unreachable(2)) }
            #expect(queue.add(3, at: now) == nil)
            #expect(queue.needsConnection)
            _ = queue.cancel(3)
            queue.connectionStarted()
            queue.connectionOpened()
        }
    }

    private func unreachable(_ id: UInt64) -> Failure {
        Failure(id: id, reason: .unreachable, mayHaveBeenPerformed: false)
    }

    @Test("A step ends when its time is over, and its late reply belongs to no other step")
    func expiry() {
        var queue = openQueue()
        _ = queue.add(1, at: .zero)
        #expect(queue.nextToSend(at: .zero) == 1)
        _ = queue.add(2, at: .milliseconds(500))
        #expect(queue.nextTime == .seconds(1))
        #expect(queue.expire(at: .milliseconds(999)) == [])
        #expect(queue.expire(at: .seconds(1)) == [Failure(id: 1, reason: .timedOut, mayHaveBeenPerformed: true)])
        #expect(queue.nextToSend(at: .seconds(1)) == 2)
        #expect(queue.replyArrived(at: .seconds(1)) == 1)
        #expect(queue.end(1) == nil)
        #expect(queue.replyArrived(at: .seconds(1)) == 2)
    }

    @Test("A cancelled step is not sent")
    func cancellation() {
        var queue = openQueue()
        _ = queue.add(1, at: .zero)
        _ = queue.add(2, at: .zero)
        #expect(queue.cancel(1) == Failure(id: 1, reason: .cancelled, mayHaveBeenPerformed: false))
        #expect(queue.cancel(1) == nil)
        #expect(queue.nextToSend(at: .zero) == 2)
        #expect(queue.cancel(2) == Failure(id: 2, reason: .cancelled, mayHaveBeenPerformed: true))
    }

    @Test("A server is silent if no reply arrives for the time of a step, and not if replies are late")
    func silence() {
        var queue = openQueue()
        _ = queue.add(1, at: .zero)
        _ = queue.add(2, at: .zero)
        #expect(!queue.isSilent(at: .seconds(5)))
        _ = queue.nextToSend(at: .seconds(5))
        _ = queue.nextToSend(at: .seconds(5))
        #expect(!queue.isSilent(at: .milliseconds(5999)))
        #expect(queue.isSilent(at: .seconds(6)))
        _ = queue.replyArrived(at: .milliseconds(5999))
        #expect(!queue.isSilent(at: .milliseconds(6998)))
        #expect(queue.isSilent(at: .milliseconds(6999)))
    }

    @Test("A step whose script is unknown is sent again, before those that wait")
    func unknownScript() {
        var queue = openQueue()
        _ = queue.add(1, at: .zero)
        _ = queue.nextToSend(at: .zero)
        _ = queue.add(2, at: .zero)
        #expect(queue.replyArrived(at: .zero) == 1)
        queue.sendAgain(1)
        #expect(queue.nextToSend(at: .zero) == 1)
        #expect(queue.end(1) == false)
    }

    @Test("At most a thousand replies are outstanding")
    func window() {
        var queue = openQueue()
        for id in 1...1001 as ClosedRange<UInt64> { _ = queue.add(id, at: .zero) }
        for id in 1...1000 as ClosedRange<UInt64> { #expect(queue.nextToSend(at: .zero) == id) }
        #expect(queue.nextToSend(at: .zero) == nil)
        #expect(queue.replyArrived(at: .zero) == 1)
        #expect(queue.nextToSend(at: .zero) == 1001)
    }

    @Test("In random sequences each step ends once, and replies belong to the steps in the order of sending")
    func randomSequences() {
        let seed = UInt64.random(in: 1...UInt64.max)
        var random = SplitMix(state: seed)
        var queue = StepQueue(limit: .seconds(1))
        var now = Duration.zero
        var pending: Set<UInt64> = []
        var wire: [UInt64] = []
        var sendings: [UInt64: Int] = [:]
        var lastID: UInt64 = 0
        var isConnecting = false
        var mistakes: [String] = []
        func end(_ failures: [StepQueue.Failure]) {
            for failure in failures {
                if pending.remove(failure.id) == nil { mistakes.append("\(failure.id) ends twice") }
                if failure.mayHaveBeenPerformed != (sendings[failure.id, default: 0] > 0) {
                    mistakes.append("\(failure) after \(sendings[failure.id, default: 0]) sendings")
                }
            }
        }
        for _ in 0..<20_000 {
            now += .milliseconds(Int64.random(in: 0...40, using: &random))
            switch Int.random(in: 0...11, using: &random) {
            case 0...3:
                lastID += 1
                pending.insert(lastID)
                end([queue.add(lastID, at: now)].compactMap { $0 })
            case 4...5:
                while let id = queue.nextToSend(at: now) {
                    wire.append(id)
                    sendings[id, default: 0] += 1
                    if !pending.contains(id) { mistakes.append("\(id) is sent after its end") }
                    if sendings[id, default: 0] > 2 { mistakes.append("\(id) is sent too often") }
                }
            case 6...7:
                guard !wire.isEmpty else { continue }
                let id = wire.removeFirst()
                if queue.replyArrived(at: now) != id { mistakes.append("a reply belongs to another step than \(id)") }
                if (queue.end(id) != nil) != (pending.remove(id) != nil) { mistakes.append("\(id) is lost") }
            case 8: end(queue.expire(at: now))
            case 9: end([queue.cancel(UInt64.random(in: 0...lastID, using: &random))].compactMap { $0 })
            default:
                if queue.needsConnection {
                    queue.connectionStarted()
                    isConnecting = true
                } else if isConnecting {
                    isConnecting = false
                    if Bool.random(using: &random) {
                        queue.connectionOpened()
                    } else {
                        end(queue.connectionFailed(at: now))
                    }
                } else if queue.isOpen, Int.random(in: 0...3, using: &random) == 0 {
                    wire = []
                    end(queue.connectionLost())
                }
            }
        }
        end(queue.expire(at: now + .seconds(2)))
        #expect(pending.isEmpty && mistakes.isEmpty, "seed \(seed): \(mistakes.prefix(5))")
    }
}

private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
