import Dispatch
import Foundation
import Synchronization

/// Waits for work, or until a limit of time.
///
/// The work may wait for ever: then it goes on, and the caller reports the failure.
/// - Parameters:
///   - limit: The limit in seconds, which is generous, because a machine may be busy.
///   - description: The text that is written to standard error at the limit. The caller may not run any more if the
///     work has blocked the threads of all Swift tasks.
/// - Returns: Whether the work has ended.
package func ends(
    within limit: Double,
    _ description: @escaping @Sendable () -> String,
    _ work: @escaping @Sendable () async -> Void
) async -> Bool {
    let end = Recorder<Bool>()
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.schedule(deadline: .now() + limit)
    timer.setEventHandler {
        FileHandle.standardError.write(Data("After \(limit) s: \(description())\n".utf8))
        end.record(false)
    }
    timer.resume()
    defer { timer.cancel() }
    Task {
        await work()
        end.record(true)
    }
    return (try? await end.first()) ?? false
}
