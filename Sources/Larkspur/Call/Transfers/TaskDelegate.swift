import HTTPSyntax
import Synchronization

/// The delegate of one transfer of a task. It receives the events of the transfer, collects its content, calls the
/// hooks, and ends the task.
///
/// The ``TaskRegistry`` of its session retains the delegate, by its task identifier, from the creation of the transfer
/// until the end of the transfer. One thread at a time calls the delegate. The engine calls it directly; any other
/// session calls it through the session's delegate.
final class TaskDelegate: TransferReceiver {
    struct Storage {
        var received = ArrivedResponse()
        var lastCredential: URLCredential?
        /// A completion handler of the transport that is not called, but retained until the task ends; nil if there is
        /// none.
        var openQuestion: (any Sendable)?
        /// The identifier in the registry; nil outside it.
        var identifier: Int?
        /// The part that ends with the transfer: the call, or only the attempt. Nil after the transfer has ended.
        var ending: TransferEnding?
    }

    let task: SessionTask
    let template: TransferTemplate
    let adapter: any TransportAdapter
    let session: SessionDelegate
    let storage: Mutex<Storage>
    /// The verification of the file of a download; nil if there is none, and for other transfers.
    private let verification: DigestVerification?

    /// - Parameters:
    ///   - task: The task.
    ///   - template: The kind of transfer.
    ///   - session: The delegate of the session.
    ///   - adapter: The adapter of the session.
    ///   - ending: The part that ends with the transfer: the call, or only the attempt. It is used once and then
    ///     released.
    init(
        task: SessionTask,
        _ template: TransferTemplate,
        in session: SessionDelegate,
        _ adapter: any TransportAdapter,
        ending: TransferEnding
    ) {
        self.task = task
        self.template = template
        self.session = session
        self.adapter = adapter
        storage = Mutex(Storage(ending: ending))
        // The options of the call no longer change, so each chunk of a download does without the lock of the task.
        verification = template.content.kind == .download ? task.verification : nil
    }

    // MARK: The registry

    /// Enters the registry of the session.
    func register(as identifier: Int) {
        storage.withLock { $0.identifier = identifier }
        session.registry.add(self, for: identifier)
    }

    private func unregister(_ identifier: Int?) {
        // The delegate may be released here, outside the registry's lock.
        if let identifier { _ = session.registry.remove(identifier) }
    }

    // MARK: Response and content

    /// Records that a response begins. Discards the previous response and its content. There is a previous response
    /// after a challenge, after an informational response, and if a suspension made the transfer begin again.
    func receive(_ response: ReceivedResponse) -> TransferAnswer<URLSession.ResponseDisposition> {
        task.markResponse()
        task.note(.responseReceived, .response(response.object))
        storage.withLock { storage in
            storage.received.response = response
            storage.received.body = Data()
        }
        task.download.restart()
        do throws(LarkspurError) {
            try template.stream?.begin(with: response.object, verifying: task.verification)
        } catch {
            fail(with: error)
        }
        guard let hook = session.hooks.hook(\.responseDisposition, of: task), let task = task as? DataTask else {
            return .now(.allow)
        }
        return .later { [self] answer in
            session.hooks.queue.async { [self] in
                let disposition = hook(task, response.object)
                // A transport that ignores the disposition still obeys the cancellation.
                if disposition == .cancel { task.cancel() }
                answer(disposition == .download && !adapter.canBecomeDownload ? .allow : disposition)
            }
        }
    }

    /// Reports a long wait to observers. In debug builds, a line reports the first wait of a host too.
    func waits(_ wait: ConnectionWait) {
        task.note(.waitingForConnection, .wait(wait))
        guard wait.isFirst, let write = task.environment.failureWriter else { return }
        task.environment.settings.completionQueue.async { write(wait.line) }
    }

    /// Reports an interim response to observers and hooks. It is not the response of the task.
    func receiveInterim(_ response: ReceivedResponse) {
        task.note(.interimResponse, .response(response.object))
        session.hooks.call(\.didReceiveInterimResponse, of: task) { [task] hook in
            if let response = response.http { hook(task, response) }
        }
    }

    func receive(_ data: Data, hold: () -> (any Sendable)?) {
        let hook = session.hooks.hook(\.didReceiveData, of: task)
        // Content that is collected counts as consumed. Only content for a hook or a stream makes the transport wait.
        let held = hook == nil && template.stream == nil ? nil : hold()
        collect(data, held: held)
        guard let hook, let task = task as? DataTask else { return }
        session.hooks.queue.async { withExtendedLifetime(held) { hook(task, data) } }
    }

    private func collect(_ data: Data, held: (any Sendable)?) {
        // Content that arrives after a cancellation is dropped, because there may be a lot of it.
        guard task.isActive else { return }
        // The total is 0 here, because the observation computes it.
        task.note(.contentReceived, .bytes(count: Int64(data.count), total: 0))
        var data = data
        if let stream = template.stream {
            do throws(LarkspurError) {
                if let task = task as? DataTask, try stream.deliver(data, held: held, from: task) {
                    let response = storage.withLock { $0.received.response }
                    return task.download.add(Int64(data.count), of: response, for: task)
                }
            } catch {
                return fail(with: error)
            }
            let room = DownloadPlacement.errorDataLimit - storage.withLock { $0.received.body.count }
            if data.count > room {
                guard !stream.holdsResponse else {
                    return fail(
                        with: LarkspurError(
                            .contentTooLarge,
                            "The response has a status for which interceptors may send the request again, and more than the \(DownloadPlacement.errorDataLimit) bytes that are kept until they have decided."
                        )
                    )
                }
                // The transfer ends here, because the rest of an unacceptable response may have no end.
                endTransfer(with: nil)
            }
            data = data.prefix(max(0, room))
        }
        let limit =
            template.stream == nil ? task.environment.settings.maximumContentSize : DownloadPlacement.errorDataLimit
        let (isWithinLimit, response) = storage.withLock { storage in
            let isWithinLimit = storage.received.body.count + data.count <= limit
            if isWithinLimit { storage.received.body.append(data) }
            return (isWithinLimit, storage.received.response)
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

    func contentEnded() {
        // If content was dropped after a cancellation, the stream ends with the error of the call instead.
        guard task.isActive else { return }
        // Digests are verified at the end of the call, where their trailers are known, too.
        if task.options.value.digestVerification == nil { template.stream?.contentEnded() }
    }

    /// Reports the bytes that were sent. If the transport does not know the length of the body, the request's
    /// `Content-Length` is used if there is one.
    func sent(_ count: Int64, total sent: Int64, expected: Int64) {
        // The count is 0 here, because the observation computes it from the total.
        task.note(.contentSent, .bytes(count: 0, total: sent))
        if let part = template.part {
            task.upload.update(completed: part.completed(sent), total: part.length, of: task)
        } else {
            let length =
                expected > 0 ? expected : template.bodyLength ?? task.originalRequest?.announcedBodyLength ?? -1
            task.upload.update(completed: sent, total: length, of: task)
        }
        session.hooks.call(\.didSendBodyData, of: task) { [task] in $0(task, count, sent, expected) }
    }

    // MARK: Downloads

    func wrote(_ count: Int64, total: Int64, expected: Int64) {
        task.note(.contentReceived, .bytes(count: count, total: 0))
        noteFile(total, of: expected)
        guard let task = task as? DownloadTask else { return }
        session.hooks.call(\.didWriteData, of: task) { $0(task, count, total, expected) }
    }

    func resumed(at offset: Int64, expected: Int64) {
        noteFile(offset, of: expected)
        guard let task = task as? DownloadTask else { return }
        session.hooks.call(\.didResumeDownload, of: task) { $0(task, offset, expected) }
    }

    private func noteFile(_ written: Int64, of expected: Int64) {
        task.markResponse()
        var total = expected
        // The length of a partial response is not the length of the file. The transport knows the length of the file,
        // because it requested the part.
        if let response = task.response, (response as? HTTPURLResponse)?.statusCode != 206 {
            total = response.contentLengthOnceDecoded
        }
        task.download.update(completed: written, total: total, of: task)
        if let failure = verification?.expected?.failure(received: written, announced: total), hasAcceptableResponse {
            // The cancellation leaves neither the file nor resume data.
            fail(with: failure)
        }
    }

    /// Whether the response of a download has come, and is acceptable. If it is not acceptable, its size does not
    /// matter: the error names its status or type. FoundationNetworking may report content before it sets the response.
    private var hasAcceptableResponse: Bool {
        guard let response = task.response else { return false }
        guard let placement = task.plan.download else { return true }
        let validation = task.options.value.applied(to: placement.validation)
        // The content is not known yet. So the response is validated as if it had content.
        return (try? validation.validate(response, data: Data([0]))) != nil
    }

    /// Moves the downloaded file to a temporary location of Larkspur, because the transport removes the file when the
    /// method returns.
    func receiveFile(at location: URL) {
        // In the same folder the move is only a renaming.
        let place = location.deletingLastPathComponent().appendingPathComponent(
            "\(DownloadPlacement.temporaryPrefix)\(UUID().uuidString).download"
        )
        do {
            try FileManager.default.moveItem(at: location, to: place)
            storage.withLock { $0.received.file = place }
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

    /// Replaces a data task with a download task, after a hook has returned the disposition `.download`.
    func becomeDownload(
        _ downloadTask: URLSessionDownloadTask,
        of dataTask: URLSessionDataTask,
        in urlSession: URLSession
    ) -> any TransferReceiver {
        unregister(storage.withLock { $0.identifier.take() })
        let placement = DownloadPlacement(destination: nil, hooks: session.hooks)
        let download = DownloadTask(
            environment: task.environment,
            CallPlan(template: .download, request: nil, download: placement)
        )
        let previous = SessionTransfer(task: dataTask, session: urlSession, adapter: adapter)
        let next = SessionTransfer(task: downloadTask, session: urlSession, adapter: adapter)
        guard let task = task as? DataTask, task.handOver(to: download, as: next, from: previous) else {
            // The task was cancelled. The transport reports its end for the new `URLSessionTask`.
            register(as: downloadTask.taskIdentifier)
            return self
        }
        let successor = TaskDelegate(task: download, .download, in: session, adapter, ending: .call)
        successor.register(as: downloadTask.taskIdentifier)
        session.hooks.call(\.didBecomeDownload, of: task) { $0(task, download) }
        end(with: LarkspurError(.becameDownload, "The task has become a download, which goes on by itself."))
        return successor
    }

    // MARK: Ending

    /// Ends the task with an error other than the transport's, unless it was cancelled before.
    func fail(with error: LarkspurError) {
        guard task.state != .canceling else { return }
        let hasEnded = storage.withLock { storage in
            // The first error is reported, because later errors may be its consequences.
            if storage.received.failure == nil { storage.received.failure = StoredError(error) }
            return storage.ending == nil
        }
        if !hasEnded { task.cancel() }
    }

    /// Ends the task with an error, and retains a completion handler of the transport without calling it.
    func fail(with error: LarkspurError, keepingOpen question: any Sendable) {
        keepOpen(question)
        fail(with: error)
    }

    /// Retains a completion handler of the transport until the task ends, without calling it.
    ///
    /// The task is cancelled next. The cancellation may reach the session late, because another thread may be passing
    /// on the orders of the task. If the handler were released earlier, the session would treat the release as a
    /// refusal, and the task might get the refused response.
    func keepOpen(_ question: any Sendable) {
        storage.withLock { if $0.ending != nil { $0.openQuestion = question } }
    }

    /// Ends the transfer, and makes a response its final response. The only way to do this is a cancellation of the
    /// transfer. The call continues only if it has interceptors, which then get the response.
    func endTransfer(with response: URLResponse?) {
        let ending = storage.withLock { storage in
            storage.received.endsWithResponse = true
            if let response { storage.received.response = ReceivedResponse(response) }
            return storage.ending
        }
        switch ending {
        case .attempt: task.cancelAttempt()
        case .call: task.cancel()
        // The transfer has ended in the meantime, and another transfer may be under way.
        case nil: break
        }
    }

    func end(with error: (any Error)?) {
        let ended = storage.withLock { storage in
            // The ending is removed, so that a second completion has no effect.
            defer { storage = Storage() }
            return storage
        }
        unregister(ended.identifier)
        guard let ending = ended.ending else { return }
        ending.end(task, with: ended.received, transportError: error) { [hooks = session.hooks, task] error in
            hooks.call(\.didCollectMetrics, of: task) { $0(task, task.timeline) }
            hooks.call(\.didComplete, of: task) { $0(task, error) }
        }
    }
}
