internal import HTTPSyntax
import Synchronization

/// The facts of a call that are known when it is created. They never change.
struct CallPlan: Sendable {
    /// The kind of transfer.
    let template: TransferTemplate
    /// The request; nil if it could not be built, or for a download from resume data.
    let urlRequest: URLRequest?
    private let failure: StoredError?
    /// Whether the request was validated when it was built.
    let isValid: Bool
    /// The last step of a download; nil for other calls.
    let download: DownloadPlacement?
    /// The settings of a call that takes handlers, and starts with its first handler. Nil for a task that was created
    /// with its handler and takes no other handlers.
    var chain: Chain?

    /// - Parameters:
    ///   - template: The kind of transfer.
    ///   - request: The request, or the error that prevented its creation; nil for a download from resume data.
    ///   - download: The last step of a download. Default: nil, for other calls.
    init(
        template: TransferTemplate,
        request: Result<URLRequest, LarkspurError>?,
        download: DownloadPlacement? = nil
    ) {
        self.template = template
        self.download = download
        isValid = false
        switch request {
        case .success(let request): (urlRequest, failure) = (request, nil)
        case .failure(let error): (urlRequest, failure) = (nil, StoredError(error))
        case nil: (urlRequest, failure) = (nil, nil)
        }
    }

    /// Returns the plan with a changed request, which is no longer known to be valid.
    func mapRequest(_ transform: (URLRequest) -> URLRequest) -> CallPlan {
        guard let urlRequest else { return self }
        var plan = CallPlan(template: template, request: .success(transform(urlRequest)), download: download)
        plan.chain = chain
        return plan
    }

    /// Returns the plan of a call that ends with an error before anything is sent. If the request could not be built,
    /// its error stays.
    func failing(with error: LarkspurError) -> CallPlan {
        guard failure == nil else { return self }
        let error = error.filled(request: urlRequest, response: nil, responseData: nil)
        var plan = CallPlan(template: template, request: .failure(error), download: download)
        plan.chain = chain
        return plan
    }

    /// Creates the plan of a call whose content is collected, with a request that was validated when it was built.
    init(validRequest request: URLRequest) {
        template = .data
        urlRequest = request
        failure = nil
        isValid = true
        download = nil
    }

    /// The request, or the error that prevented its creation; nil for a download from resume data.
    var request: Result<URLRequest, LarkspurError>? {
        failure.map { .failure($0.error) } ?? urlRequest.map { .success($0) }
    }

    /// Whether the transfer is created when the call starts, and not when the call is created.
    var isLaunchedLate: Bool { chain != nil || template.resumption != nil || template.resumer != nil }

    /// The settings of the session manager for a call that takes handlers, as they were when the call was created.
    struct Chain: Sendable {
        /// The decoder of handlers that name a type.
        let jsonDecoder: JSONDecoder
        /// The serializer of a call without handlers, for the notification of its end.
        let serializer: AnyResponseSerializer
    }
}

/// The start of a call: the object that creates its transfers, and the values that may change until the start.
struct CallStart {
    /// The object that creates the transfers of the call when it starts. Nil after the start, and for a call whose
    /// transfer was created earlier.
    var launcher: (any CallLauncher)?
    private(set) var options = StoredOptions.none
    /// The stream that the content goes to; nil if it is collected.
    private(set) var stream: ResponseStream?
    /// The properties of the request for an event stream; nil for other content.
    private(set) var eventStream: EventStreamRequest?
    /// Whether the call was cancelled before it started, so that nothing is sent.
    private(set) var isCancelled = false

    /// Whether the call has not started, so that its options may change.
    var isOpen: Bool { launcher != nil }

    /// Sets the options that the caller has passed, without the hooks, the credential and the progress closures. Other
    /// parts of the task store these, and release them at the end of the call.
    mutating func use(_ options: CallOptions) {
        let hasCredential = options.credential != nil
        var options = options
        (options.hooks, options.credential) = (nil, nil)
        (options.uploadProgress, options.downloadProgress) = (nil, nil)
        self.options = StoredOptions(options, hasCredential: hasCredential)
    }

    /// Changes the options. Returns false if the call has started.
    mutating func configure(_ body: (inout CallOptions) -> Void) -> Bool {
        guard isOpen else { return false }
        options = options.changed(body)
        return true
    }

    /// Directs the content to a stream. Returns false if the call has started or has a stream already.
    mutating func direct(to stream: ResponseStream?, for eventStream: EventStreamRequest?) -> Bool {
        guard let stream, isOpen, self.stream == nil else { return false }
        self.stream = stream
        self.eventStream = eventStream
        return true
    }

    /// Starts the call.
    /// - Returns: The object that creates the transfers; nil if the call was launched before.
    mutating func launch(isCancelled: Bool) -> (any CallLauncher)? {
        if isCancelled { self.isCancelled = true }
        return launcher.take()
    }
}

/// An object that creates the transfers of calls.
protocol CallLauncher: AnyObject, Sendable {
    /// Creates the first transfer of a call, passes the call to its interceptors, or ends the call. Called once for
    /// each call.
    func launch(_ task: SessionTask, _ start: CallStart)
}

/// The options and the start of a call that takes handlers. The call starts with its first handler, `await` or
/// sequence, or with ``SessionTask/resume()``. Handlers may still be added after its end.
extension SessionTask {
    /// Changes the options of a call that has not started. A later change has no effect, and is reported.
    /// - Parameters:
    ///   - name: The name of the method that the caller used, for a message.
    ///   - body: The change.
    func configure(_ name: String, _ body: (inout CallOptions) -> Void) -> Self {
        _ = mayConfigure(name, body)
        return self
    }

    /// Changes the options, and returns whether that was possible. If it was not possible, reports the mistake.
    func mayConfigure(_ name: String, _ body: (inout CallOptions) -> Void = { _ in }) -> Bool {
        // The replaced values may own objects of the caller. They are released outside the lock.
        let (previous, isOpen) = storage.withLock { ($0.start, $0.start.configure(body)) }
        withExtendedLifetime(previous) {}
        if !isOpen, plan.chain != nil {
            report("\(name) has no effect, because the call has started: put it before the first handler")
        }
        return isOpen
    }

    /// Reports a mistake of the caller in one line.
    private func report(_ mistake: String) {
        environment.failureWriter?("Larkspur: \(target): \(mistake).".onOneLine)
    }

    /// Reports a call that is released before it has started.
    func reportUnstarted() {
        environment.failureWriter?(
            "Larkspur: \(target) was made and never started: add a handler, await its response, or call resume()."
                .onOneLine
        )
    }

    /// The method and the URL, for messages.
    private var target: String {
        guard let request = plan.urlRequest, let url = request.url else { return "a request" }
        return "\(request.httpMethod ?? "GET") \(LarkspurError.redacted(url))"
    }

    /// The options of the call.
    var options: StoredOptions { storage.withLock { $0.start.options } }

    /// The verification of the content; nil if there is none.
    var verification: DigestVerification? { options.value.digestVerification }

    /// The stream that delivers the content; nil if it is collected.
    var stream: ResponseStream? { plan.template.stream ?? storage.withLock { $0.start.stream } }

    /// Directs the content to a stream.
    /// - Parameters:
    ///   - stream: The stream; nil if it is used already.
    ///   - eventStream: The properties of the request for an event stream; nil for other content.
    /// - Throws: `unsupported`, if the call has started already, or `cancelled`, if it was cancelled before it started.
    func direct(to stream: ResponseStream?, for eventStream: EventStreamRequest?) throws(LarkspurError) {
        let (isDirected, isCancelled) = storage.withLock { storage in
            let isDirected = plan.chain != nil && storage.start.direct(to: stream, for: eventStream)
            return (isDirected, storage.start.isCancelled)
        }
        if isCancelled { throw LarkspurError(transportError: URLError(.cancelled)) }
        guard isDirected else {
            throw LarkspurError(
                .unsupported,
                "The content of the call has another consumer: a sequence is iterated once, and goes with no handler.",
                request: originalRequest
            )
        }
    }

    /// Sets the object that creates the transfers of the call when it starts.
    func launchLater(by launcher: any CallLauncher) { storage.withLock { $0.start.launcher = launcher } }

    /// Launches the call, once.
    func launch(isCancelled: Bool) {
        let (launcher, start) = storage.withLock { ($0.start.launch(isCancelled: isCancelled), $0.start) }
        launcher?.launch(self, start)
    }

    /// Sets the closure that is called when the task is cancelled while interceptors work. If the task has been
    /// cancelled already, the closure is called immediately.
    func onCancellation(_ cancelWork: @escaping @Sendable () -> Void) {
        if !storage.withLock({ $0.course.store(cancelWork) }) { cancelWork() }
    }

    /// Stores the timers of the call until the call ends. If the call has ended already, cancels the timers
    /// immediately.
    func use(_ timers: CallTimers) {
        if !storage.withLock({ $0.course.store(timers) }) { timers.cancel() }
    }
}
