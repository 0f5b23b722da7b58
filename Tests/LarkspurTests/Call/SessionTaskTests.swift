import LarkspurTesting
import Testing

@testable import Larkspur

@Suite("Session tasks", .timeLimit(.minutes(5)))
struct SessionTaskTests {
    private func makeRequest(_ text: String = "http://stub.test/") throws -> URLRequest {
        URLRequest(url: try #require(URL(string: text)))
    }

    @Test("A new task is suspended and has its request")
    func initialState() throws {
        let manager = SessionManager.stubbed()
        let request = try makeRequest()

        let task = manager.dataTask(with: request) { _ in }

        #expect(task.state == .initialized)
        #expect(task.originalRequest == request)
        #expect(task.taskIdentifier > 0)
        #expect(manager.tasks.count == 1 && manager.tasks.first === task)
        #expect(task.timeline.resumed == nil)
    }

    @Test("Resume, suspend and resume post one notification each, in order, before the completion")
    func notificationsInOrder() async throws {
        let manager = SessionManager.stubbed()
        let task = manager.dataTask(with: try makeRequest()) { _ in }
        let notifications = NotificationRecorder(task)

        // The session delivers nothing before all has been said.
        manager.session.delegateQueue.isSuspended = true
        task.suspend()
        task.resume()
        task.resume()
        task.suspend()
        task.suspend()
        task.resume()
        manager.session.delegateQueue.isSuspended = false
        try await manager.finishAll()
        task.resume()
        task.suspend()
        task.cancel()

        #expect(
            notifications.names == [
                SessionTask.didResumeNotification, SessionTask.didSuspendNotification,
                SessionTask.didResumeNotification,
                SessionTask.didCompleteNotification,
            ]
        )
        #expect(task.state == .completed)
    }

    @Test("A suspended task does not continue until it is resumed")
    func suspension() async throws {
        let manager = SessionManager.stubbed { _ in .json("[1]") }
        let done = Recorder<LarkspurError?>()
        let task = manager.dataTask(with: try makeRequest()) { done.record($0.error) }
        let other = manager.dataTask(with: try makeRequest()) { _ in }
        let otherDone = NotificationRecorder(other)

        // The delegate queue is serial: when the other task has ended, whatever the suspended one had queued has run.
        manager.session.delegateQueue.isSuspended = true
        task.resume()
        task.suspend()
        manager.session.delegateQueue.isSuspended = false
        other.resume()
        try await otherDone.events.wait(for: 2)

        #expect(done.values.isEmpty)
        #expect(task.state == .suspended)
        task.resume()
        try await done.wait()
        #expect(task.state == .completed)
    }

    @Test("The completion notification follows the handler on the completion queue, and has the task's result")
    func completionPayload() async throws {
        let queue = TestQueue.make("completion")
        let manager = SessionManager.stubbed(completionQueue: queue) { _ in .json(#"{"a": 1}"#) }
        let events = Recorder<String>()
        let task = manager.dataTask(with: try makeRequest()) { _ in
            events.record("handler on \(TestQueue.current ?? "none")")
        }
        let token = NotificationCenter.default.addObserver(
            forName: SessionTask.didCompleteNotification,
            object: task,
            queue: nil
        ) { notification in
            let object = notification.taskCompletion?.serializedResponse as? [String: Int]
            let data = notification.taskCompletion?.data ?? Data()
            events.record(
                "notification on \(TestQueue.current ?? "none"): \(object ?? [:]), \(String(decoding: data, as: UTF8.self))"
            )
            #expect(notification.taskCompletion?.error == nil)
            #expect(notification.taskCompletion?.serializer is AnyResponseSerializer)
            #expect(notification.taskCompletion?.timeline.serialized != nil)
            #expect(notification.sessionTask === task)
        }
        defer { NotificationCenter.default.removeObserver(token) }

        task.resume()
        try await manager.finishAll()

        #expect(
            events.values == [
                "handler on completion", #"notification on completion: ["a": 1], {"a": 1}"#,
            ]
        )
    }

    @Test("The notification of a failure has the error, the data and the parsed body")
    func failurePayload() async throws {
        let manager = SessionManager.stubbed { _ in .json(#"{"reason": "gone"}"#, status: 410) }
        let task = manager.dataTask(with: try makeRequest()) { _ in }
        let notifications = NotificationRecorder(task)

        task.resume()
        let completion = try #require(try await notifications.events.wait(for: 2).last?.completion)

        #expect(completion.error?.code == .unacceptableStatusCode)
        #expect(completion.data == Data(#"{"reason": "gone"}"#.utf8))
        #expect(completion.serializedResponse as? [String: String] == ["reason": "gone"])
    }

    @Test("A task that is cancelled before it is resumed ends once, and is never resumed")
    func cancelBeforeResume() async throws {
        let manager = SessionManager.stubbed()
        let done = Recorder<LarkspurError?>()
        let task = manager.dataTask(with: try makeRequest()) { done.record($0.error) }
        let notifications = NotificationRecorder(task)

        task.cancel()
        task.resume()
        try await manager.finishAll()

        #expect(done.values.map { $0?.code } == [.cancelled])
        #expect(notifications.names == [SessionTask.didCompleteNotification])
        #expect(task.error?.code == .cancelled)
        #expect(manager.tasks.isEmpty)
    }

    @Test("Cancelling a task that waits for a response ends the task")
    func cancelRunning() async throws {
        let manager = SessionManager.stubbed { _ in .hang }
        let done = Recorder<LarkspurError?>()
        let task = manager.dataTask(with: try makeRequest()) { done.record($0.error) }

        task.resume()
        task.cancel()
        task.cancel()
        try await manager.finishAll()

        #expect(done.values.map { $0?.code } == [.cancelled])
    }

    @Test("A cancelled task ends as cancelled, even if the transport has completed before")
    func cancelTooLate() async throws {
        let manager = SessionManager.stubbed()
        let done = Recorder<LarkspurError?>()
        let task = manager.dataTask(with: try makeRequest()) { done.record($0.error) }
        // The transport completes the task without an error before it hears of the cancellation.
        let delegate = try #require(manager.session.delegate as? SessionDelegate)
        let urlTask = try #require(task.urlSessionTask)
        manager.session.delegateQueue.isSuspended = true
        task.resume()
        task.cancel()
        delegate.urlSession(manager.session, task: urlTask, didCompleteWithError: nil)
        manager.session.delegateQueue.isSuspended = false
        try await manager.finishAll()

        #expect(done.values.map { $0?.code } == [.cancelled])
    }

    @Test("Cancelling a task from its own handlers has no effect")
    func cancelInHandler() async throws {
        let manager = SessionManager.stubbed()
        let done = Recorder<LarkspurError?>()
        let task = manager.get("/") { task, _ in
            task.cancel()
            task.resume()
            done.record(task.error)
        }

        try await manager.finishAll()

        #expect(done.values.map { $0?.code } == [nil])
        #expect(task.state == .completed)
    }

    @Test("Cancelling, pausing and resuming a task's Progress has the same effect on the task")
    func progressActs() async throws {
        let manager = SessionManager.stubbed { _ in .hang }
        let done = Recorder<LarkspurError?>()
        let task = manager.dataTask(with: try makeRequest()) { done.record($0.error) }

        let notifications = NotificationRecorder(task)
        task.resume()
        task.downloadProgress.pause()
        try await notifications.events.wait(for: 2)
        #expect(task.state == .suspended)
        task.downloadProgress.resume()
        try await notifications.events.wait(for: 3)
        #expect(task.state == .running)
        task.uploadProgress.cancel()
        try await done.wait()

        #expect(done.values.map { $0?.code } == [.cancelled])
    }

    @Test("The dates of the timeline are in order")
    func timeline() async throws {
        let manager = SessionManager.stubbed { _ in .json("[]") }
        let task = manager.get("/") { _, _ in }
        try await manager.finishAll()

        let timeline = task.timeline
        let stages = [
            timeline.created, timeline.resumed, timeline.responseReceived, timeline.completed, timeline.serialized,
        ]
        #expect(stages.compactMap(\.self).count == 5)
        #expect(stages.compactMap(\.self) == stages.compactMap(\.self).sorted())
        #expect(timeline.totalDuration != nil && timeline.latency != nil)
        #expect(timeline.requestDuration != nil && timeline.serializationDuration != nil)
    }

    @Test("A task has the label and the priority that the caller sets")
    func callerProperties() throws {
        let manager = SessionManager.stubbed()
        let task = manager.dataTask(with: try makeRequest()) { _ in }
        #expect(task.taskDescription == nil)
        #expect(task.priority == URLSessionTask.defaultPriority)

        task.taskDescription = "mine"
        task.priority = URLSessionTask.highPriority

        #expect(task.taskDescription == "mine")
        #expect(task.priority == URLSessionTask.highPriority)
    }

    @Test("If many threads resume and suspend a task, its resume and suspend notifications alternate, and it ends once")
    func concurrentEvents() async throws {
        for _ in 0..<50 {
            let manager = SessionManager.stubbed()
            let done = Recorder<LarkspurError?>()
            let task = manager.dataTask(with: try makeRequest()) { done.record($0.error) }
            let notifications = NotificationRecorder(task)

            await withTaskGroup(of: Void.self) { group in
                for index in 0..<8 {
                    group.addTask {
                        for step in 0..<10 {
                            switch (index + step) % 3 {
                            case 0: task.resume()
                            case 1: task.suspend()
                            default: _ = task.state
                            }
                        }
                    }
                }
            }
            task.resume()
            try await manager.finishAll()

            #expect(done.values.count == 1)
            let names = notifications.names
            #expect(names.last == SessionTask.didCompleteNotification)
            #expect(names.count { $0 == SessionTask.didCompleteNotification } == 1)
            for (index, name) in names.dropLast().enumerated() {
                #expect(
                    name == (index % 2 == 0 ? SessionTask.didResumeNotification : SessionTask.didSuspendNotification)
                )
            }
        }
    }
}
