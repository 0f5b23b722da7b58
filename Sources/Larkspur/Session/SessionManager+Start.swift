import HTTPSyntax

/// The start of a call: its limits, its interceptors, and its transfers.
extension SessionManager: CallLauncher {
    func launch(_ task: SessionTask, _ start: CallStart) {
        guard !start.isCancelled else {
            return TransferEnding.call.end(task, transportError: URLError(.cancelled))
        }
        let environment = task.environment
        var template = task.plan.template
        var request = task.plan.request
        var options = start.options
        if let stream = start.stream { template.stream = stream }
        if let eventStream = start.eventStream { request = request?.map(eventStream.prepared) }
        if let verification = options.value.digestVerification {
            request = request?.map { $0.requestingNoCoding }
            if let failure = verification.expected?.failure, request?.failure == nil {
                request = .failure(failure.filled(request: try? request?.get(), response: nil, responseData: nil))
            }
        }
        if environment.launchesLate || task.deadline != nil || !options.value.timeouts.isEmpty {
            let shared = environment.settings.timeouts
            let limits = options.value.timeouts.filled(from: start.eventStream == nil ? shared : shared.forEventStreams)
            // The idle limit is a property of the request. If the caller passed no request, the request in the resume
            // data is read, so that the limit can be set on it.
            if request == nil, limits.idle != nil { request = template.requestOfResumeData.map { .success($0) } }
            request = request?.map(limits.applied)
            options = options.changed { $0.timeouts = limits }
            do throws(LarkspurError) {
                try begin(limits, for: task)
            } catch {
                request = .failure(error)
            }
        }
        if options !== template.options { template.options = options }
        var own = options.value.interceptors
        // The interceptors that resume a transfer come last, so that they are the innermost of the interceptors that
        // run once for the call.
        if let resumption = template.resumption { own.call.append(resumption) }
        if let resumer = template.resumer { own.call.append(resumer) }
        let shared = environment.settings.interceptors
        let attemptLimit = options.value.timeouts.attempt.map { TimeLimit(part: .attempt, limit: $0) }
        // If the request could not be built, no interceptor runs: `start` ends the task with the error.
        if !(shared.isEmpty && own.isEmpty) || attemptLimit != nil,
            case .success(let request) = request ?? template.requestOfResumeData.map({ .success($0) })
        {
            var interceptors = shared.chain(with: own)
            if let attemptLimit { interceptors.append(attemptLimit) }
            // A call with its own limit shares no attempt with other calls.
            let lastOwn =
                start.options.value.timeouts.attempt == nil ? shared.lastIndex(of: own) : interceptors.count - 1
            let chain = InterceptorChain(
                interceptors,
                lastOwn: lastOwn,
                isLedElsewhere: options.value.isLedElsewhere
            )
            return InterceptedCall(self, task, template, chain).start(with: request)
        }
        self.start(task, template, request, isValid: task.plan.isValid, .call)
    }

    /// Starts the timers of a call.
    /// - Throws: `timedOut`, if the deadline of the call has passed.
    private func begin(_ limits: Timeouts, for task: SessionTask) throws(LarkspurError) {
        var limits = limits
        var whole: Duration?
        if let deadline = task.deadline {
            let remaining = deadline.remaining()
            guard remaining > .zero else {
                throw CallTimers.error("The deadline of \(deadline.limit) was over before the call began.")
            }
            if remaining < limits.total ?? .seconds(Int64.max) { (limits.total, whole) = (remaining, deadline.limit) }
        }
        task.use(CallTimers(limits, until: whole, on: task.environment.settings.clock, for: task))
    }

    /// Creates the transfer of an attempt, or ends the attempt if that is not possible.
    /// - Parameter isValid: Whether the request has been validated already. Default: false.
    /// - Returns: Whether a transfer was created.
    @discardableResult
    func start(
        _ task: SessionTask,
        _ template: TransferTemplate,
        _ request: Result<URLRequest, LarkspurError>?,
        isValid: Bool = false,
        _ ending: TransferEnding
    ) -> Bool {
        do throws(LarkspurError) {
            var request = try request?.get()
            if !isValid { try request?.validate(knownURL: urls.last) }
            addCredentials(to: &request, of: template)
            try sessions.makeTransfer(for: task, template, request, ending: ending)
            return true
        } catch {
            let error = error.filled(request: try? request?.get(), response: nil, responseData: nil)
            ending.end(task, transportError: error)
            return false
        }
    }
}
