/// A handler of the end of a call, which is used once. It creates a value from the response on the processing queue,
/// and then runs on its own queue.
class CallHandler: @unchecked Sendable {
    // Safe: subclasses change values in `prepare` and read them in `deliver`, which is called later.
    /// The queue that the handler runs on; nil for the completion queue.
    let queue: DispatchQueue?
    /// The closure that resumes an `await`; nil for a handler that is not an `await`. It is set before the handler is
    /// added.
    var awaited: (@Sendable (Awaited) -> Void)?

    init(queue: DispatchQueue?) { self.queue = queue }

    /// The serializer of the response; nil for a handler that creates no value.
    var serializer: (any ResponseSerializer)? { nil }

    /// Whether the serializer is quick and runs no code of the caller.
    var isQuick: Bool { false }

    /// Whether the code after an `await` may serialize small content itself. This is the case with a quick serializer,
    /// and with a `JSONDecoder`: it runs the code of the caller's type in the caller's own task.
    var mayAwaiterSerialize: Bool { isQuick }

    /// The closure that resumes an `await` with the result of the transfer. The code after the `await` then ends the
    /// task. Nil for a handler that is not an `await`.
    var resume: (@Sendable (TransferResult) -> Void)? {
        guard let awaited else { return nil }
        return { awaited(.result($0)) }
    }

    /// The error that replaces the value; nil if there is none.
    var failure: StoredError? { nil }

    /// The value, for notifications and events; nil if there is none.
    var value: Transferred<Any>? { nil }

    /// Creates the value.
    func prepare(_ ending: CallEnding) {}

    /// Calls the handler.
    func deliver(_ ending: CallEnding, of task: SessionTask) {}
}

/// The value that resumes an `await`. It is not generic, because a type that the library does not know is looked up at
/// run time.
enum Awaited: Sendable {
    /// The end of the call, for which the handler has created its value.
    case ending(CallEnding)
    /// The result of the transfer, with which the code after the `await` ends the task.
    case result(TransferResult)
}

/// A handler of a response in memory.
final class ContentHandler<S: ResponseSerializer>: CallHandler, @unchecked Sendable {
    typealias Body = @Sendable (SessionTask, DataResponse<S.Output>) -> Void

    private let ownSerializer: S
    private let isSerializerQuick: Bool
    private let decodesJSON: Bool
    private let body: Body?
    private var prepared: Transferred<Result<S.Output, LarkspurError>>?
    private var preparedFailure: StoredError?

    // The methods are specialized for the most frequent serializers. Otherwise each method would look up its types at
    // run time.
    /// - Parameters:
    ///   - serializer: The serializer of the response.
    ///   - queue: The queue that the handler runs on. Default: nil, for the completion queue.
    ///   - body: The handler. Default: nil, for an `await`.
    @_specialize(where S == AnyResponseSerializer)
    @_specialize(where S == DataResponseSerializer)
    @_specialize(where S == StringResponseSerializer)
    init(
        _ serializer: S,
        queue: DispatchQueue? = nil,
        _ body: Body? = nil
    ) {
        ownSerializer = serializer
        isSerializerQuick = serializer.isQuick
        decodesJSON = serializer.decodesJSON
        self.body = body
        super.init(queue: queue)
    }

    override var serializer: (any ResponseSerializer)? { ownSerializer }
    override var isQuick: Bool { isSerializerQuick }
    override var mayAwaiterSerialize: Bool { isSerializerQuick || decodesJSON }
    override var failure: StoredError? { preparedFailure }

    override var value: Transferred<Any>? {
        prepared?.compactMap { (try? $0.get()).flatMap { unwrapped($0) } }
    }

    @_specialize(where S == AnyResponseSerializer)
    @_specialize(where S == DataResponseSerializer)
    @_specialize(where S == StringResponseSerializer)
    override func prepare(_ ending: CallEnding) { _ = outcome(ending) }

    @_specialize(where S == AnyResponseSerializer)
    @_specialize(where S == DataResponseSerializer)
    @_specialize(where S == StringResponseSerializer)
    private func outcome(_ ending: CallEnding) -> Result<S.Output, LarkspurError> {
        if let prepared { return prepared.value }
        let outcome = Transferred(ending.options.value.run(ownSerializer, ending.content))
        prepared = outcome
        preparedFailure = outcome.value.failure.map { StoredError($0) }
        return outcome.value
    }

    @_specialize(where S == AnyResponseSerializer)
    @_specialize(where S == DataResponseSerializer)
    @_specialize(where S == StringResponseSerializer)
    override func deliver(_ ending: CallEnding, of task: SessionTask) {
        if let awaited { awaited(.ending(ending)) } else { body?(task, response(ending)) }
    }

    /// Returns the response with its value.
    @_specialize(where S == AnyResponseSerializer)
    @_specialize(where S == DataResponseSerializer)
    @_specialize(where S == StringResponseSerializer)
    func response(_ ending: CallEnding) -> DataResponse<S.Output> {
        DataResponse(ending, data: ending.content.data, result: outcome(ending))
    }
}

extension DataResponse {
    fileprivate init(_ ending: CallEnding, data: Data, result: Result<Value, LarkspurError>) {
        self.init(
            request: ending.result.request,
            received: ending.result.received,
            data: data,
            trailers: ending.result.trailers,
            timeline: ending.timeline,
            result: result
        )
    }
}

/// A handler of a finished download.
final class FileHandler: CallHandler, @unchecked Sendable {
    private let body: @Sendable (DownloadResponse) -> Void

    init(queue: DispatchQueue? = nil, _ body: @escaping @Sendable (DownloadResponse) -> Void) {
        self.body = body
        super.init(queue: queue)
    }

    override func deliver(_ ending: CallEnding, of task: SessionTask) {
        guard let outcome = ending.file else { return }
        var response = DownloadResponse(
            request: ending.result.request,
            response: ending.result.response,
            trailers: ending.result.trailers,
            timeline: ending.timeline,
            result: outcome
        )
        if outcome.failure == nil { response.temporaryFile = ending.temporaryFile }
        body(response)
    }
}

/// A handler of a response with streamed content. It gets the number of bytes.
final class CountHandler: CallHandler, @unchecked Sendable {
    private let body: @Sendable (DataResponse<Int64>) -> Void

    init(_ body: @escaping @Sendable (DataResponse<Int64>) -> Void) {
        self.body = body
        super.init(queue: nil)
    }

    override func deliver(_ ending: CallEnding, of task: SessionTask) {
        if let count = ending.count { body(DataResponse(ending, data: ending.result.data, result: count)) }
    }
}
