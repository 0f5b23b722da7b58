/// The consequence of the end of a transfer.
enum TransferEnding: Sendable {
    /// A closure that reports the error of a task, if any, to its observers.
    typealias Report = @Sendable (LarkspurError?) -> Void

    /// The task ends, as the finisher says.
    case task(TaskFinisher)
    /// Only the attempt ends, and the closure gets its result. It is called once.
    case attempt(@Sendable (TransferResult, @escaping Report) -> Void)

    /// Handles the end of a transfer: serializes the response, then ends the task.
    /// - Parameters:
    ///   - received: The part of the response that has arrived.
    ///   - transportError: The transport's error.
    ///   - stream: The stream that delivers the content; nil if the content is collected.
    ///   - report: Called before serialization with the error of the transfer that the task will report, if any.
    func end(
        _ task: SessionTask,
        with received: Reception = Reception(),
        transportError: (any Error)?,
        _ stream: ContentStream? = nil,
        report: @escaping Report = { _ in }
    ) {
        switch self {
        case .task(let finisher):
            guard let state = task.markCompleted() else { return }
            if state == .cancelling { stream?.stop() }
            let result = received.result(of: task, transportError, wasCancelled: state == .cancelling)
            task.noteAttemptEnd(result)
            task.conclude(with: result, report: report, finisher: finisher)
        case .attempt(let end):
            let isCancelled = task.state == .cancelling
            if isCancelled { stream?.stop() }
            let result = received.result(of: task, transportError, wasCancelled: isCancelled)
            task.endAttempt(resumeData: result.error?.resumeData)
            task.noteAttemptEnd(result)
            end(result, report)
        }
    }
}

/// The part of a response that has arrived in one transfer.
struct Reception: Sendable {
    var body = Data()
    var response: URLResponse?
    var file: URL?
    /// An error other than the transport's.
    var error: LarkspurError?
    /// True if the transfer was cancelled because its response is the result and the transport has no other way to end
    /// it.
    var endsWithResponse = false

    /// Returns the result of the transfer, which has ended.
    fileprivate func result(of task: SessionTask, _ transportError: (any Error)?, wasCancelled: Bool) -> TransferResult {
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
