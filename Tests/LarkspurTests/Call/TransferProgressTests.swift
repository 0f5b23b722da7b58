import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("The progress of a transfer", .timeLimit(.minutes(5)))
struct TransferProgressTests {
    @Test("Half a million reports do not wrap the progress handler")
    func manyReports() async throws {
        let manager = SessionManager.stubbed()
        let task = manager.dataTask(with: URLRequest(url: try #require(URL(string: "http://stub.test/")))) { _ in }
        let queue = DispatchQueue(label: "reports")
        let last = Recorder<Int64>()
        let progress = TransferProgress(queue: queue) { progress in
            if progress.completedUnitCount == 500_000 { last.record(progress.completedUnitCount) }
        }
        for count in 1...500_000 { progress.update(completed: Int64(count), total: 500_000, of: task) }
        try await last.wait()
        // Were it wrapped once for each report, its release would take more than a thread's stack.
        progress.end(successfully: true, of: task)
    }
}
