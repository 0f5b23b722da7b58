#if canImport(FoundationNetworking)
import LarkspurTesting
import Synchronization

/// What samples print.
final class PrintedLines: Sendable {
    private let lines = Mutex<[String]>([])
    private let gate = LoopbackServer.Gate()

    var values: [String] { lines.withLock { $0 } }

    func add(_ line: String) {
        lines.withLock { $0.append(line) }
        gate.open()
    }

    /// Waits for the first line.
    func wait() async { await gate.wait() }
}
#endif
