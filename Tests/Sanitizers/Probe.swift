import Foundation
import Synchronization

/// What the sanitizers are tried out on before they are believed: the argument names what the program does.
@main
enum Probe: String {
    /// Threads that wait for each other's mutex, which is no race.
    case contention
    /// Threads that count without a mutex.
    case race
    /// A write behind the end of an array.
    case overflow

    private final class Counter: Sendable {
        let guarded = Mutex(0)
        // Safe: it is not, and has to be found.
        nonisolated(unsafe) var unguarded = 0
    }

    static func main() {
        let counter = Counter()
        switch CommandLine.arguments.last.flatMap(Probe.init) {
        case .contention: inThreads { counter.guarded.withLock { $0 += 1 } }
        case .race: inThreads { counter.unguarded += 1 }
        case .overflow:
            let array = UnsafeMutablePointer<Int>.allocate(capacity: counter.unguarded + 1)
            array[1] = 1
            print(array[0])
        case nil: exit(EX_USAGE)
        }
    }

    /// Runs work in threads that begin together and let each other in, so that they meet on a busy machine too.
    private static func inThreads(_ work: @escaping @Sendable () -> Void) {
        let count = 4
        let started = Mutex(0)
        let ended = DispatchSemaphore(value: 0)
        for _ in 0..<count {
            Thread.detachNewThread {
                started.withLock { $0 += 1 }
                while started.withLock({ $0 }) < count { sched_yield() }
                for number in 0..<20_000 {
                    work()
                    if number.isMultiple(of: 100) { sched_yield() }
                }
                ended.signal()
            }
        }
        for _ in 0..<count { ended.wait() }
    }
}
