#if canImport(FoundationNetworking)
import HTTPSyntax
internal import LarkspurTransport
import Synchronization

/// The common part of all stub tasks: the reply of the source, and the state of its delivery.
///
/// A reply is a list of steps. Each step is an operation on the delegate queue. A suspended task keeps its position.
final class StubTaskCore: Sendable {
    /// The place of a request's content.
    enum Content: Sendable {
        /// The content of the request itself.
        case request
        case data(Data)
        case file(URL)
        /// A stream that the delegate provides.
        case stream
    }

    /// A handler that receives the result of a task in place of the delegate.
    enum Completion: Sendable {
        case data(@Sendable (Data?, URLResponse?, (any Error)?) -> Void)
        case file(@Sendable (URL?, URLResponse?, (any Error)?) -> Void)
    }

    private struct Storage {
        var course = StubCourse()
        var reply = StubReplySteps()
        var record: StubTaskRecord
        var delegate: (any URLSessionTaskDelegate)?
        weak var task: URLSessionTask?
        /// A reference that retains the task while it runs, as a session does.
        var runningTask: URLSessionTask?
    }

    private static let mostRedirects = 20

    let identifier: Int
    let request: URLRequest
    private let content: Content
    private let completion: Completion?
    private let session: StubURLSession
    private let source: any ReplySource
    private let storage: Mutex<Storage>

    init(
        session: StubURLSession,
        identifier: Int,
        request: URLRequest,
        content: Content,
        completion: Completion?,
        source: any ReplySource
    ) {
        self.session = session
        self.identifier = identifier
        self.request = request
        self.content = content
        self.completion = completion
        self.source = source
        storage = Mutex(Storage(record: StubTaskRecord(currentRequest: request)))
    }

    func attach(_ task: URLSessionTask) { storage.withLock { $0.task = task } }

    var state: URLSessionTask.State { storage.withLock { $0.course.state } }
    var response: URLResponse? { storage.withLock { $0.record.response } }
    var error: (any Error)? { storage.withLock { $0.record.error } }
    var currentRequest: URLRequest { storage.withLock { $0.record.currentRequest } }
    var delegate: (any URLSessionTaskDelegate)? {
        get { storage.withLock { $0.delegate } }
        set { storage.withLock { $0.delegate = newValue } }
    }

    // MARK: Orders

    func resume() {
        let begins = storage.withLock { storage in
            guard let isFirst = storage.course.resume() else { return false }
            storage.runningTask = storage.task
            return isFirst
        }
        if begins { begin() }
        deliverNext()
    }

    func suspend() {
        storage.withLock { $0.course.suspend() }
    }

    func cancel() {
        let (wait, abandonment) = storage.withLock { storage in
            guard storage.course.cancel() else {
                return (nil as Task<Void, Never>?, nil as (@Sendable () -> Void)?)
            }
            storage.runningTask = storage.task
            return (storage.reply.wait.take(), storage.reply.replace(with: [.end(URLError(.cancelled))]))
        }
        abandonment?()
        wait?.cancel()
        deliverNext()
    }

    /// Calls a closure on the delegate queue, after the calls of the delegate that are queued.
    func afterwards(_ body: @escaping @Sendable () -> Void) { session.delegateQueue.addOperation(body) }

    // MARK: The request

    private func begin() {
        switch content {
        case .request:
            if let stream = request.httpBodyStream, source.readsContent {
                read(InputStreamBox(stream: stream))
            } else {
                send(request.httpBody)
            }
        case .data(let data): send(data)
        case .file(let file):
            guard source.readsContent else { return send(nil) }
            do {
                send(try Data(contentsOf: file))
            } catch {
                add([.end(URLError(.fileDoesNotExist, userInfo: [NSUnderlyingErrorKey: error]))], hop: 0)
            }
        case .stream:
            guard source.readsContent else { return send(nil) }
            session.delegateQueue.addOperation { [self] in
                guard let task = storage.withLock({ $0.runningTask }), let delegate = eventDelegate else {
                    return send(nil)
                }
                ask(refusal: InputStreamBox?.none) { [self] box in
                    if let box { read(box) } else { send(nil) }
                } of: { answer in
                    delegate.urlSession(session, task: task) { answer($0.map { InputStreamBox(stream: $0) }) }
                }
            }
        }
    }

    /// Asks the delegate. If the delegate releases the handler without a call, this counts as a refusal, as with the
    /// engine.
    private func ask<Value: Sendable>(
        refusal: Value,
        _ take: @escaping @Sendable (Value) -> Void,
        of delegate: (@escaping @Sendable (Value) -> Void) -> Void
    ) {
        let question = DelegateQuestion(refusal: refusal)
        delegate { question.answer($0) }
        if let answer = question.take(orLater: take) { take(answer) }
    }

    /// A stream on its way to the thread that reads it.
    private struct InputStreamBox: @unchecked Sendable {  // Safe: the stream is used by that thread alone.
        let stream: InputStream
    }

    private func read(_ box: InputStreamBox) {
        DispatchQueue.global().async { [self] in
            let stream = box.stream
            stream.open()
            defer { stream.close() }
            var content = Data()
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while state != .canceling {
                let count = stream.read(&buffer, maxLength: buffer.count)
                guard count >= 0 else {
                    let error = stream.streamError ?? URLError(.requestBodyStreamExhausted)
                    return add([.end(error)], hop: 0)
                }
                if count == 0 { return send(content) }
                content.append(contentsOf: buffer.prefix(count))
            }
        }
    }

    private func send(_ content: Data?) {
        var request = request
        if source.readsContent {
            // Setting the content adds a field, so the previous fields are restored.
            let fields = request.allHTTPHeaderFields
            request.httpBodyStream = nil
            request.httpBody = content
            request.allHTTPHeaderFields = fields
        }
        if let content, !content.isEmpty { add([.sentBody(Int64(content.count))], hop: 0) }
        source.reply(to: request, StubExchange(core: self, hop: 0))
    }

    func add(_ steps: [Step], hop: Int) {
        storage.withLock { storage in
            // If the task was cancelled meanwhile, the cancellation takes precedence.
            guard storage.reply.hop == hop, storage.course.isOpen else { return }
            storage.reply.steps += steps
        }
        deliverNext()
    }

    func onAbandonment(of hop: Int, _ action: @escaping @Sendable () -> Void) {
        let isLate = storage.withLock { storage in
            guard storage.reply.hop == hop, storage.course.isOpen else { return true }
            storage.reply.abandonment = action
            return false
        }
        if isLate { action() }
    }

    // MARK: Delivery

    /// Delivers the next step on the delegate queue, unless a step is already being delivered.
    private func deliverNext() {
        guard storage.withLock({ $0.course.state != .suspended && $0.reply.beginDelivery() }) else { return }
        session.delegateQueue.addOperation { [self] in
            let step = storage.withLock { storage -> Step? in
                storage.course.state == .suspended ? nil : storage.reply.steps.popFirst()
            }
            guard let step else { return finishDelivery() }
            deliver(step)
        }
    }

    private func finishDelivery() {
        storage.withLock { $0.reply.isDelivering = false }
        deliverNext()
    }

    private var eventDelegate: (any URLSessionTaskDelegate)? {
        delegate ?? session.delegate as? any URLSessionTaskDelegate
    }

    private func deliver(_ step: Step) {
        guard let task = storage.withLock({ $0.runningTask }) else { return end(nil, of: nil) }
        let delegate = eventDelegate
        switch step {
        case .pause(let duration):
            // An error means that the task was cancelled.
            wait { [clock = source.clock] in try? await clock.sleep(for: duration) }
        case .gate(let gate): wait { await gate.wait() }
        case .sentBody(let count):
            delegate?.urlSession(
                session,
                task: task,
                didSendBodyData: count,
                totalBytesSent: count,
                totalBytesExpectedToSend: count
            )
            finishDelivery()
        case .challenge(let ask):
            ask(session, delegate, task)
            finishDelivery()
        case .response(let status, let headers): deliverResponse(status, headers, to: task, delegate)
        case .chunk(let data): deliver(data, to: task, delegate)
        case .end(let error): end(error, of: task)
        }
    }

    /// Waits in a Swift task. Cancelling the stub task ends the wait.
    private func wait(_ body: @escaping @Sendable () async -> Void) {
        storage.withLock { storage in
            // Under the lock, so that the wait is recorded before it can end.
            storage.reply.wait = Task {
                await body()
                finishDelivery()
            }
            // A later cancellation finds the recorded wait. An earlier cancellation is handled here.
            if storage.course.state == .canceling { storage.reply.wait?.cancel() }
        }
    }

    private func deliverResponse(
        _ status: Int,
        _ headers: [String: String],
        to task: URLSessionTask,
        _ delegate: (any URLSessionTaskDelegate)?
    ) {
        let request = currentRequest
        guard let url = request.url,
            let response = HTTPURLResponse(
                url: url,
                statusCode: status,
                httpVersion: "HTTP/1.1",
                headerFields: headers
            )
        else { return finishDelivery() }
        guard source.followsRedirects else { return deliver(response, to: task, delegate) }
        let decision = RedirectDecision.decide(
            status: status,
            location: response.value(forHTTPHeaderField: "Location"),
            request: request
        )
        switch decision {
        case .deliver: deliver(response, to: task, delegate)
        case .follow(let next, let keepsBody):
            let take: @Sendable (URLRequest?) -> Void = { [self] answer in
                guard let answer else { return deliver(response, to: task, delegate) }
                if let refusal = RedirectDecision.refusal(of: answer, after: request, allowsInsecureTarget: false) {
                    fail(URLError(refusal.code, userInfo: [NSLocalizedDescriptionKey: refusal.sentence]))
                } else {
                    follow(answer, keepsBody: keepsBody)
                }
            }
            guard let delegate else { return take(next) }
            ask(refusal: nil, take) {
                delegate.urlSession(
                    session,
                    task: task,
                    willPerformHTTPRedirection: response,
                    newRequest: next,
                    completionHandler: $0
                )
            }
        }
    }

    /// Ends the task with an error in place of the rest of the reply.
    private func fail(_ error: any Error) {
        let abandonment = storage.withLock { storage in
            storage.course.state == .canceling
                ? storage.reply.abandonment.take() : storage.reply.replace(with: [.end(error)])
        }
        abandonment?()
        finishDelivery()
    }

    private func follow(_ next: URLRequest, keepsBody: Bool) {
        var next = next
        let (hop, abandonment) = storage.withLock { storage in
            guard storage.course.state != .canceling else { return (nil as Int?, nil as (@Sendable () -> Void)?) }
            if !keepsBody { next.httpBody = nil }
            storage.record.currentRequest = next
            storage.reply.hop += 1
            return (storage.reply.hop, storage.reply.replace(with: []))
        }
        abandonment?()
        if let hop {
            if hop > Self.mostRedirects {
                add([.end(URLError(.httpTooManyRedirects))], hop: hop)
            } else {
                source.reply(to: next, StubExchange(core: self, hop: hop))
            }
        }
        finishDelivery()
    }

    private func deliver(
        _ response: HTTPURLResponse,
        to task: URLSessionTask,
        _ delegate: (any URLSessionTaskDelegate)?
    ) {
        storage.withLock { $0.record.response = response }
        guard completion == nil, let delegate = delegate as? any URLSessionDataDelegate,
            let task = task as? URLSessionDataTask
        else {
            return finishDelivery()
        }
        ask(refusal: .cancel) { [self] disposition in
            if disposition == .cancel { cancel() }
            finishDelivery()
        } of: {
            delegate.urlSession(session, dataTask: task, didReceive: response, completionHandler: $0)
        }
    }

    private func deliver(_ data: Data, to task: URLSessionTask, _ delegate: (any URLSessionTaskDelegate)?) {
        let received = storage.withLock { storage in
            storage.record.received += Int64(data.count)
            if completion != nil || task is URLSessionDownloadTask { storage.record.collected.append(data) }
            return storage.record.received
        }
        if completion != nil {
            // The completion handler receives the whole content at the end.
        } else if let task = task as? URLSessionDataTask {
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

    // MARK: The end

    private func end(_ error: (any Error)?, of task: URLSessionTask?) {
        let delegate = eventDelegate
        let (content, response) = storage.withLock { storage in
            storage.course.state = .completed
            storage.record.error = error
            storage.runningTask = nil
            storage.reply.abandonment = nil
            storage.delegate = nil
            return (exchange(&storage.record.collected, with: Data()), storage.record.response)
        }
        if let task {
            switch completion {
            case .data(let handler): handler(error == nil ? content : nil, response, error)
            case .file(let handler):
                if let error {
                    handler(nil, response, error)
                } else {
                    withFile(of: content) { handler($0, response, nil) }
                }
            case nil:
                if error == nil, let download = task as? URLSessionDownloadTask {
                    withFile(of: content) { file in
                        (delegate as? any URLSessionDownloadDelegate)?
                            .urlSession(session, downloadTask: download, didFinishDownloadingTo: file)
                    }
                }
                delegate?.urlSession(session, task: task, didCompleteWithError: error)
            }
        }
        session.remove(identifier)
    }

    private func withFile(of content: Data, _ body: (URL) -> Void) {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("Stub-\(UUID().uuidString).tmp")
        guard FileManager.default.createFile(atPath: file.path, contents: content) else { return }
        body(file)
        // As in a real session, the file is removed unless the delegate has moved it. An error means that it was moved.
        try? FileManager.default.removeItem(at: file)
    }
}
#endif
