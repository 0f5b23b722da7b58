internal import Larkspur

/// The thread of a store: it sends commands over one connection, without waiting for the replies to those before.
///
/// It resumes all callers. Nothing in it blocks but `poll`.
final class StepLoop {
    private let box: StepBox
    private var queue: StepQueue
    private var steps: [StepQueue.ID: RedisStep] = [:]
    /// The undos that are attempted when there may be a connection.
    private var undos: [RedisStep.Undo] = []
    /// The time until which the undos of a released store are attempted.
    private var stopTime: Duration?
    /// The steps whose script the server does not have. They are sent with the text of the script.
    private var needText: Set<StepQueue.ID> = []
    private var connection: RedisConnection?
    private var connectionError: RedisStoreError?
    private var hasUnsentBytes = false
    private let start = ContinuousClock.now

    /// The number of bytes that are handed to hiredis before the socket accepts them.
    private static let batchSize = 65536
    /// The size of a reply beyond that of its value.
    private static let replyOverhead = 65536

    init(_ box: StepBox) {
        self.box = box
        queue = StepQueue(limit: box.stepTimeout)
    }

    private var now: Duration { start.duration(to: .now) }
    private var address: RedisAddress { box.address }

    /// Runs until the store is released, and there is no undo.
    func run() {
        while true {
            for event in box.takeEvents() {
                switch event {
                case .step(let id, let step): add(step, id)
                case .cancel(let id): end(queue.cancel(id))
                case .connected(let new):
                    connection = new
                    queue.connectionOpened()
                case .connectionFailed(let error):
                    connectionError = error
                    for failure in queue.connectionFailed(at: now) { end(failure) }
                case .stop: stopTime = now + box.stepTimeout
                }
            }
            for failure in queue.expire(at: now) { end(failure) }
            if queue.isSilent(at: now) { lose() }
            addUndos()
            if let stopTime, now >= stopTime || steps.isEmpty && undos.isEmpty { return }
            send()
            if queue.needsConnection {
                queue.connectionStarted()
                box.connect()
            }
            wait()
        }
    }

    // MARK: Steps

    private func add(_ step: RedisStep, _ id: StepQueue.ID) {
        steps[id] = step
        end(queue.add(id, hasLimit: step.continuation != nil, at: now))
    }

    /// The time of the next undo; nil if there is none.
    private var undoTime: Duration? { undos.map(\.start).min().map { max($0, queue.pauseEnd ?? $0) } }

    /// Adds the undos whose time has come.
    private func addUndos() {
        let now = now
        guard let undoTime, undoTime <= now else { return }
        let ready = undos.filter { $0.start <= now }
        undos.removeAll { $0.start <= now }
        for undo in ready where undo.end.map({ now < $0 }) ?? true {
            add(RedisStep(command: undo.command, undo: undo, continuation: nil), box.newID())
        }
    }

    /// Lets a step be undone that may have been performed, or an undo be attempted again.
    private func undo(_ step: RedisStep) {
        guard var undo = step.undo else { return }
        undo.start = step.continuation == nil ? now + RedisStep.Undo.pause : now
        undo.end = undo.end ?? now + undo.duration
        undos.append(undo)
    }

    /// Ends a step without its reply.
    private func end(_ failure: StepQueue.Failure?) {
        guard let failure, let step = steps.removeValue(forKey: failure.id) else { return }
        needText.remove(failure.id)
        if failure.mayHaveBeenPerformed || step.continuation == nil { undo(step) }
        step.continuation?.resume(throwing: error(of: failure))
    }

    private func error(of failure: StepQueue.Failure) -> any Error {
        let (code, text): (RedisStoreError.Code, String)
        switch failure.reason {
        case .cancelled: return CancellationError()
        case .timedOut: (code, text) = (.timedOut, "\(address.description) has not replied within \(box.stepTimeout).")
        case .lost: (code, text) = (.connectionLost, RedisStoreError.lossText(address))
        case .unreachable:
            (code, text) = (
                .connectionFailed, connectionError?.description ?? "\(address.description) cannot be reached."
            )
        }
        return RedisStoreError(code, text, mayHaveBeenPerformed: failure.mayHaveBeenPerformed)
    }

    /// Handles the next reply. Returns false if it has closed the connection.
    private func handle(_ reply: RedisReply) -> Bool {
        guard let id = queue.replyArrived(at: now) else {
            lose()
            return false
        }
        guard let step = steps[id] else { return true }
        if reply.isUnknownScript, needText.insert(id).inserted {
            queue.sendAgain(id)
            return true
        }
        complete(id, .success(reply), step)
        if reply.isFromReplica {
            connectionError = RedisStoreError(refusal: "READONLY It is a replica.", of: address.description)
            lose(isReplica: true)
            return false
        }
        return true
    }

    private func complete(_ id: StepQueue.ID, _ result: Result<RedisReply, RedisStoreError>, _ step: RedisStep) {
        let wasRepeated = queue.end(id) ?? false
        steps[id] = nil
        needText.remove(id)
        let isDone =
            switch result {
            case .failure: false
            // An undo that was refused is attempted again.
            case .success(.error(let text)): step.continuation != nil && !RedisStoreError.endsScript(text)
            case .success: true
            }
        if !isDone { undo(step) }
        step.continuation?.resume(
            with: result.map { RedisStep.Answer(reply: $0, wasRepeated: wasRepeated) }.mapError { $0 }
        )
    }

    // MARK: Connection

    private func lose(isReplica: Bool = false) {
        connection = nil
        hasUnsentBytes = false
        for failure in isReplica ? queue.replicaReplied(at: now) : queue.connectionLost() { end(failure) }
    }

    private func send() {
        guard let connection else { return }
        while true {
            if !hasUnsentBytes {
                var size = 0
                while size < Self.batchSize, let id = queue.nextToSend(at: now) {
                    guard let step = steps[id] else { continue }
                    let arguments = step.arguments(digests: connection.digests, withText: needText.contains(id))
                    connection.append(arguments)
                    size += arguments.reduce(0) { $0 + $1.count }
                }
                if size == 0 { return }
            }
            guard let isDone = connection.write() else { return lose() }
            hasUnsentBytes = !isDone
            // The rest is sent when the socket is writable.
            if hasUnsentBytes { return }
        }
    }

    private func receive() {
        guard let connection else { return }
        let isOpen = connection.read()
        // Replies that have arrived before the end count.
        do {
            while let reply = try connection.nextReply(address) {
                if !handle(reply) { return }
            }
        } catch {
            if let id = queue.replyArrived(at: now), let step = steps[id] { complete(id, .failure(error), step) }
            return lose()
        }
        if !isOpen { return lose() }
        if connection.incompleteSize > box.maximumValueSize + Self.replyOverhead {
            let text = "\(address.description) has sent a longer reply than any step has."
            let error = RedisStoreError(.invalidReply, text, mayHaveBeenPerformed: true)
            if let id = queue.replyArrived(at: now), let step = steps[id] { complete(id, .failure(error), step) }
            lose()
        }
    }

    /// Waits for an event, for the socket, or for the next end of a limit.
    private func wait() {
        var descriptors = [pollfd(fd: box.wakeDescriptor, events: Int16(POLLIN), revents: 0)]
        if let connection {
            let events = hasUnsentBytes ? POLLIN | POLLOUT : POLLIN
            descriptors.append(pollfd(fd: connection.descriptor, events: Int16(events), revents: 0))
        }
        poll(&descriptors, nfds_t(descriptors.count), timeout)
        if descriptors.count > 1, descriptors[1].revents & ~Int16(POLLOUT) != 0 { receive() }
    }

    /// The time to wait in milliseconds, rounded up; -1 for no limit.
    private var timeout: Int32 {
        // A connection that is lost while it is read needs a new one at once.
        if queue.needsConnection { return 0 }
        let times = [queue.nextTime, undoTime, stopTime]
        guard let next = times.compactMap({ $0 }).min() else { return -1 }
        let rest = max(next - now, .zero).components
        let milliseconds = rest.seconds * 1000 + (rest.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return Int32(min(milliseconds, 60_000))
    }
}
