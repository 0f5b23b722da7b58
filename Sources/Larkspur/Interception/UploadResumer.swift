internal import HTTPSyntax
import Synchronization

/// The content of one request of a resumable upload, and its place in the whole content.
struct UploadPart: Sendable {
    enum Content: Sendable {
        case none
        case data(Data)
        case file(FileSection)
        case produced(BodyProducer, Range<Int64>)

        /// The number of bytes that a stream sends; nil if the content is sent in another way.
        var streamLength: Int64? {
            switch self {
            case .none, .data: nil
            case .file(let section): section.count
            case .produced(_, let range): Int64(range.count)
            }
        }
    }

    let content: Content
    /// The offset of the first byte.
    let offset: Int64
    /// The number of bytes of the whole content.
    let length: Int64
    /// The minimum number of bytes that the progress shows.
    let floor: Int64

    /// Returns the progress of the upload after a number of bytes of the part have been sent.
    func completed(_ sent: Int64) -> Int64 { min(max(floor, offset + min(sent, length - offset)), length) }
}

/// The operations of a call that a resumable upload uses.
struct UploadControl: Sendable {
    /// Whether the transport sends the `Content-Length` of a stream, which some servers require.
    let sendsLengthOfStreams: Bool
    /// Whether a connection may be reused for the next request.
    let keepsConnections: Bool
    /// A closure that sets the content of the next attempt.
    let prepare: @Sendable (UploadPart) -> Void
    /// A closure that returns the number of bytes that the progress shows.
    let completed: @Sendable () -> Int64
    /// A closure that sets the progress to the whole length.
    let complete: @Sendable (_ length: Int64) -> Void
    /// A closure that returns whether the task was cancelled. False if a time limit has ended it.
    let isCancelled: @Sendable () -> Bool
    /// A closure that sets the resumption of the task; nil if there is nothing to continue.
    let note: @Sendable (UploadResumption?) -> Void
    /// A closure that calls another closure on the completion queue.
    let report: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// A closure that returns a URL with https if HSTS requires this for its host, otherwise nil.
    let secured: @Sendable (URL) -> URL?
    /// A closure that sends a request as a separate call, which may end after the upload. The second parameter is
    /// whether a response of another origin has led to the URL.
    let sendApart: @Sendable (URLRequest, Bool) -> Void
}

/// The content of a resumable upload.
enum ResumableContent: Sendable {
    case data(Data)
    case file(URL)
    /// Content whose producer can begin at any offset. The length is known.
    case produced(BodyProducer)
}

/// The interceptor that continues one upload after failures, with the rules of ``RetryPolicy``.
///
/// It sends the requests of ``UploadState``. Outer interceptors may call it again, for example with a new credential.
/// The upload then continues.
final class UploadResumer: RequestInterceptor {
    /// The state of the upload, which all calls of the interceptor share.
    private struct Upload: Sendable {
        var state: UploadState
        /// The state of the file when the upload began; nil for data.
        let file: FileState?
        /// Whether the server has lost content that it had confirmed. In this case the progress decreases.
        var hasLostContent = false

        /// The facts with which another process can continue the upload.
        var resumption: UploadResumption? {
            state.resource.map {
                UploadResumption(
                    url: $0,
                    length: state.length,
                    offset: state.confirmed,
                    modification: file?.modification
                )
            }
        }
    }

    /// The maximum number of bytes of a file in one request, if the transport does not send the length of a stream. In
    /// this case the content of each request is read into memory.
    private static let chunkSize: Int64 = 8 << 20

    private let settings: ResumableUpload
    private let content: ResumableContent
    private let policy: RetryPolicy
    private let upload = Mutex<Upload?>(nil)

    init(_ settings: ResumableUpload, _ content: ResumableContent) {
        self.settings = settings
        self.content = content
        var policy = settings.retryPolicy
        // Every request of an upload may be sent again, because the server refuses content for another offset than its
        // own. So `likeHEAD` hides the method from the policy.
        policy.methods = [.head]
        policy.statusCodes = policy.statusCodes.union([409, 423])
        // In the case `stalled`, the result has this code and is retried. If an error with this code is thrown, the
        // upload ends.
        policy.errorCodes.insert(.resumptionFailed)
        self.policy = policy
    }

    func intercept(
        _ request: URLRequest,
        context: RequestContext,
        next: RequestContext.Next
    ) async throws -> InterceptedResponse {
        guard let control = context.upload else { return try await next(request) }
        var request = request
        // If HSTS requires https, the responses have https URLs. They are at the origin of this request.
        if let url = request.url.flatMap(control.secured) { request.url = url }
        context.withholdFromOtherOrigins(settings.withheldFields(of: request))
        defer { context.lead(false) }
        var upload = try begin(request, control)
        do {
            return try await run(&upload, request, context, control, next)
        } catch let error as LarkspurError where error.code == .cancelled {
            // A cancelled attempt throws this error. A cancelled delay throws the `CancellationError` below.
            delete(upload, request, control)
            throw error
        } catch let error as CancellationError {
            delete(upload, request, control)
            throw error
        }
    }

    // MARK: Beginning and end

    /// Returns the state of the upload. An earlier call of the interceptor or another process may have begun it.
    private func begin(_ request: URLRequest, _ control: UploadControl) throws(LarkspurError) -> Upload {
        if var upload = upload.withLock({ $0 }) {
            upload.state.resume()
            return upload
        }
        var file: FileState?
        var length: Int64 = 0
        switch content {
        case .data(let data): length = Int64(data.count)
        case .file(let url):
            let state = try FileSection.state(of: url)
            (file, length) = (state, state.size)
        case .produced(let producer): length = producer.length ?? 0
        }
        var maximumPartSize = settings.maximumPartSize
        if file != nil, !control.sendsLengthOfStreams {
            maximumPartSize = min(maximumPartSize ?? .max, Self.chunkSize)
        }
        var state = UploadState(kind: settings.kind, length: length, maximumPartSize: maximumPartSize)
        if let resumption = settings.resumption {
            guard resumption.length == length, resumption.modification == file?.modification else {
                throw LarkspurError(
                    .bodyUnreadable,
                    "The content is not that of the upload to continue: its length or its last change is another."
                )
            }
            // The stored URL is checked like a URL from a server.
            let resource = try UploadState.resource(
                resumption.url.absoluteString,
                from: nil,
                base: request.url,
                nil
            )
            state.continue(at: resource, from: resumption.offset)
        }
        let upload = Upload(state: state, file: file)
        note(upload, control)
        return upload
    }

    private func note(_ upload: Upload, _ control: UploadControl) {
        self.upload.withLock { $0 = upload }
        control.note(upload.resumption)
    }

    /// Deletes the upload on the server, if the task was cancelled and the settings say so.
    private func delete(_ upload: Upload, _ request: URLRequest, _ control: UploadControl) {
        guard settings.deletesWhenCancelled, control.isCancelled(), let resource = upload.state.resource else { return }
        control.note(nil)
        control.sendApart(settings.deletion(of: resource, like: request), Self.isElsewhere(resource, request))
    }

    // MARK: Requests

    /// Returns whether a URL of the server is at another origin than the upload.
    private static func isElsewhere(_ url: URL?, _ request: URLRequest) -> Bool {
        url.flatMap(Origin.init) != request.url.flatMap(Origin.init)
    }

    private func run(
        _ upload: inout Upload,
        _ request: URLRequest,
        _ context: RequestContext,
        _ control: UploadControl,
        _ next: RequestContext.Next
    ) async throws -> InterceptedResponse {
        let stopwatch = context.stopwatch()
        var offsetResponse: InterceptedResponse?
        var loss: LarkspurError?
        while true {
            let step = upload.state.step
            let part = try part(for: step, of: &upload, control)
            var sent = try settings.request(for: step, length: upload.state.length, like: request)
            if let count = part.content.streamLength {
                sent.setValue(String(count), forHTTPHeaderField: "Content-Length")
            }
            // If the transport does not report the loss of a reused connection, it would wait for its timeout instead.
            // So each request then gets a new connection.
            if !control.keepsConnections { sent.setValue("close", forHTTPHeaderField: "Connection") }
            control.prepare(part)
            context.lead(Self.isElsewhere(sent.url, request))
            var result: Result<InterceptedResponse, any Error>
            do {
                let response = try await next(sent)
                result = .success(response)
                switch try handle(response, to: step, of: &upload, request, control) {
                case .proceed:
                    if case .locate = step { offsetResponse = response }
                    // Counts the response in the budget. The next request is no retry, so the result does not matter.
                    _ = policy.isWithinBudget(sent, result)
                    continue
                case .finish: return finish(with: response, upload, control)
                case .finishWithOffsetResponse: return finish(with: offsetResponse ?? response, upload, control)
                case .retry: break
                case .stalled: result = .failure(UploadState.error("it takes none of the content", response))
                }
            } catch let error as LarkspurError where error.code != .resumptionFailed {
                // The earlier loss explains the failure better than the invalidation of the session.
                if let loss, error.code == .sessionInvalidated { throw loss }
                loss = error
                upload.state.noteLoss()
                result = .failure(error)
            }
            upload.state.noteFailure()
            note(upload, control)
            let attempt = RetryAttempt(
                request: sent.likeHEAD,
                count: upload.state.failures,
                result: result,
                elapsed: stopwatch.elapsed(),
                canRepeat: !Task.isCancelled,
                isWithinBudget: policy.isWithinBudget(sent, result)
            )
            switch policy.decision(after: attempt, random: policy.random(), now: policy.date()) {
            case .done: return try result.get()
            case .retry(let delay): try await context.clock.sleep(for: delay.bounded)
            case .fail(let told, let limit): throw RetryPolicy.error(told, limit, of: attempt)
            }
        }
    }

    /// Returns the content of a request.
    /// - Throws: `bodyUnreadable`.
    private func part(
        for step: UploadState.Step,
        of upload: inout Upload,
        _ control: UploadControl
    ) throws(LarkspurError) -> UploadPart {
        guard case .append(_, let offset, let count, _) = step else {
            return UploadPart(content: .none, offset: 0, length: upload.state.length, floor: control.completed())
        }
        // When a part is sent again, the progress must not decrease, unless the server has lost content.
        let floor = upload.hasLostContent ? offset : control.completed()
        upload.hasLostContent = false
        let content: UploadPart.Content
        switch (self.content, upload.file) {
        case _ where count == 0: content = .none
        case (.data(let data), _):
            let start = data.startIndex + Int(offset)
            content = .data(count == Int64(data.count) ? data : data.subdata(in: start..<(start + Int(count))))
        case (.file(let url), let state?):
            let section = FileSection(file: url, state: state, offset: offset, count: count)
            content = control.sendsLengthOfStreams ? .file(section) : .data(try section.read())
        case (.file, nil): content = .none
        case (.produced(let producer), _): content = .produced(producer, offset..<offset + count)
        }
        return UploadPart(content: content, offset: offset, length: upload.state.length, floor: floor)
    }

    private func handle(
        _ response: InterceptedResponse,
        to step: UploadState.Step,
        of upload: inout Upload,
        _ request: URLRequest,
        _ control: UploadControl
    ) throws(LarkspurError) -> UploadState.Consequence {
        let confirmed = upload.state.confirmed
        let isNew = upload.state.resource == nil
        let isPassing = policy.isPassing(.success(response))
        let consequence = try upload.state.receive(response, to: step, isPassing: isPassing, base: request.url)
        if upload.state.confirmed < confirmed { upload.hasLostContent = true }
        note(upload, control)
        if isNew, consequence == .proceed, let resumption = upload.resumption, let didCreate = settings.didCreate {
            control.report { didCreate(resumption) }
        }
        return consequence
    }

    private func finish(
        with response: InterceptedResponse,
        _ upload: Upload,
        _ control: UploadControl
    ) -> InterceptedResponse {
        // The resumption is removed when the upload has ended. Otherwise it stays, because a new task may continue the
        // upload, for example after a login.
        if response.isSuccess || response.uploadComplete == true { control.note(nil) }
        if response.isSuccess { control.complete(upload.state.length) }
        return response
    }
}

extension URLRequest {
    /// The request with the method HEAD. A retry policy with that method sends it again.
    fileprivate var likeHEAD: URLRequest {
        var request = self
        request.httpMethod = "HEAD"
        return request
    }
}
