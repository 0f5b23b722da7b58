#if canImport(FoundationNetworking)
extension Delivery.Event {
    fileprivate var isMetrics: Bool {
        if case .metrics = self { true } else { false }
    }
}

extension TaskCore {
    /// Passes an event to the delegate or the completion handler, on the thread or queue of the session's delegate.
    func deliver(_ event: Delivery.Event) {
        let state = deliveryState
        // The handler for resume data is called even if the task has already ended.
        if case .resumeData(let data, let handler) = event { return handler.value(data) }
        guard !state.isOver else { return }
        if state.isHeld {
            switch event {
            case .disposition(let disposition): return release(disposition)
            // If a task was cancelled or has exceeded a time limit, it no longer waits for the delegate's decision.
            // After any other failure, the delegate still decides. If it accepts the response, it receives the content
            // that has arrived.
            case .metrics(hasFailed: true) where endsAtOnce: break
            case .end(.some) where endsAtOnce:
                // The metrics may have arrived before the cancellation.
                if state.heldEvents.contains(where: \.isMetrics) { deliverMetrics() }
            default: return state.heldEvents.append(event)
            }
        }
        switch event {
        case .response(let response): deliverResponse(response)
        case .waiting(let wait): state.receiver?.waits(wait)
        case .interim(let response): state.receiver?.receiveInterim(response)
        case .data(let data): deliverData(data)
        // The content before this event may have been discarded.
        case .contentEnded: if !isAbandoned { state.receiver?.contentEnded() }
        case .sent(let count, let total, let expected):
            if let receiver = state.receiver { return receiver.sent(count, total: total, expected: expected) }
            call(\.task) {
                $0.urlSession(
                    $1,
                    task: $2,
                    didSendBodyData: count,
                    totalBytesSent: total,
                    totalBytesExpectedToSend: expected
                )
            }
        case .wrote(let count, let total, let expected):
            deliverProgress(count, total: total, expected: expected)
        case .resumed(let offset, let expected):
            if let receiver = state.receiver { return receiver.resumed(at: offset, expected: expected) }
            call(\.download) { delegate, session, task in
                guard let task = task as? URLSessionDownloadTask else { return }
                delegate.urlSession(
                    session,
                    downloadTask: task,
                    didResumeAtOffset: offset,
                    expectedTotalBytes: expected
                )
            }
        case .redirect(let response, let request): askAboutRedirect(response, request)
        case .challenge(let challenge): askAboutChallenge(challenge)
        case .taskChallenge(let challenge): askTaskAboutChallenge(challenge)
        case .needsBodyStream: askForBodyStream()
        case .willCache(let proposal): askAboutCaching(proposal)
        case .content(let data): state.content = data
        case .file(let file): deliverFile(file)
        case .metrics: deliverMetrics()
        case .end(let error): end(error)
        case .disposition, .resumeData: break
        }
    }

    private func call<Delegate>(
        _ delegate: KeyPath<Delegates, Delegate?>,
        _ body: (Delegate, URLSession, URLSessionTask) -> Void
    ) {
        guard let listener, let delegate = listener.delegates[keyPath: delegate] else { return }
        body(delegate, listener.session, listener.task)
    }

    // MARK: Response and content

    private func deliverResponse(_ response: ReceivedResponse) {
        if let receiver = deliveryState.receiver {
            switch receiver.receive(response) {
            case .now(let disposition): apply(disposition)
            case .later(let decide):
                deliveryState.isHeld = true
                decide { [self] in session.delivery.send(.event(self, .disposition($0)), through: session.loop) }
            }
            return
        }
        if case .bytes(let channel) = plan.completion {
            return channel.begin(with: response.object, isDelivered: false)
        }
        guard let listener, let delegate = listener.delegates.data, let task = listener.dataTask else { return }
        let question = DelegateQuestion<URLSession.ResponseDisposition?>(refusal: nil)
        delegate.urlSession(listener.session, dataTask: task, didReceive: response.object) { question.answer($0) }
        let answer = question.take { [self] disposition in
            self.session.delivery.send(
                .event(self, .disposition(disposition)),
                through: self.session.loop
            )
        }
        if let answer { apply(answer) } else { deliveryState.isHeld = true }
    }

    /// - Parameter disposition: The decision; nil if the delegate has released the handler without a call.
    private func apply(_ disposition: URLSession.ResponseDisposition?) {
        switch disposition {
        case nil:
            cancel(
                with: URLError.engine(
                    .cancelled,
                    "The delegate did not call the completion handler of the response, which counts as a refusal.",
                    url: plan.originalRequest?.url
                )
            )
        case .cancel: cancel()
        // A task with a completion handler does not become a download, because the handler expects content and not a
        // file.
        case .becomeDownload where plan.completion == nil: becomeDownload()
        default: break
        }
    }

    private func release(_ disposition: URLSession.ResponseDisposition?) {
        deliveryState.isHeld = false
        apply(disposition)
        let events = deliveryState.heldEvents
        deliveryState.heldEvents = []
        session.delivery.sendFirst(events.map { .event(self, $0) })
    }

    private func deliverData(_ data: Data) {
        if case .bytes(let channel) = plan.completion {
            _ = channel.add(data, held: hold(data.count))
        } else if let file = deliveryState.download {
            write(data, to: file)
        } else if let receiver = deliveryState.receiver {
            if !isAbandoned { receiver.receive(data) { hold(data.count) } }
        } else if !isAbandoned, let listener, let delegate = listener.delegates.data, let task = listener.dataTask {
            delegate.urlSession(listener.session, dataTask: task, didReceive: data)
        }
        consumed(data.count - min(deliveryState.heldBack, data.count))
        deliveryState.heldBack = 0
    }

    /// Records that content was consumed. If the transfer is paused, it may then continue. May be called on any thread.
    func consumed(_ count: Int) {
        if backlog.consume(count) { session.loop.post(.consumed(self)) }
    }

    // MARK: Questions

    private func askAboutRedirect(_ response: HTTPURLResponse, _ request: URLRequest) {
        if let receiver = deliveryState.receiver {
            return receiver.redirect(response, to: request).give { [self] in
                session.loop.post(.answer(self, .redirect($0)))
            }
        }
        ask(default: request, refusal: nil, DelegateAnswer.redirect) { delegate, session, task, answer in
            delegate.urlSession(
                session,
                task: task,
                willPerformHTTPRedirection: response,
                newRequest: request,
                completionHandler: answer
            )
        }
    }

    /// Asks the delegate of the task for a decision.
    /// - Parameters:
    ///   - default: The decision if there is no delegate.
    ///   - refusal: The decision if the delegate releases the handler without a call. It is also the decision if there
    ///     is a delegate that cannot be asked, because the delegate might refuse. A refresh without a task object is
    ///     such a case.
    ///   - makeAnswer: Converts the decision for the loop.
    ///   - ask: Calls the method of the delegate.
    func ask<Value: Sendable>(
        default: Value,
        refusal: Value,
        _ makeAnswer: @escaping @Sendable (Value) -> DelegateAnswer,
        _ ask: (any URLSessionTaskDelegate, URLSession, URLSessionTask, @escaping @Sendable (Value) -> Void) -> Void
    ) {
        let loop = session.loop
        guard let listener, let delegate = listener.delegates.task else {
            return loop.post(.answer(self, makeAnswer(delegates.task == nil ? `default` : refusal)))
        }
        let question = DelegateQuestion(refusal: refusal)
        ask(delegate, listener.session, listener.task) { question.answer($0) }
        let answer = question.take { [self] in loop.post(.answer(self, makeAnswer($0))) }
        if let answer { loop.post(.answer(self, makeAnswer(answer))) }
    }

    /// Requests a stream of the content on the thread or queue of the delegates. If this is the loop's thread, another
    /// queue is used, because the creation of a stream may take a long time.
    private func askForBodyStream() {
        let receiver = deliveryState.receiver
        guard session.delivery.isOnLoop else { return requestBodyStream(from: receiver) }
        StreamReader.Pump.queue.async { [self] in requestBodyStream(from: receiver) }
    }

    private func requestBodyStream(from receiver: (any TransferReceiver)?) {
        let loop = session.loop
        if let receiver { return receiver.makeBodyStream { loop.post(.body(self, .stream(Transferring($0)))) } }
        guard let listener, let delegate = listener.delegates.task else {
            return loop.post(.body(self, .stream(Transferring(nil))))
        }
        let question = DelegateQuestion<Transferring<InputStream?>>(refusal: Transferring(nil))
        delegate.urlSession(
            listener.session,
            task: listener.task,
            needNewBodyStream: { question.answer(Transferring($0)) }
        )
        let answer = question.take { [self] in loop.post(.body(self, .stream($0))) }
        if let answer { loop.post(.body(self, .stream(answer))) }
    }

    // MARK: Ending

    private func deliverMetrics() {
        guard !deliveryState.hasDeliveredMetrics else { return }
        deliveryState.hasDeliveredMetrics = true
        call(\.task) { delegate, session, task in
            let metrics = CurlTaskMetrics(withStorage { $0.record.metrics }, from: creation)
            delegate.urlSession(session, task: task, didFinishCollecting: metrics)
        }
    }

    func deliverProgress(_ count: Int64, total: Int64, expected: Int64) {
        if let receiver = deliveryState.receiver { return receiver.wrote(count, total: total, expected: expected) }
        call(\.download) { delegate, session, task in
            guard let task = task as? URLSessionDownloadTask else { return }
            delegate.urlSession(
                session,
                downloadTask: task,
                didWriteData: count,
                totalBytesWritten: total,
                totalBytesExpectedToWrite: expected
            )
        }
    }

    func deliverFile(_ file: URL) {
        if case .download = plan.completion {
            deliveryState.file = file
            return
        }
        if !isAbandoned {
            deliveryState.hasHandedOverFile = true
            if let receiver = deliveryState.receiver {
                receiver.receiveFile(at: file)
            } else {
                call(\.download) { delegate, session, task in
                    guard let task = task as? URLSessionDownloadTask else { return }
                    delegate.urlSession(session, downloadTask: task, didFinishDownloadingTo: file)
                }
            }
        }
        try? FileManager.default.removeItem(at: file)
    }

    private func end(_ outcome: (any Error)?) {
        if let file = deliveryState.download { endDownload(file, with: outcome) }
        deliveryState.isOver = true
        deliveryState.heldEvents = []
        let receiver = deliveryState.receiver.take()
        let isReported = receiver == nil && (plan.completion == nil || plan.kind == .webSocket)
        let listener = isReported ? listener : nil
        let outcome = plan.webSocket == nil ? outcome : outcome ?? webSocketFailure
        let ending = end(with: outcome, heedsCancellation: !deliveryState.hasHandedOverFile)
        defer { withExtendedLifetime(ending.object) {} }
        let (response, error) = (ending.response, ending.error)
        switch plan.completion {
        case .data(let handler):
            let content = error == nil ? deliveryState.content ?? Data() : nil
            deliveryState.content = nil
            handler(content, response?.object, error)
        case .download(let handler):
            handler(error == nil ? deliveryState.file : nil, response?.object, error)
            if let file = deliveryState.file { try? FileManager.default.removeItem(at: file) }
        case .bytes(let channel): channel.end(error)
        case nil: receiver?.end(with: error)
        }
        if let listener {
            listener.delegates.task?.urlSession(listener.session, task: listener.task, didCompleteWithError: error)
        }
        // As with URLSession, the delegate of a task is retained until the task is completed.
        if ending.hasDelegate { setDelegate(nil) }
        session.taskEnded(self)
    }
}

/// The conversion of a data task into a download at the request of its delegate.
///
/// The transfer continues unchanged. For the delegate, a download task replaces the data task. The content is written
/// to a file on the thread or queue of the delegate, because earlier content is already pending there.
extension TaskCore {
    func becomeDownload() {
        guard let session = session.object, let dataTask = object as? URLSessionDataTask else { return }
        do throws(URLError) {
            deliveryState.download = try DownloadFile(
                of: plan.originalRequest?.url,
                in: self.session.settings.downloadFolder
            )
        } catch {
            return cancel(with: error)
        }
        let downloadTask = session.makeDownloadTask(self)
        replaceObject(with: downloadTask)
        if let receiver = deliveryState.receiver {
            deliveryState.receiver = receiver.becomeDownload(downloadTask, of: dataTask, in: session)
            return
        }
        delegates.data?.urlSession(session, dataTask: dataTask, didBecome: downloadTask)
    }

    func write(_ data: Data, to file: DownloadFile) {
        guard !isAbandoned else { return }
        do {
            try data.withUnsafeBytes { try file.write($0) }
        } catch {
            return cancel(with: error)
        }
        deliverProgress(Int64(data.count), total: file.length, expected: counts.expectedToReceive)
    }

    /// Delivers the file, if the download has succeeded.
    func endDownload(_ file: DownloadFile, with error: (any Error)?) {
        deliveryState.download = nil
        if error == nil { deliverFile(file.finish()) } else { file.discard() }
    }
}
#endif
