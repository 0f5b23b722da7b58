#if canImport(FoundationNetworking)
import Foundation
import Synchronization

/// An executor of Swift tasks with one thread, whose stack is small. A chain of calls that grows with the number of
/// requests ends the process soon.
final class SmallStackExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isStopped = false
    }

    static let stackSize = 512 << 10

    private let state = Mutex(State())
    private let arrival = DispatchSemaphore(value: 0)
    /// The address of a variable in the first frame of the thread.
    private let base = Mutex<UInt>(0)

    init() {
        let thread = Thread { [self] in run() }
        thread.stackSize = Self.stackSize
        thread.name = "larkspur.test.small-stack"
        thread.start()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
        arrival.signal()
    }

    /// Ends the thread after the jobs that wait.
    func stop() {
        state.withLock { $0.isStopped = true }
        arrival.signal()
    }

    private func run() {
        let address = Self.stackAddress
        base.withLock { $0 = address }
        while true {
            arrival.wait()
            let (job, isStopped) = state.withLock { state -> (UnownedJob?, Bool) in
                (state.jobs.isEmpty ? nil : state.jobs.removeFirst(), state.isStopped)
            }
            if let job {
                job.runSynchronously(on: asUnownedTaskExecutor())
            } else if isStopped {
                return
            }
        }
    }

    /// The number of bytes of stack that are in use, if the current thread is the one of this executor.
    var depth: Int? {
        let (base, address) = (base.withLock { $0 }, Self.stackAddress)
        return address < base && base - address < UInt(Self.stackSize) ? Int(base - address) : nil
    }

    @inline(never)
    private static var stackAddress: UInt {
        var local = 0
        return withUnsafeMutablePointer(to: &local) { UInt(bitPattern: $0) }
    }

    /// The CPU time of the current thread, in seconds.
    static var threadTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// A clock that goes on by itself, whose sleeps end at once. It records the depth of the stack when it is read.
final class SoakClock: Clock, Sendable {
    private let time = Atomic<Int64>(0)
    private let deepest = Atomic(0)
    private let executor: SmallStackExecutor
    /// The time between two reads, in microseconds.
    private let step: Int64

    init(_ executor: SmallStackExecutor, step: Int64) {
        self.executor = executor
        self.step = step
    }

    var now: Instant {
        noteDepth()
        return Instant(microseconds: time.add(step, ordering: .relaxed).newValue)
    }

    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        // The time never goes back, whichever thread is the last.
        var seen = time.load(ordering: .relaxed)
        while seen < deadline.microseconds {
            seen =
                time.compareExchange(expected: seen, desired: deadline.microseconds, ordering: .relaxed).original
        }
    }

    func noteDepth() { if let depth = executor.depth { deepest.max(depth, ordering: .relaxed) } }

    /// Returns the largest depth since the last call of the method.
    func takeDepth() -> Int { deepest.exchange(0, ordering: .relaxed) }

    struct Instant: InstantProtocol {
        var microseconds: Int64

        func advanced(by duration: Duration) -> Self {
            // Rounded up, so that no sleep ends too early.
            let (seconds, attoseconds) = duration.components
            let fraction = (attoseconds + 999_999_999_999) / 1_000_000_000_000
            return Self(microseconds: microseconds + seconds * 1_000_000 + fraction)
        }

        func duration(to other: Self) -> Duration { .microseconds(other.microseconds - microseconds) }

        static func < (lhs: Self, rhs: Self) -> Bool { lhs.microseconds < rhs.microseconds }
    }
}
#endif
