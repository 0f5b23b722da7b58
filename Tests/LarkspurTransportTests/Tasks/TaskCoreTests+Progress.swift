#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import Synchronization
import Testing

@testable import LarkspurTransport

/// Counts and progress.
extension TaskCoreTests {
    @Test("Changes of the counts accumulate, and are returned")
    func counts() throws {
        let task = try makeTask(Recorder())
        #expect(task.count { $0.received += 3 }.received == 3)
        let counts = task.count {
            $0.received += 4
            $0.sent = 5
        }
        #expect(counts.received == 7 && counts.sent == 5)
        #expect(task.counts.received == 7 && task.counts.sent == 5)
    }

    @Test("The expected length comes with the response")
    func expectedLength() throws {
        let task = try makeTask(Recorder())
        let url = try #require(task.plan.originalRequest?.url)
        let response = URLResponse(url: url, mimeType: nil, expectedContentLength: 9, textEncodingName: nil)
        task.setResponse(ReceivedResponse(response), expected: 9)
        #expect(task.counts.expectedToReceive == 9)
        #expect(task.withStorage { $0.record.response }?.object === response)
    }

    @Test("A task has one progress object, which shows the bytes before and after its creation")
    func progress() throws {
        let task = try makeTask(Recorder())
        task.count {
            $0.expectedToReceive = 10
            $0.received = 4
        }
        let progress = task.progress
        #expect(task.progress === progress)
        #expect(progress.totalUnitCount == 10 && progress.completedUnitCount == 4)
        task.count { $0.received = 6 }
        #expect(progress.completedUnitCount == 6)
        task.deliver(.end(nil))
        #expect(progress.isFinished)
    }

    @Test(
        "The progress of a successful task is finished, and that of a failed task is not",
        arguments: [nil, .timedOut] as [URLError.Code?]
    )
    func progressAfterEnd(failure: URLError.Code?) throws {
        let task = try makeTask(Recorder())
        task.deliver(.end(failure.map { URLError($0) }))
        #expect(task.progress.isFinished == (failure == nil))
    }

    @Test("The progress controls its task")
    func progressControls() async throws {
        let task = try makeTask(Recorder())
        let progress = task.progress
        task.resume()
        // Foundation calls the handlers on a queue of its own.
        progress.pause()
        try await eventually(.suspended) { state(of: task) }
        progress.resume()
        try await eventually(.running) { state(of: task) }
        progress.cancel()
        try await eventually(.canceling) { state(of: task) }
        #expect(engine.takeCommands() == ["resume", "suspend", "resume", "cancel"])
    }
}
#endif
