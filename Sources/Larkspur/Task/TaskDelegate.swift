import Synchronization

/// The delegate of one attempt of a task. It collects the content and the events that the session's delegate passes on,
/// and ends the task.
///
/// It lives in the ``TaskRegistry`` of its session, keyed by task identifier, from the creation of the task until the
/// transport has finished with it. The session calls it on its delegate queue, one call after the other.
final class TaskDelegate: Sendable {
    /// A closure that reports the error of a task, if any, to its observers.
    typealias Report = @Sendable (LarkspurError?) -> Void

    /// The consequence of the attempt's end.
    enum Ending: Sendable {
        /// The task ends, as the finisher says.
        case task(TaskFinisher)
        /// Only the attempt ends, and the closure gets its result. It is called once.
        case attempt(@Sendable (TransferResult, @escaping Report) -> Void)
    }

    fileprivate struct Storage {
        var body = Data()
        var response: URLResponse?
        var file: URL?
        var error: LarkspurError?
        /// True if this delegate cancelled the attempt because its response is the result and the transport has no
        /// other way to end it.
        var endsWithResponse = false
        var lastCredential: URLCredential?
        var ending: Ending?
    }

    let task: SessionTask
    private let template: TransferTemplate
    private let storage: Mutex<Storage>

    /// - Parameters:
    ///   - task: The task.
    ///   - template: The kind of transfer.
    ///   - ending: The consequence of the attempt's end. It is released after its call.
    init(task: SessionTask, _ template: TransferTemplate, ending: Ending) {
        self.task = task
        self.template = template
        storage = Mutex(Storage(ending: ending))
    }

    /// The kind of transfer, which determines the delivery of the response.
    var kind: TransferKind { template.kind }

    /// The limits that the transport enforces.
    var limits: Timeouts { template.limits }

    /// The stream that delivers the content; nil if the content is collected.
    var stream: ContentStream? { template.stream }

    /// Whether the body is a stream, so that the transport may ask for a new one.
    var sendsStream: Bool { template.isStreamed || task.originalRequest?.httpBodyStream != nil }

    /// Whether the body is a section of a file, which no other stream replaces.
    var sendsSection: Bool { template.section != nil }

    /// Returns the task's own body stream, from the caller's closure or from the request.
    func bodyStream() -> InputStream? {
        if let section = template.section { return section.makeStream { [weak self] in self?.fail(with: $0) } }
        let stream = template.makeBodyStream?() ?? task.originalRequest?.httpBodyStream
        // The stream of a form is created again from its beginning each time, and reports its own errors.
        return Platform.remade(stream) { [weak self] in self?.fail(with: $0) } ?? stream
    }

    // MARK: Receiving

    /// Notes that a response begins. The response before it (a challenge, an informational response, or that of a
    /// transfer that was suspended) is discarded with its content.
    func receive(_ response: URLResponse) {
        task.markFirstResponseByte()
        task.note(.responseReceived, .response(response))
        storage.withLock { storage in
            storage.response = response
            storage.body = Data()
        }
        task.download.restart()
        do throws(LarkspurError) {
            try stream?.begin(with: response)
        } catch {
            fail(with: error)
        }
    }

    /// - Parameters:
    ///   - data: The next piece of the content.
    ///   - held: An object whose release tells the transport that the piece has been consumed. Default: none.
    func receive(_ data: Data, held: (any Sendable)? = nil) {
        // Content that arrives after a cancellation, which may be much, is dropped.
        guard task.isActive else { return }
        task.note(.contentReceived, .bytes(count: Int64(data.count), total: 0))
        var data = data
        if let stream {
            do throws(LarkspurError) {
                if let task = task as? DataTask, try stream.handOn(data, held: held, from: task) {
                    return task.download.add(Int64(data.count), of: storage.withLock { $0.response }, for: task)
                }
            } catch {
                return fail(with: error)
            }
            let room = DownloadFinisher.errorDataLimit - storage.withLock { $0.body.count }
            // The rest of a response that is not acceptable may have no end.
            if data.count > room { end(with: nil) }
            data = data.prefix(max(0, room))
        }
        let limit = stream == nil ? task.environment.maximumContentSize : DownloadFinisher.errorDataLimit
        let (isWithinLimit, response) = storage.withLock { storage in
            let isWithinLimit = storage.body.count + data.count <= limit
            if isWithinLimit { storage.body.append(data) }
            return (isWithinLimit, storage.response)
        }
        guard isWithinLimit else {
            return fail(
                with: LarkspurError(
                    .contentTooLarge,
                    "The response has more than the \(limit) bytes that may be kept in memory."
                )
            )
        }
        task.download.add(Int64(data.count), of: response, for: task)
    }

    /// Reports the bytes that were sent. If the transport does not know the length of the body, the request's header
    /// may have it.
    func sent(_ sent: Int64, of expected: Int64) {
        task.note(.contentSent, .bytes(count: 0, total: sent))
        if let part = template.part {
            return task.upload.update(completed: part.completed(sent), total: part.length, of: task)
        }
        var total = expected
        if total <= 0 {
            total = template.bodyLength ?? task.originalRequest?.announcedBodyLength ?? -1
        }
        task.upload.update(completed: sent, total: total, of: task)
    }

    func wrote(_ written: Int64, of expected: Int64) {
        task.markFirstResponseByte()
        var total = expected
        // The length of a part is not that of the file. The transport knows the length of the file, because it
        // requested the part.
        if let response = task.response, (response as? HTTPURLResponse)?.statusCode != 206 {
            total = response.contentLengthOnceDecoded
        }
        task.download.update(completed: written, total: total, of: task)
    }

    /// Moves the downloaded file to a temporary location of Larkspur, because the transport removes the file when its
    /// delegate's method returns.
    func receiveFile(at location: URL) {
        let place = location.deletingLastPathComponent().appendingPathComponent(
            "\(DownloadFinisher.temporaryPrefix)\(UUID().uuidString).download"
        )
        do {
            try FileManager.default.moveItem(at: location, to: place)
            storage.withLock { $0.file = place }
        } catch {
            fail(
                with: LarkspurError(
                    .fileMoveFailed,
                    "The downloaded file could not be taken over.",
                    underlyingError: error
                )
            )
        }
    }

    // MARK: Redirects and challenges

    /// Returns the request that follows a redirect, without the fields that another origin does not get.
    func withholdingFields(of request: URLRequest, after response: HTTPURLResponse) -> URLRequest {
        request.withholding(template.withheldFields, after: response)
    }

    /// Returns whether a credential may be used. A credential that the server has just refused may not.
    func mayUse(_ credential: URLCredential, previousFailureCount: Int) -> Bool {
        storage.withLock { storage in
            defer { storage.lastCredential = credential }
            guard previousFailureCount > 0, let last = storage.lastCredential else { return true }
            return last.user != credential.user || last.password != credential.password
        }
    }

    // MARK: Ending

    /// Ends the task with an error other than the transport's, unless it was cancelled before.
    func fail(with error: LarkspurError) {
        guard task.state != .cancelling else { return }
        let hasEnded = storage.withLock { storage in
            if storage.error == nil { storage.error = error }
            return storage.ending == nil
        }
        if !hasEnded { task.cancel() }
    }

    /// Ends the attempt with this response as its final one, because the transport has no other way to end it. Only a
    /// task whose interceptors get the response goes on.
    func end(with response: URLResponse?) {
        let ending = storage.withLock { storage in
            storage.endsWithResponse = true
            if let response { storage.response = response }
            return storage.ending
        }
        switch ending {
        case .attempt: task.cancelAttempt()
        case .task: task.cancel()
        // The attempt has ended in the meantime, and another one may be under way.
        case nil: break
        }
    }

    /// Handles the end of the transfer: serializes the response on the processing queue, then ends the task on the
    /// completion queue.
    /// - Parameters:
    ///   - error: The transport's error.
    ///   - report: Called before serialization with the error of the transfer that the task will report, if any.
    func complete(with error: (any Error)?, report: @escaping Report = { _ in }) {
        let collected = storage.withLock { storage in
            defer { storage = Storage() }
            return storage
        }
        switch collected.ending {
        case .task(let finisher):
            guard let state = task.markCompleted() else { return }
            if state == .cancelling { stream?.stop() }
            let result = collected.result(of: task, transportError: error, wasCancelled: state == .cancelling)
            task.noteAttemptEnd(result)
            task.conclude(with: result, report: report, finisher: finisher)
        case .attempt(let end):
            let isCancelled = task.state == .cancelling
            if isCancelled { stream?.stop() }
            let result = collected.result(of: task, transportError: error, wasCancelled: isCancelled)
            task.endAttempt(resumeData: result.error?.resumeData)
            task.noteAttemptEnd(result)
            end(result, report)
        case nil: break
        }
    }
}

extension TaskDelegate.Storage {
    fileprivate func result(of task: SessionTask, transportError: (any Error)?, wasCancelled: Bool) -> TransferResult {
        let request = task.currentRequest ?? task.originalRequest
        let response = response ?? task.response
        let transferError: LarkspurError? =
            if let error = task.failure ?? error {
                error
            } else if endsWithResponse {
                nil
            } else if let transportError {
                LarkspurError(transportError: transportError)
            } else if wasCancelled {
                // The transfer ended before the cancellation took effect. The caller has cancelled the task and expects
                // this error nevertheless.
                LarkspurError(transportError: URLError(.cancelled))
            } else {
                nil
            }
        let context = response == nil ? nil : body
        return TransferResult(
            request: request,
            response: response,
            data: body,
            file: file,
            error: transferError?.filled(request: request, response: response, responseData: context)
        )
    }
}

extension URLRequest {
    /// The value of the request's `Content-Length` field.
    var announcedBodyLength: Int64? { value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) } }
}

extension URLResponse {
    /// The length of the content as it is delivered; −1 if it is unknown. A content coding makes it unknown, as the
    /// announced length is that of the coded bytes.
    var contentLengthOnceDecoded: Int64 {
        guard let http = self as? HTTPURLResponse else { return expectedContentLength }
        if let coding = http.value(forHTTPHeaderField: "Content-Encoding"), coding.lowercased() != "identity" {
            return -1
        }
        // Transfer-Encoding overrides Content-Length (RFC 9112, section 6.3).
        if http.value(forHTTPHeaderField: "Transfer-Encoding") != nil { return -1 }
        return expectedContentLength
    }
}

/// The values of the session manager that a task needs, captured when the task is created.
struct TaskEnvironment: Sendable {
    /// The queue that runs handlers and progress closures, and posts notifications.
    let completionQueue: DispatchQueue
    /// The group that the task enters while it is under way.
    let completionGroup: DispatchGroup
    /// The pool that runs validation and serialization.
    let processing: ProcessingPool
    /// The number of bytes of content that a task may collect in memory.
    let maximumContentSize: Int
    /// The closure that writes the line about an unhandled failure; nil if these are not reported.
    let failureWriter: UnhandledFailure.Writer?
    /// The interceptors of all calls.
    let interceptors: RequestInterceptors
    /// The clock of every delay of an interceptor.
    let clock: any Clock<Duration>
    /// The limits of the time of all calls.
    let timeouts: Timeouts
    /// The deadline of the code that made the task; nil if there is none.
    let deadline: Deadline?
    /// The observers of all calls; nil if there are none.
    let observers: ObserverList?
    /// The notifications that anybody may observe.
    let interest: NotificationInterest

    /// Whether a task has to be launched by a plan when it starts.
    var needsPlan: Bool { !interceptors.isEmpty || !timeouts.isEmpty || deadline != nil }
}

/// One `URLSessionTask` that works for a `SessionTask`, and the transport that it belongs to.
struct TaskAttempt: Sendable {
    let urlTask: URLSessionTask
    let session: URLSession
    let adapter: any TransportAdapter
    /// The closure that ends the task if it takes longer than the resource timeout of its configuration.
    let expire: @Sendable () -> Void

    func perform(_ control: TaskControl) {
        adapter.perform(control, on: urlTask, in: session)
        if control == .start, let limit = adapter.unenforcedResourceTimeout(of: session) {
            DispatchQueue.global().asyncAfter(deadline: .now() + limit, execute: expire)
        }
    }
}
