/// The factory of tasks that hand their content on.
extension SessionManager {
    /// Makes a task that hands its content on as it comes and keeps none of it, however much there is.
    ///
    /// A response that is not acceptable is not handed on: the task fails, with the beginning of its content, up to 1 MiB, in the error's `responseData`. ``maximumContentSize`` does not apply.
    /// With the transport `.curl` no more than about 1 MiB waits for `onContent`: a slow one holds back the server. With `.foundation` on Linux whatever comes waits in memory, and a task that is
    /// suspended in mid-content and resumed fails with the error `connectionLost` if its transfer begins again.
    /// - Parameters:
    ///   - request: The request; its body, if it has one, is sent.
    ///   - validation: Which responses are acceptable. Default: status 200–299 and any content type.
    ///   - uploadProgress: Called on the completion queue as the body is sent. Default: none.
    ///   - downloadProgress: Called on the completion queue as content arrives. Default: none.
    ///   - onContent: Called on the completion queue with each piece of content, in order, before the completion handler; not any more once the task is cancelled.
    ///   - completionHandler: Called once on the completion queue, with the number of bytes that were handed on. The response's `data` is empty.
    /// - Returns: The task, suspended.
    @discardableResult
    public func streamingTask(
        with request: URLRequest,
        validation: ResponseValidation = ResponseValidation(),
        uploadProgress: ProgressHandler? = nil,
        downloadProgress: ProgressHandler? = nil,
        onContent: @escaping @Sendable (DataTask, Data) -> Void,
        completionHandler: @escaping @Sendable (DataResponse<Int64>) -> Void
    ) -> DataTask {
        let task = DataTask(environment: environment, upload: uploadProgress, download: downloadProgress)
        let stream = ContentStream(validation: validation, handler: onContent)
        let delegate = TaskDelegate(task: task, kind: .data, stream: stream) { result, task in
            Self.ending(of: task, with: result, after: stream, completionHandler)
        }
        start(delegate, .success(request)) { $0.dataTask(with: $1) }
        return task
    }

    private static func ending(
        of task: SessionTask,
        with result: TransferResult,
        after stream: ContentStream,
        _ handler: @escaping @Sendable (DataResponse<Int64>) -> Void
    ) -> TaskEnding {
        let outcome: Result<Int64, LarkspurError>
        do throws(LarkspurError) {
            if let error = result.error { throw error }
            if stream.count == 0 { try stream.validation.validate(result.response, data: result.data) }
            outcome = .success(stream.count)
        } catch {
            outcome = .failure(
                error.filled(request: result.request, response: result.response, responseData: result.data)
            )
        }
        let timeline = task.markSerialized()
        return TaskEnding(
            completion: TaskCompletion(
                serializer: nil,
                data: result.response == nil ? nil : result.data,
                error: outcome.failure,
                fileURL: nil,
                timeline: timeline,
                serialized: nil
            ),
            deliver: {
                handler(
                    DataResponse(
                        request: result.request,
                        response: result.response,
                        data: result.data,
                        timeline: timeline,
                        result: outcome
                    )
                )
            }
        )
    }
}
