#if canImport(FoundationNetworking)
import Synchronization

/// The common part of scripted tasks of every kind: the script's reply, and the part of it that has been delivered.
///
/// A reply is a list of steps. Each step is one operation on the delegate queue. A suspended task keeps its position.
final class StubTaskCore: Sendable {
    private enum Step {
        case response
        case sentBody
        case chunk(Data)
        case end((any Error)?)
    }

    private struct Storage {
        var state = URLSessionTask.State.suspended
        var steps: [Step]?
        var reply: StubURLSession.Reply?
        var isDelivering = false
        var received: Int64 = 0
        var response: URLResponse?
        var error: (any Error)?
        weak var task: URLSessionTask?
        /// A reference that keeps the task while it is under way, as a session does.
        var runningTask: URLSessionTask?
    }

    let identifier: Int
    let request: URLRequest
    let bodyLength: Int64
    private let session: StubURLSession
    private let script: StubURLSession.Script
    private let storage = Mutex(Storage())

    init(
        session: StubURLSession,
        identifier: Int,
        request: URLRequest,
        bodyLength: Int64,
        script: @escaping StubURLSession.Script
    ) {
        self.session = session
        self.identifier = identifier
        self.request = request
        self.bodyLength = bodyLength
        self.script = script
    }

    func attach(_ task: URLSessionTask) { storage.withLock { $0.task = task } }

    var state: URLSessionTask.State { storage.withLock { $0.state } }
    var response: URLResponse? { storage.withLock { $0.response } }
    var error: (any Error)? { storage.withLock { $0.error } }

    func resume() {
        let needsReply = storage.withLock { storage in
            guard storage.state == .suspended else { return false }
            storage.state = .running
            storage.runningTask = storage.task
            return storage.steps == nil
        }
        if needsReply {
            let reply = script(request)
            storage.withLock { storage in
                storage.reply = reply
                // A cancellation that came in the meantime takes precedence.
                if storage.steps == nil { storage.steps = steps(of: reply) }
            }
        }
        deliverNext()
    }

    func suspend() {
        storage.withLock { if $0.state == .running { $0.state = .suspended } }
    }

    func cancel() {
        storage.withLock { storage in
            guard storage.state == .running || storage.state == .suspended else { return }
            storage.state = .canceling
            storage.runningTask = storage.task
            storage.steps = [.end(URLError(.cancelled))]
        }
        deliverNext()
    }

    private func steps(of reply: StubURLSession.Reply) -> [Step] {
        var steps: [Step] = bodyLength > 0 ? [.sentBody] : []
        if reply.status != nil { steps.append(.response) }
        steps += reply.chunks.map(Step.chunk)
        switch reply.end {
        case .success: steps.append(.end(nil))
        case .failure(let error): steps.append(.end(error))
        case .never: break
        }
        return steps
    }

    /// Delivers the next step on the delegate queue, unless one is being delivered.
    private func deliverNext() {
        let mayDeliver = storage.withLock { storage in
            guard !storage.isDelivering, storage.state != .suspended, storage.steps?.isEmpty == false else {
                return false
            }
            storage.isDelivering = true
            return true
        }
        guard mayDeliver else { return }
        session.delegateQueue.addOperation { [self] in
            let step = storage.withLock { storage -> Step? in
                guard storage.state != .suspended, storage.steps?.isEmpty == false else { return nil }
                return storage.steps?.removeFirst()
            }
            guard let step else { return finishDelivery() }
            deliver(step)
        }
    }

    private func finishDelivery() {
        storage.withLock { $0.isDelivering = false }
        deliverNext()
    }

    private func deliver(_ step: Step) {
        guard let task = storage.withLock({ $0.runningTask }),
            let delegate = session.delegate as? any URLSessionTaskDelegate
        else {
            return end(nil, of: nil)
        }
        switch step {
        case .sentBody:
            delegate.urlSession(
                session,
                task: task,
                didSendBodyData: bodyLength,
                totalBytesSent: bodyLength,
                totalBytesExpectedToSend: bodyLength
            )
            finishDelivery()
        case .response: deliverResponse(to: task, delegate)
        case .chunk(let data): deliver(data, to: task, delegate)
        case .end(let error): end(error, of: task)
        }
    }

    private func deliverResponse(to task: URLSessionTask, _ delegate: any URLSessionTaskDelegate) {
        let response = storage.withLock { storage -> URLResponse? in
            guard let reply = storage.reply, let status = reply.status, let url = request.url else { return nil }
            storage.response = HTTPURLResponse(
                url: url,
                statusCode: status,
                httpVersion: "HTTP/1.1",
                headerFields: reply.headers
            )
            return storage.response
        }
        guard let response, let delegate = delegate as? any URLSessionDataDelegate,
            let task = task as? URLSessionDataTask
        else {
            return finishDelivery()
        }
        delegate.urlSession(session, dataTask: task, didReceive: response) { [self] disposition in
            if disposition == .cancel { cancel() }
            finishDelivery()
        }
    }

    private func deliver(_ data: Data, to task: URLSessionTask, _ delegate: any URLSessionTaskDelegate) {
        let received = storage.withLock { storage in
            storage.received += Int64(data.count)
            return storage.received
        }
        if let task = task as? URLSessionDataTask {
            (delegate as? any URLSessionDataDelegate)?.urlSession(session, dataTask: task, didReceive: data)
        } else if let task = task as? URLSessionDownloadTask {
            (delegate as? any URLSessionDownloadDelegate)?.urlSession(
                session,
                downloadTask: task,
                didWriteData: Int64(data.count),
                totalBytesWritten: received,
                totalBytesExpectedToWrite: response?.expectedContentLength ?? -1
            )
        }
        finishDelivery()
    }

    private func end(_ error: (any Error)?, of task: URLSessionTask?) {
        let reply = storage.withLock { storage in
            storage.state = .completed
            storage.error = error
            storage.runningTask = nil
            return storage.reply
        }
        let delegate = session.delegate
        if error == nil, let task = task as? URLSessionDownloadTask, let reply {
            deliverFile(of: reply, to: task, delegate as? any URLSessionDownloadDelegate)
        }
        if let task {
            (delegate as? any URLSessionTaskDelegate)?.urlSession(session, task: task, didCompleteWithError: error)
        }
        session.remove(identifier)
    }

    private func deliverFile(
        of reply: StubURLSession.Reply,
        to task: URLSessionDownloadTask,
        _ delegate: (any URLSessionDownloadDelegate)?
    ) {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("Stub-\(UUID().uuidString).tmp")
        guard FileManager.default.createFile(atPath: file.path, contents: Data(reply.chunks.joined())) else {
            return
        }
        delegate?.urlSession(session, downloadTask: task, didFinishDownloadingTo: file)
        // As in a real session, a file that the delegate has not moved is removed. An error means that the delegate has
        // moved it.
        try? FileManager.default.removeItem(at: file)
    }
}
#endif

#if canImport(FoundationNetworking)
/// A scripted data task.
final class StubDataTask: URLSessionDataTask, @unchecked Sendable {  // Safe: everything is in `core`.
    private let core: StubTaskCore

    init(core: StubTaskCore) {
        self.core = core
        super.init()
        core.attach(self)
    }

    override var taskIdentifier: Int { core.identifier }
    override var originalRequest: URLRequest? { core.request }
    override var currentRequest: URLRequest? { core.request }
    override var response: URLResponse? { core.response }
    override var state: URLSessionTask.State { core.state }
    override var error: (any Error)? { core.error }
    override var priority: Float {
        get { URLSessionTask.defaultPriority }
        set {}
    }
    override func resume() { core.resume() }
    override func suspend() { core.suspend() }
    override func cancel() { core.cancel() }
}
#endif

#if canImport(FoundationNetworking)
/// A scripted download task.
final class StubDownloadTask: URLSessionDownloadTask, @unchecked Sendable {  // Safe: everything is in `core`.
    private let core: StubTaskCore

    init(core: StubTaskCore) {
        self.core = core
        super.init()
        core.attach(self)
    }

    override var taskIdentifier: Int { core.identifier }
    override var originalRequest: URLRequest? { core.request }
    override var currentRequest: URLRequest? { core.request }
    override var response: URLResponse? { core.response }
    override var state: URLSessionTask.State { core.state }
    override var error: (any Error)? { core.error }
    override var priority: Float {
        get { URLSessionTask.defaultPriority }
        set {}
    }
    override func resume() { core.resume() }
    override func suspend() { core.suspend() }
    override func cancel() { core.cancel() }
}
#endif

#if canImport(FoundationNetworking)
/// A scripted upload task.
final class StubUploadTask: URLSessionUploadTask, @unchecked Sendable {  // Safe: everything is in `core`.
    private let core: StubTaskCore

    init(core: StubTaskCore) {
        self.core = core
        super.init()
        core.attach(self)
    }

    override var taskIdentifier: Int { core.identifier }
    override var originalRequest: URLRequest? { core.request }
    override var currentRequest: URLRequest? { core.request }
    override var response: URLResponse? { core.response }
    override var state: URLSessionTask.State { core.state }
    override var error: (any Error)? { core.error }
    override var priority: Float {
        get { URLSessionTask.defaultPriority }
        set {}
    }
    override func resume() { core.resume() }
    override func suspend() { core.suspend() }
    override func cancel() { core.cancel() }
}
#endif
