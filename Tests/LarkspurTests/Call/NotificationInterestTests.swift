import LarkspurTesting
import Synchronization
import Testing

@testable import Larkspur
@testable import LarkspurActivity

/// Each in a process of its own, as the first that reads a name turns the notification on for all that follow.
@Suite("Notifications that are posted for their observers", .timeLimit(.minutes(5)))
struct NotificationInterestTests {
    private static let resumed = "LarkspurTaskDidResume"
    private static let completed = "LarkspurTaskDidComplete"

    /// Collects the names of the notifications of tasks that one observer of `name` sees.
    private final class Observer: Sendable {
        private struct Token: @unchecked Sendable {  // Safe: a token is only handed back to the notification center.
            let value: any NSObjectProtocol
        }

        private let seen: Recorder<String>
        private let token: Token

        init(of name: Notification.Name?, object: SessionTask? = nil) {
            let seen = Recorder<String>()
            self.seen = seen
            token = Token(
                value: NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) {
                    if $0.sessionTask != nil { seen.record($0.name.rawValue) }
                }
            )
        }

        deinit { NotificationCenter.default.removeObserver(token.value) }

        var names: [String] { seen.values }
    }

    /// Performs a call with a closure.
    private static func perform() async throws {
        let manager = SessionManager.stubbed { _ in .json("[]") }
        manager.get("path") { _, _ in }
        try await manager.finishAll()
    }

    @Test("An observer of a name gets that notification, and no other notification is made")
    func reader() async {
        await #expect(processExitsWith: .success) {
            let observer = Observer(of: SessionTask.didCompleteNotification)
            let all = Observer(of: nil)
            try await Self.perform()
            #expect(observer.names == [Self.completed])
            #expect(all.names == [Self.completed])
        }
    }

    @Test("An observer of one task gets its notifications")
    func observerOfTask() async {
        await #expect(processExitsWith: .success) {
            let manager = SessionManager.stubbed { _ in .json("[]") }
            let request = try manager.makeRequest(.get, "path")
            let task = manager.dataTask(with: request, as: .data) { _ in }
            let observers = [SessionTask.didResumeNotification, SessionTask.didCompleteNotification]
                .map { Observer(of: $0, object: task) }
            task.resume()
            try await manager.finishAll()
            #expect(observers.map(\.names) == [[Self.resumed], [Self.completed]])
        }
    }

    @Test("A notification whose name is first read after the change is not posted late")
    func late() async {
        await #expect(processExitsWith: .success) {
            let manager = SessionManager.stubbed { _ in .json("[]") }
            manager.completionQueue.suspend()
            let task = manager.get("path") { _, _ in }
            let observers = [Observer(of: nil), Observer(of: SessionTask.didResumeNotification)]
            #expect(task.state != .initialized)
            manager.completionQueue.resume()
            try await manager.finishAll()
            #expect(observers.map(\.names) == [[], []])
        }
    }

    @Test("Observers of every name, and of names written as strings, get no notifications by default")
    func nobody() async {
        await #expect(processExitsWith: .success) {
            let observers = [Observer(of: nil), Observer(of: Notification.Name(Self.completed))]
            try await Self.perform()
            #expect(observers.map(\.names) == [[], []])
        }
    }

    @Test("While all notifications are switched on, observers of every name get them")
    func switchedOn() async {
        await #expect(processExitsWith: .success) {
            let observers = [Observer(of: nil), Observer(of: Notification.Name(Self.completed))]
            #expect(!SessionTask.postsAllNotifications)
            SessionTask.postsAllNotifications = true
            try await Self.perform()
            SessionTask.postsAllNotifications = false
            try await Self.perform()
            #expect(observers.map(\.names) == [[Self.resumed, Self.completed], [Self.completed]])
        }
    }

    @Test("A download posts the notification about its moved file if the name of the notification was read")
    func move() async {
        await #expect(processExitsWith: .success) {
            let manager = SessionManager.stubbed { _ in .text("content") }
            let (moved, failed) = (
                Observer(of: DownloadTask.didMoveFileNotification),
                Observer(of: DownloadTask.didFailToMoveFileNotification)
            )
            let folder = TemporaryFolder()
            let file = try await manager.download("file", to: .file(folder.url.appendingPathComponent("file"))).file
            try await manager.finishAll()
            #expect(FileManager.default.fileExists(atPath: file.path))
            #expect(moved.names == ["LarkspurDownloadDidMoveFile"])
            #expect(failed.names.isEmpty)
        }
    }

    @Test("An activity monitor sees the tasks without being registered with them")
    func monitor() async {
        await #expect(processExitsWith: .success) {
            let counts = Recorder<Void>()
            let monitor = NetworkActivityMonitor { _ in
                counts.record(())
                return true
            }
            try await Self.perform()
            #expect(counts.values.count == 1)
            withExtendedLifetime(monitor) {}
        }
    }

    @Test("The names of the notifications do not change between releases")
    func names() {
        #expect(
            TaskNotification.allCases.map(\.name.rawValue) == [
                "LarkspurTaskDidResume", "LarkspurTaskDidSuspend", "LarkspurTaskDidComplete",
                "LarkspurDownloadDidMoveFile", "LarkspurDownloadDidFailToMoveFile",
            ]
        )
        #expect(SessionTask.didSuspendNotification == TaskNotification.didSuspend.name)
    }
}
