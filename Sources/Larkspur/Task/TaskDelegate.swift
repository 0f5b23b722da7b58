import Synchronization

/// Follows one attempt of a task: collects what its session's delegate hears of it, and sees to its end.
///
/// It lives in the ``TaskRegistry`` of its session, keyed by task identifier, from the creation of the task until the
/// transport has finished with it. The session calls it on its delegate queue, one call after the other.
final class TaskDelegate: Sendable {
    /// Makes the ending of a transfer; runs on the processing queue, once.
    typealias Finisher = @Sendable (TransferResult, SessionTask) -> TaskEnding

    fileprivate struct Storage {
        var body = Data()
        var response: URLResponse?
        var file: URL?
        var error: LarkspurError?
        /// The task was cancelled by us because the transport could do nothing better with a response that is to be the
        /// result.
        var endsWithResponse = false
        var lastCredential: URLCredential?
        var finisher: Finisher?
    }

    let task: SessionTask
    let kind: TransferKind
    /// Has it go on by itself; nil where it does not.
    let resumer: DownloadResumer?
    /// Hands the content on; nil where it is collected.
    let stream: ContentStream?
    private let isStreamed: Bool
    private let bodyLength: Int64?
    private let makeBodyStream: (@Sendable () -> InputStream?)?
    private let storage: Mutex<Storage>

    /// - Parameters:
    ///   - task: The task.
    ///   - kind: How its response is delivered.
    ///   - resumer: Has a download go on by itself. Default: none.
    ///   - stream: Hands the content on in place of collecting it. Default: none.
    ///   - makeBodyStream: Makes the stream of a streamed upload, anew for each time that it is sent.
    ///   - isStreamed: Whether it is a streamed upload.
    ///   - bodyLength: How long the stream is, in bytes, if that is known. Default: as the request says.
    ///   - finisher: Makes the ending; released when it has been called.
    init(
        task: SessionTask,
        kind: TransferKind,
        resumer: DownloadResumer? = nil,
        stream: ContentStream? = nil,
        makeBodyStream: (@Sendable () -> InputStream?)? = nil,
        isStreamed: Bool = false,
        bodyLength: Int64? = nil,
        finisher: @escaping Finisher
    ) {
        self.isStreamed = isStreamed
        self.bodyLength = bodyLength
        self.task = task
        self.kind = kind
        self.resumer = resumer
        self.stream = stream
        self.makeBodyStream = makeBodyStream
        self.storage = Mutex(Storage(finisher: finisher))
    }

    /// Whether its body is a stream, so that a new one may be asked for.
    var sendsStream: Bool { isStreamed || task.originalRequest?.httpBodyStream != nil }

    /// The body stream of the task's own, from the caller's closure or the request.
    func bodyStream() -> InputStream? {
        let stream = makeBodyStream?() ?? task.originalRequest?.httpBodyStream
        // A form's stream is sent from its beginning each time, and says itself what is wrong with it.
        return Platform.remade(stream) { [weak self] in self?.fail(with: $0) } ?? stream
    }

    // MARK: Receiving

    /// A response begins. One that came before it (a challenge, an informational response, an attempt that was
    /// suspended) is void, with its content.
    func receive(_ response: URLResponse) {
        task.markFirstResponseByte()
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
    ///   - data: A piece of the content.
    ///   - held: What lets the transport know, by its end, that the piece is done with. Default: nothing.
    func receive(_ data: Data, held: (any Sendable)? = nil) {
        // What still comes after a cancellation, which may be much, is not wanted any more.
        guard task.state == .running || task.state == .suspended else { return }
        var data = data
        if let stream {
            if let task = task as? DataTask, stream.handOn(data, held: held, from: task) {
                return task.download.add(Int64(data.count), total: contentLength, of: task)
            }
            data = data.prefix(max(0, DownloadFinisher.errorDataLimit - storage.withLock { $0.body.count }))
        }
        let limit = stream == nil ? task.environment.maximumContentSize : DownloadFinisher.errorDataLimit
        let total: Int64? = storage.withLock { storage in
            guard storage.body.count + data.count <= limit else { return nil }
            storage.body.append(data)
            return storage.response?.contentLengthOnceDecoded ?? -1
        }
        guard let total else {
            return fail(
                with: LarkspurError(
                    .contentTooLarge,
                    "The response has more than the \(limit) bytes that may be kept in memory."
                )
            )
        }
        task.download.add(Int64(data.count), total: total, of: task)
    }

    private var contentLength: Int64 { storage.withLock { $0.response?.contentLengthOnceDecoded ?? -1 } }

    /// The header of a request with a body of unknown length may say how long it is.
    func sent(_ sent: Int64, of expected: Int64) {
        var total = expected
        if total <= 0 {
            total = bodyLength ?? task.originalRequest?.announcedBodyLength ?? -1
        }
        task.upload.update(completed: sent, total: total, of: task)
    }

    func wrote(_ written: Int64, of expected: Int64) {
        task.markFirstResponseByte()
        var total = expected
        // The length of a part is not that of the file, which the transport knows that has asked for the part.
        if let response = task.response, (response as? HTTPURLResponse)?.statusCode != 206 {
            total = response.contentLengthOnceDecoded
        }
        task.download.update(completed: written, total: total, of: task)
    }

    /// Takes the downloaded file away from the transport, which owns it only until its delegate's method returns.
    func receiveFile(at location: URL) {
        let place = location.deletingLastPathComponent().appendingPathComponent(
            "Larkspur-\(UUID().uuidString).download"
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

    // MARK: Challenges

    /// Decides about the credential that somebody wants to use: not the one that the server has just refused.
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
        storage.withLock { storage in
            if storage.error == nil { storage.error = error }
        }
        task.cancel()
    }

    /// Ends the task as if this response were the last word, because the transport can do nothing else with it.
    func end(with response: URLResponse?) {
        storage.withLock { storage in
            storage.endsWithResponse = true
            if let response { storage.response = response }
        }
        task.cancel()
    }

    /// The transport has finished. Serializes on the processing queue, then lets the task end on the completion queue.
    /// - Parameters:
    ///   - error: The transport's error.
    ///   - report: Hears of the error that the task will report, before serialization.
    func complete(with error: (any Error)?, report: (LarkspurError?) -> Void = { _ in }) {
        guard let state = task.markCompleted() else { return }
        let collected = storage.withLock { storage in
            defer { storage = Storage() }
            return storage
        }
        if state == .cancelling { stream?.stop() }
        let result = collected.result(of: task, transportError: error, wasCancelled: state == .cancelling)
        task.upload.finish(successfully: result.error == nil, of: task)
        task.download.finish(successfully: result.error == nil, of: task)
        report(result.error)
        guard let finisher = collected.finisher else { return }
        task.environment.processing.submit { [task] in
            task.end(with: finisher(result, task))
        }
    }
}

extension TaskDelegate.Storage {
    fileprivate func result(of task: SessionTask, transportError: (any Error)?, wasCancelled: Bool) -> TransferResult {
        let request = task.currentRequest ?? task.originalRequest
        let response = response ?? task.response
        let transferError: LarkspurError? =
            if let error {
                error
            } else if endsWithResponse {
                nil
            } else if let transportError {
                LarkspurError(transportError: transportError)
            } else if wasCancelled {
                // The transport was quicker, but whoever cancelled has been told that the task ends so.
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
    /// What its `Content-Length` field says.
    var announcedBodyLength: Int64? { value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) } }
}

extension URLResponse {
    /// The length of the content as it is delivered; −1 where that is unknown, as with a content coding, whose length
    /// is that of the coded bytes.
    var contentLengthOnceDecoded: Int64 {
        guard let http = self as? HTTPURLResponse else { return expectedContentLength }
        if let coding = http.value(forHTTPHeaderField: "Content-Encoding"), coding.lowercased() != "identity" {
            return -1
        }
        // It overrides Content-Length (RFC 9112, section 6.3).
        if http.value(forHTTPHeaderField: "Transfer-Encoding") != nil { return -1 }
        return expectedContentLength
    }
}
