import HTTPSyntax
import Synchronization

/// One call on its way through its interceptors. Each attempt has a separate `URLSessionTask`; the `SessionTask` stays
/// the same.
struct InterceptedCall: Sendable {
    /// The results of the last attempt, and the data for the next attempt.
    private struct State {
        /// The temporary file of the last attempt.
        var file: URL?
        /// The resume data that an attempt has left. It stays valid if a later attempt ends with a status such as 503,
        /// because such a response does not change the partial file.
        var resumeData: Data?
        /// The content of the next attempt of a resumable upload.
        var part: UploadPart?
        /// The producer of the coded content of the next attempt; nil if the content is sent as it is.
        var producer: BodyProducer?
        /// The closure that reports the end of the task to the hooks.
        var report: TransferEnding.Report?
    }

    private final class Attempts: Sendable {
        let state = Mutex(State())
    }

    /// The session manager, which has to live until the call ends, because its release invalidates the session.
    private let manager: SessionManager
    private let task: SessionTask
    private let template: TransferTemplate
    private let chain: InterceptorChain
    private let attempts = Attempts()

    init(_ manager: SessionManager, _ task: SessionTask, _ template: TransferTemplate, _ chain: InterceptorChain) {
        self.manager = manager
        self.task = task
        self.template = template
        self.chain = chain
    }

    /// Starts the call. When the interceptors have returned, the task ends.
    func start(with request: URLRequest) {
        // Between two attempts no session has the task. An invalidation of the session finds the task in this registry.
        manager.sessions.calls.add(task)
        let work = Task { await run(request) }
        task.onCancellation { work.cancel() }
    }

    private func run(_ request: URLRequest) async {
        var context = chain.makeContext(
            clock: task.environment.settings.clock,
            sender: ObjectIdentifier(manager.sessions),
            canRepeatBody: template.canRepeatBody(of: request),
            collectsContent: template.content.kind != .download && template.stream == nil
        ) { [template, task] facts in
            facts.hasDeliveredContent = template.stream?.hasDelivered == true
            facts.canBeginContent = template.producer?.canBegin ?? true
            facts.receivedBytes = task.download.completed
            facts.sentBytes = task.upload.counted
            // The counts of a resumable upload include its other attempts.
            if template.resumer != nil { facts.sentBytes.total = -1 }
            facts.isProducing = template.producer?.isProducing ?? false
            facts.hasResponse = task.hasResponse
        }
        context.isStored = { [task] in
            task.endedTransactions.last.map { $0.isFromCache || $0.cacheUse == .validated } ?? false
        }
        context.hasCredential = template.options.hasCredential
        context.deliversContent = template.stream != nil
        context.sendsLargeBody = template.sendsLargeBody(of: request)
        context.separateContent = template.separateContent(of: request)
        context.sendCoded = { [attempts] producer in attempts.state.withLock { $0.producer = producer } }
        context.onSuspension = { [task] in task.setSuspensionHandler($1, of: $0) }
        if let observation = task.observation {
            context.identity = observation.identity
            context.note = { [task] in observation.post($0, of: task) }
        }
        if template.resumer != nil { context.upload = uploadControl }
        template.stream?.holdRefused()
        let result: TransferResult
        do {
            let response = try await chain.send(request, context, isPersonal: isPersonal) { try await attempt($0) }
            result = TransferResult(
                request: response.request ?? request,
                received: response.response.map(ReceivedResponse.init),
                data: response.data,
                file: response.file,
                trailers: response.trailers
            )
        } catch {
            let failure = LarkspurError(interception: error)
                .filled(request: request, response: task.response, responseData: nil)
            result = TransferResult(
                request: failure.request,
                received: failure.response.map(ReceivedResponse.init),
                data: failure.responseData ?? Data(),
                error: failure
            )
        }
        end(with: result)
    }

    /// The closure that returns whether no equal request may share the response, because a hook or an upload takes
    /// part.
    private var isPersonal: @Sendable () -> Bool {
        { [task, template] in task.hasHooks || template.content.kind == .upload }
    }

    /// Sends a request. Called once for each attempt.
    private func attempt(_ request: URLRequest) async throws(LarkspurError) -> InterceptedResponse {
        var template = template
        template.withheldFields = chain.withheldFields
        let abandonedFile = attempts.state.withLock { state in
            if let part = state.part { template = template.sending(part) }
            if let resumeData = state.resumeData { template.resumeData = resumeData }
            if let producer = state.producer.take() { template = template.sending(producer) }
            return state.file.take()
        }
        Self.remove(abandonedFile)
        let result = await withTaskCancellationHandler { [template] in
            await withCheckedContinuation { continuation in
                let ending = TransferEnding.attempt { [attempts] result, report in
                    attempts.state.withLock { state in
                        state.file = result.file
                        if let resumeData = result.error?.resumeData { state.resumeData = resumeData }
                        state.report = report
                    }
                    continuation.resume(returning: result)
                }
                // `beginAttempt` is called only if there is a transfer. Otherwise `start` has called `ending` already.
                guard manager.start(task, template, .success(request), ending) else { return }
                task.beginAttempt(isCancelled: Task.isCancelled)
                // The cancellation handler may have run before the attempt began.
                if Task.isCancelled { task.cancelAttempt(keepingResumeData: true) }
            }
        } onCancel: {
            task.cancelAttempt(keepingResumeData: true)
        }
        if let error = result.error { throw error }
        var response = InterceptedResponse(request: result.request, response: result.response, data: result.data)
        response.file = result.file
        response.trailers = result.trailers
        return response
    }

    /// The operations on the task and the session that a resumable upload needs.
    private var uploadControl: UploadControl {
        let adapter = manager.sessions.current.adapter
        return UploadControl(
            sendsLengthOfStreams: adapter.sendsLengthOfStreams,
            keepsConnections: adapter.reportsLossOfKeptConnections,
            prepare: { [attempts, task] part in
                attempts.state.withLock { $0.part = part }
                task.upload.update(completed: part.completed(0), total: part.length, of: task)
            },
            completed: { [task] in task.upload.completed },
            complete: { [task] in task.upload.update(completed: $0, total: $0, of: task) },
            isCancelled: { [task] in task.state == .canceling && task.failure == nil },
            note: { [task] resumption in task.storage.withLock { $0.attempt.uploadResumption = resumption } },
            report: { [task] body in task.environment.settings.completionQueue.async(execute: body) },
            secured: { [manager] in manager.sessions.secured($0) },
            sendApart: { [manager, chain] request, isLedElsewhere in
                let fields = chain.withheldFields.map(\.text)
                let withholding = ClosureInterceptor { request, context, next in
                    context.withholdFromOtherOrigins(fields)
                    return try await next(request)
                }
                var options = CallOptions()
                options.isLedElsewhere = isLedElsewhere
                // The handler starts the call. Its result does not matter.
                manager.dataTask(with: request, options: options).intercept(with: withholding).response(as: .data) {
                    _ in
                }
            }
        )
    }

    private func end(with result: TransferResult) {
        var result = result
        manager.sessions.calls.remove(task)
        guard let state = task.endCourse() else { return }
        if state == .canceling {
            template.stream?.stop()
            // A response that arrives before the cancellation takes effect does not count: the caller expects the
            // error.
            if let failure = task.failure {
                result = result.failed(failure.error)
            } else if result.error == nil {
                result = result.failed(LarkspurError(transportError: URLError(.cancelled)))
            }
        }
        let (file, resumeData, report) = attempts.state.withLock { ($0.file, $0.resumeData, $0.report) }
        if file != result.file {
            // An interceptor has returned a response that is not the response of the last attempt. The file of that
            // attempt is not needed.
            Self.remove(file)
            result.file = nil
        }
        if let resumeData {
            if result.error == nil {
                result.unusedResumeData = resumeData
            } else if result.error?.resumeData == nil {
                // The error does not come from the attempt, for example because the call was cancelled during a delay.
                if state == .canceling, !task.keepsResumeData {
                    Platform.discard(resumeData: resumeData)
                } else {
                    result.error?.resumeData = resumeData
                }
            }
        }
        do throws(LarkspurError) {
            try deliverToStream(result)
        } catch {
            result = result.failed(error)
        }
        task.end(with: result, report: report ?? { _ in })
    }

    /// Passes the content to the stream of the call, if no attempt has done so: the upload is resumable, an interceptor
    /// has created the response, or the stream has held the response until the interceptors have returned.
    private func deliverToStream(_ result: TransferResult) throws(LarkspurError) {
        guard let stream = template.stream, stream.count == 0, result.error == nil, let response = result.response,
            template.resumer != nil || response !== task.response || stream.releaseHeld(),
            let task = task as? DataTask
        else { return }
        try stream.begin(with: response, verifying: task.verification)
        if !result.data.isEmpty { _ = try stream.deliver(result.data, held: true, from: task) }
    }

    private static func remove(_ file: URL?) {
        // The error is ignored: there is no other way to remove the temporary file.
        if let file { try? FileManager.default.removeItem(at: file) }
    }
}

extension TransferResult {
    /// Returns the result of a task that has ended with an error.
    fileprivate func failed(_ error: LarkspurError) -> TransferResult {
        var result = self
        result.error = error.filled(
            request: request,
            response: response,
            responseData: response == nil ? nil : data
        )
        return result
    }
}

extension LarkspurError {
    /// Creates the error that reports the error of an interceptor.
    init(interception error: any Error) {
        switch error {
        case let error as LarkspurError: self = error
        case is CancellationError: self.init(transportError: URLError(.cancelled))
        default:
            self.init(
                .interceptionFailed,
                "An interceptor failed: \(SerializationFailure.reason(error).withoutFullStop).",
                underlyingError: error
            )
        }
    }
}
