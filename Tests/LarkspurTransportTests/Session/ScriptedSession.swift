#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import Synchronization

/// What a test scripts of a task: called with the task's end, any number of times.
typealias TaskEnd = @Sendable (URLResponse?, (any Error)?) -> Void

/// A session whose factories make tasks that do what a test says, and that notes which factory was called.
// Safe: what changes is behind `state`.
final class ScriptedSession: URLSession, @unchecked Sendable {
    struct Script: Sendable {
        var onMake: @Sendable (@escaping TaskEnd) -> Void = { _ in }
        var onResume: @Sendable (@escaping TaskEnd) -> Void = { _ in }
        var onCancel: @Sendable (@escaping TaskEnd) -> Void = { end in end(nil, URLError(.cancelled)) }
        /// The file that a download ends with.
        var file: URL?
        /// The content that a data task ends with.
        var data: Data?
    }

    private struct State {
        var factories: [String] = []
        var calls: [String] = []
    }

    private let script: Script
    private let state = Mutex(State())

    init(_ script: Script) {
        self.script = script
        super.init(configuration: .testing, delegate: nil, delegateQueue: nil)
    }

    var factories: [String] { state.withLock { $0.factories } }
    /// What was done with tasks, in order: "resume", "resume with delegate" and "cancel".
    var calls: [String] { state.withLock { $0.calls } }

    private func begin(_ factory: String, _ end: @escaping TaskEnd) -> TaskScript {
        state.withLock { $0.factories.append(factory) }
        script.onMake(end)
        return TaskScript(
            resume: { [self] hasDelegate in
                state.withLock { $0.calls.append(hasDelegate ? "resume with delegate" : "resume") }
                script.onResume(end)
            },
            cancel: { [self] in
                state.withLock { $0.calls.append("cancel") }
                script.onCancel(end)
            }
        )
    }

    typealias ContentHandler = @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    typealias FileHandler = @Sendable (URL?, URLResponse?, (any Error)?) -> Void

    override func dataTask(
        with request: URLRequest,
        completionHandler: @escaping ContentHandler
    ) -> URLSessionDataTask {
        ScriptedDataTask(begin("data request") { [script] in completionHandler(script.data, $0, $1) })
    }

    override func dataTask(with url: URL, completionHandler: @escaping ContentHandler) -> URLSessionDataTask {
        ScriptedDataTask(begin("data url") { [script] in completionHandler(script.data, $0, $1) })
    }

    override func uploadTask(
        with request: URLRequest,
        from bodyData: Data?,
        completionHandler: @escaping ContentHandler
    ) -> URLSessionUploadTask {
        ScriptedUploadTask(begin("upload data") { [script] in completionHandler(script.data, $0, $1) })
    }

    override func uploadTask(
        with request: URLRequest,
        fromFile fileURL: URL,
        completionHandler: @escaping ContentHandler
    ) -> URLSessionUploadTask {
        ScriptedUploadTask(begin("upload file") { [script] in completionHandler(script.data, $0, $1) })
    }

    override func downloadTask(
        with request: URLRequest,
        completionHandler: @escaping FileHandler
    ) -> URLSessionDownloadTask {
        ScriptedDownloadTask(begin("download request") { [script] in completionHandler(script.file, $0, $1) })
    }

    override func downloadTask(with url: URL, completionHandler: @escaping FileHandler) -> URLSessionDownloadTask {
        ScriptedDownloadTask(begin("download url") { [script] in completionHandler(script.file, $0, $1) })
    }

    override func downloadTask(
        withResumeData resumeData: Data,
        completionHandler: @escaping FileHandler
    ) -> URLSessionDownloadTask {
        ScriptedDownloadTask(begin("download resume data") { [script] in completionHandler(script.file, $0, $1) })
    }
}

struct TaskScript: Sendable {
    let resume: @Sendable (_ hasDelegate: Bool) -> Void
    let cancel: @Sendable () -> Void
}

// Safe: the script is immutable.
private final class ScriptedDataTask: URLSessionDataTask, @unchecked Sendable {
    private let script: TaskScript
    init(_ script: TaskScript) {
        self.script = script
        super.init()
    }
    override func resume() { script.resume(delegate != nil) }
    override func cancel() { script.cancel() }
}

// Safe: the script is immutable.
private final class ScriptedUploadTask: URLSessionUploadTask, @unchecked Sendable {
    private let script: TaskScript
    init(_ script: TaskScript) {
        self.script = script
        super.init()
    }
    override func resume() { script.resume(delegate != nil) }
    override func cancel() { script.cancel() }
}

// Safe: the script is immutable.
private final class ScriptedDownloadTask: URLSessionDownloadTask, @unchecked Sendable {
    private let script: TaskScript
    init(_ script: TaskScript) {
        self.script = script
        super.init()
    }
    override func resume() { script.resume(delegate != nil) }
    override func cancel() { script.cancel() }
}
#endif
