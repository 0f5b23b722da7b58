#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import Synchronization
import Testing

@testable import LarkspurTransport

@Suite("TaskCore")
struct TaskCoreTests {
    enum Control: String, CaseIterable, Sendable {
        case resume, suspend, cancel

        func perform(on task: TaskCore) {
            switch self {
            case .resume: task.resume()
            case .suspend: task.suspend()
            case .cancel: task.cancel()
            }
        }

        /// All sequences of a length.
        static func sequences(of length: Int) -> [[Control]] {
            guard length > 0 else { return [[]] }
            return sequences(of: length - 1).flatMap { sequence in allCases.map { sequence + [$0] } }
        }
    }

    let engine = TestEngine()

    /// A task whose completion handler records its error: nil if it has succeeded.
    func makeTask(_ ends: Recorder<URLError.Code?>, defect: URLError? = nil) throws -> TaskCore {
        let handler: @Sendable (Data?, URLResponse?, (any Error)?) -> Void = { _, _, error in
            ends.record((error as? URLError)?.code)
        }
        return try engine.makeTask(completion: .data(handler), defect: defect)
    }

    func state(of task: TaskCore) -> URLSessionTask.State { task.withStorage { $0.course.state } }

    // MARK: Controls

    @Test(
        "Controls change the state, and post the commands for the loop",
        arguments: [
            ([], .suspended, []),
            ([.resume], .running, ["resume"]),
            ([.resume, .resume], .running, ["resume"]),
            ([.suspend], .suspended, []),
            ([.suspend, .resume], .suspended, []),
            ([.suspend, .resume, .resume], .running, ["resume"]),
            ([.resume, .suspend], .suspended, ["resume", "suspend"]),
            ([.resume, .suspend, .suspend, .resume], .suspended, ["resume", "suspend"]),
            ([.resume, .suspend, .resume], .running, ["resume", "suspend", "resume"]),
            ([.cancel], .canceling, ["cancel"]),
            ([.cancel, .resume, .suspend, .cancel], .canceling, ["cancel"]),
            ([.resume, .cancel, .resume], .canceling, ["resume", "cancel"]),
            ([.resume, .suspend, .cancel], .canceling, ["resume", "suspend", "cancel"]),
        ] as [([Control], URLSessionTask.State, [String])]
    )
    func controls(_ controls: [Control], state: URLSessionTask.State, commands: [String]) throws {
        let task = try makeTask(Recorder())
        for control in controls { control.perform(on: task) }
        #expect(self.state(of: task) == state)
        #expect(engine.takeCommands() == commands)
        #expect(task.isCancelled == (state == .canceling))
        #expect(task.isSuspended == (state == .suspended))
    }

    @Test("A task completes once, in any order of the controls and the end")
    func oneCompletion() throws {
        for controls in Control.sequences(of: 4) {
            for end in 0...controls.count {
                let ends = Recorder<URLError.Code?>()
                let task = try makeTask(ends)
                for (index, control) in controls.enumerated() {
                    if index == end { task.deliver(.end(nil)) }
                    control.perform(on: task)
                }
                task.deliver(.end(nil))
                task.deliver(.end(URLError(.timedOut)))
                // A cancellation before the end is the reason of the end.
                let isCancelled = controls.prefix(end == controls.count ? controls.count : end).contains(.cancel)
                #expect(ends.values == [isCancelled ? .cancelled : nil], "\(controls), end after \(end)")
                #expect(state(of: task) == .completed)
                #expect(engine.takeCommands().count { $0 == "cancel" } <= 1)
            }
        }
    }

    @Test("A task that cannot be performed ends once, without the loop, when it is resumed or cancelled")
    func defect() throws {
        for controls in Control.sequences(of: 3) {
            let ends = Recorder<URLError.Code?>()
            let task = try makeTask(ends, defect: URLError(.unsupportedURL))
            for control in controls { control.perform(on: task) }
            // The suspension of a task that is about to end has no effect on the loop.
            #expect(Set(engine.takeCommands()).isSubset(of: ["suspend"]))
            let isOver = state(of: task) == .completed
            #expect(ends.values.count == (isOver ? 1 : 0), "\(controls)")
            #expect(
                isOver
                    == (controls.contains(.cancel) || controls.first == .resume
                        || controls == [.suspend, .resume, .resume])
            )
            #expect(task.begin(at: .now) == .never)
        }
        let ends = Recorder<URLError.Code?>()
        try makeTask(ends, defect: URLError(.unsupportedURL)).resume()
        #expect(engine.takeCommands() == [])
        #expect(ends.values == [.unsupportedURL])
    }

    @Test("When many threads cancel a task, it is cancelled once")
    func cancellationRace() async throws {
        for _ in 0..<50 {
            let task = try makeTask(Recorder())
            DispatchQueue.concurrentPerform(iterations: 8) { index in
                if index.isMultiple(of: 3) { task.resume() }
                task.cancel()
                task.suspend()
            }
            #expect(engine.takeCommands().count { $0 == "cancel" } == 1)
            #expect(state(of: task) == .canceling)
        }
    }

    @Test("Resuming a task if it is new has an effect once")
    func resumingNew() throws {
        let task = try makeTask(Recorder())
        task.resumeIfNew()
        task.resumeIfNew()
        task.suspend()
        task.resumeIfNew()
        #expect(engine.takeCommands() == ["resume", "suspend"])
    }

    @Test(
        "A cancellation with resume data does not fail a download that is already complete",
        arguments: [true, false]
    )
    func resumableCancellation(isResumable: Bool) throws {
        let ends = Recorder<(any Error)?>()
        let task = try engine.makeTask(.download, completion: .download { _, _, error in ends.record(error) })
        task.resume()
        if isResumable { task.cancel(leavingResumeDataFor: Transferring { _ in }) } else { task.cancel() }
        #expect(engine.takeCommands() == ["resume", isResumable ? "cancelResumably" : "cancel"])
        #expect(task.isAbandoned == !isResumable)
        task.deliver(.end(nil))
        let error = try #require(ends.values.first)
        #expect((error == nil) == isResumable)
    }

    @Test("The handler of resume data is called without data for a task that has ended")
    func lateResumableCancellation() throws {
        let handled = Recorder<Data?>()
        let task = try engine.makeTask(.download, completion: .download { _, _, _ in })
        task.deliver(.end(nil))
        task.cancel(leavingResumeDataFor: Transferring { handled.record($0) })
        #expect(engine.takeCommands() == [])
        #expect(handled.values == [nil])
    }

    @Test("The loop begins a task once, after it is resumed")
    func beginning() throws {
        let task = try makeTask(Recorder())
        #expect(task.begin(at: .now) == .never)
        task.resume()
        #expect(task.begin(at: .now) == .now)
        #expect(task.begin(at: .now) == .never)
    }

    @Test("A change of the priority is a command to the loop")
    func priority() throws {
        let task = try makeTask(Recorder())
        task.setPriority(1)
        #expect(task.priority == 1)
        #expect(engine.takeCommands() == ["prioritize"])
    }

    // MARK: The task object

    @Test("A transfer has an identifier without a task object, which is created once, on demand")
    func objectOnDemand() throws {
        let creations = Recorder<Int>()
        let session = InertSession { creations.record($0.identifier) }
        engine.session.attach(session)
        let tasks = try (0..<2).map { _ in try engine.makeTask(receiver: RecordingReceiver()) }
        #expect(tasks[1].identifier == tasks[0].identifier + 1)
        for task in tasks {
            task.resume()
            task.cancel()
        }
        #expect(creations.values == [])
        let object = try #require(tasks[0].object)
        #expect(tasks[0].object === object)
        #expect(creations.values == [tasks[0].identifier])
    }

    @Test("Of several task objects that are created at the same time, the first is used")
    func objectRace() throws {
        let first = Mutex<URLSessionTask?>(nil)
        let session = InertSession { core in
            // Another thread is faster, each time but its own.
            if first.withLock({ $0 == nil }) {
                first.withLock { $0 = InertTask() }
                let object = first.withLock { $0 }
                if let object { core.attach(object) }
            }
        }
        engine.session.attach(session)
        let task = try engine.makeTask(receiver: RecordingReceiver())
        let object = try #require(task.object)
        #expect(object === first.withLock { $0 })
        #expect(task.object === object)
    }

    @Test("Threads that request the task object at the same time get the same one")
    func objectOnThreads() throws {
        engine.session.attach(session)
        for _ in 0..<50 {
            let task = try engine.makeTask(receiver: RecordingReceiver())
            let objects = Mutex<[ObjectIdentifier]>([])
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                guard let object = task.object else { return }
                objects.withLock { $0.append(ObjectIdentifier(object)) }
            }
            #expect(objects.withLock { $0.count } == 8)
            #expect(Set(objects.withLock { $0 }).count == 1)
        }
    }

    private let session = InertSession()

    @Test("A task object is retained from the first resumption to the end", arguments: [true, false])
    func retention(isCancelled: Bool) throws {
        let task = try makeTask(Recorder())
        weak var released: InertTask?
        do {
            let object = InertTask()
            released = object
            task.attach(object)
            if isCancelled { task.cancel() } else { task.resume() }
        }
        #expect(released != nil)
        task.deliver(.end(nil))
        #expect(released == nil)
    }

    @Test("A task whose object is released before it is resumed is removed from its session")
    func unusedObject() throws {
        let task = try makeTask(Recorder())
        let object = InertTask()
        task.attach(object)
        #expect(engine.session.tasks.count == 1)
        task.objectReleased()
        #expect(engine.session.tasks.isEmpty)
    }

    @Test("Releasing the object of an active task does not end the task")
    func usedObject() throws {
        let task = try makeTask(Recorder())
        let object = InertTask()
        task.attach(object)
        task.resume()
        task.objectReleased()
        #expect(engine.session.tasks.count == 1)
    }

    @Test("A replacement object is retained in place of the first one")
    func replacement() throws {
        let task = try makeTask(Recorder())
        weak var released: InertTask?
        weak var replacement: InertTask?
        do {
            let (object, other) = (InertTask(), InertTask())
            (released, replacement) = (object, other)
            task.attach(object)
            task.resume()
            task.replaceObject(with: other)
        }
        #expect(released == nil)
        #expect(replacement != nil && task.object === replacement)
    }

    // MARK: Resume data and metrics

    private func makeResumption() throws -> ResumeData {
        ResumeData(
            url: try #require(URL(string: "http://origin.test/file")),
            fields: [:],
            validator: .entityTag("\"a\""),
            file: "/tmp/\(DownloadFile.prefix)\(UUID().uuidString).tmp",
            total: 100,
            received: 40,
            date: Date()
        )
    }

    @Test("Current resume data has the number of bytes received so far, and there is none before the first")
    func currentResumeData() throws {
        let task = try engine.makeTask(.download)
        task.noteResumption(try makeResumption(), received: 0)
        #expect(task.currentResumeData == nil)
        task.count { $0.received = 70 }
        #expect(task.currentResumeData.flatMap(ResumeData.init)?.received == 70)
        task.noteResumption(nil, received: nil)
        #expect(task.currentResumeData == nil)
        #expect(task.counts.received == 70)
    }

    @Test("A download that never began has the resume data that it was made with")
    func unusedResumeData() throws {
        let task = try engine.makeTask(.download, resumption: try makeResumption())
        #expect(task.unusedResumeData.flatMap(ResumeData.init)?.received == 40)
        task.resume()
        #expect(task.unusedResumeData != nil)
        _ = task.begin(at: .now)
        #expect(task.unusedResumeData == nil)
    }

    @Test("The wait for a connection ends once, and returns the connect timeout")
    func queueing() throws {
        let task = try makeTask(Recorder())
        #expect(!task.withStorage { $0.queueing.isOver })
        task.withStorage { $0.options = TransferOptions(connectTimeout: 7) }
        #expect(task.leaveQueue() == 7)
        #expect(task.withStorage { $0.queueing.isOver })
    }

    // MARK: Delegates

    @Test("The task's own delegate takes precedence over the session's, and is released at the end")
    func delegates() throws {
        let sessionDelegate = DelegateLog()
        let engine = TestEngine(delegate: sessionDelegate)
        let task = try engine.makeTask()
        #expect(task.delegates.task === sessionDelegate)
        weak var released: DelegateLog?
        do {
            let own = DelegateLog()
            released = own
            task.setDelegate(own)
            #expect(task.delegates.task === own && task.delegate === own)
            #expect(task.hasOwnDelegate)
        }
        #expect(released != nil)
        task.deliver(.end(nil))
        #expect(released == nil)
        #expect(task.delegates.task === sessionDelegate)
    }

    @Test("A task that ends is removed from its session")
    func ending() throws {
        let ends = Recorder<URLError.Code?>()
        let task = try makeTask(ends)
        let object = InertTask()
        task.attach(object)
        task.resume()
        #expect(engine.session.tasks.first === object)
        task.deliver(.end(URLError(.timedOut)))
        #expect(engine.session.tasks.isEmpty)
        #expect((task.withStorage { $0.record.error } as? URLError)?.code == .timedOut)
        #expect(ends.values == [.timedOut])
    }
}
#endif
