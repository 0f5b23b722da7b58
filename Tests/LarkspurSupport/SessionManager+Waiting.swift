package import Larkspur
import TestSupport

extension SessionManager {
    /// Waits until every request under way has ended.
    package func finishAll() async throws {
        let done = Recorder<Void>()
        completionGroup.notify(queue: .global()) { done.record(()) }
        try await done.wait()
    }
}
