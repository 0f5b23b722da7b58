/// The response of a call, for `async` code. Awaiting starts the call. Cancelling the surrounding `Task` cancels the
/// call immediately, also before it starts.
///
///     let user = try await manager.get("users/1").value(as: User.self)
extension DataTask {
    /// Decodes the response's JSON into a type, and returns the value.
    /// - Parameters:
    ///   - type: The type of the value. Default: inferred from the context.
    ///   - decoder: The decoder. Default: the manager's `jsonDecoder`, as it was when the call was made.
    /// - Throws: ``LarkspurError`` if the call fails, or the JSON cannot be decoded. After a cancellation of the task
    ///   or of the surrounding `Task` its code is `cancelled`.
    public func value<T: Decodable & Sendable>(
        as type: T.Type = T.self,
        decoder: (any DataDecoder)? = nil
    ) async throws(LarkspurError) -> T {
        try await collect(by: decodable(type, decoder)).result.get()
    }

    /// Decodes the response's JSON into a type, or into the server's description of a failure, and returns one of the
    /// two.
    ///
    ///     switch try await manager.get("users/1").result(as: User.self, failure: APIFailure.self) {
    ///     case .success(let user): print(user.name)
    ///     case .failure(let failure): print(failure.reason)
    ///     }
    /// - Parameters:
    ///   - type: The type of the value, for a response with an acceptable status.
    ///   - failure: The type that the API uses for failures, for a response with another status.
    ///   - decoder: The decoder of both types. Default: the manager's `jsonDecoder`, as it was when the call was made.
    /// - Throws: ``LarkspurError`` if neither the value nor the failure can be decoded. Its code is `cancelled` after a
    ///   cancellation of the task or of the surrounding `Task`.
    public func result<T: Decodable & Sendable, Failure: Decodable & Sendable>(
        as type: T.Type,
        failure: Failure.Type,
        decoder: (any DataDecoder)? = nil
    ) async throws(LarkspurError) -> ServerResult<T, Failure> {
        let serializer = decodable(type, decoder)
        return try await collect(by: serializer).describing(failure, serializer.decoder).result.get()
    }

    /// Decodes the response's JSON into a ``JSONValue``, which holds any kind of JSON. If the context requires another
    /// type, the JSON is decoded into that type.
    ///
    ///     let user = try await manager.get("users/1").value()
    ///     print(user["name"].string ?? "nobody")
    /// - Parameters:
    ///   - type: The type of the value. Default: ``JSONValue``.
    ///   - decoder: The decoder. Default: the manager's `jsonDecoder`, as it was when the call was made.
    /// - Returns: The value; `null` if the response has no content.
    /// - Throws: ``LarkspurError`` if the call fails, or the content is not JSON. Its code is `cancelled` if the task
    ///   or the surrounding `Task` was cancelled.
    public func value(
        // The labels are the same as in the generic method. Otherwise the compiler has no useful message for a wrong
        // argument.
        as type: JSONValue.Type = JSONValue.self,
        decoder: (any DataDecoder)? = nil
    ) async throws(LarkspurError) -> JSONValue {
        try await collect(by: decodable(type, decoder)).result.get()
    }

    /// Validates and parses the response with a serializer, and returns the value.
    /// - Parameter serializer: The serializer, which runs on the manager's `processingQueue`.
    /// - Throws: ``LarkspurError`` if the call or the serializer fails. After a cancellation of the task or of the
    ///   surrounding `Task` its code is `cancelled`.
    public func value<S: ResponseSerializer>(
        as serializer: S
    ) async throws(LarkspurError) -> S.Output where S.Output: Sendable {
        try await response(as: serializer).result.get()
    }

    /// Validates and parses the response with a serializer, passes the serializer's value to a closure, and returns the
    /// result of the closure. With this method you can also read objects that cannot be passed to another task, such as
    /// the objects of `.json`, `.propertyList`, `.compound` and `.xmlDocument`.
    ///
    ///     let title = try await manager.get("feed").value(as: .xmlDocument) { document in
    ///         try document?.nodes(forXPath: "/feed/title").first?.stringValue
    ///     }
    /// - Parameters:
    ///   - serializer: The serializer, which runs on the manager's `processingQueue`.
    ///   - transform: Makes the value. Called on the `processingQueue`, and only for an acceptable response.
    /// - Throws: ``LarkspurError`` if the call or the serializer fails, or with the error of the closure as its
    ///   `underlyingError`. After a cancellation of the task or of the surrounding `Task` its code is `cancelled`.
    public func value<S: ResponseSerializer, Value: Sendable>(
        as serializer: S,
        _ transform: @escaping @Sendable (S.Output) throws -> Value
    ) async throws(LarkspurError) -> Value {
        try await value(as: serializer.map(transform))
    }

    /// The content of the response.
    /// - Throws: ``LarkspurError`` if the call fails. Its code is `cancelled` after a cancellation of the task or of
    ///   the surrounding `Task`.
    public var data: Data {
        get async throws(LarkspurError) { try await collect(by: DataResponseSerializer()).result.get() }
    }

    /// The content of the response as text, in the encoding that its `Content-Type` names. If it names none, the
    /// encoding is UTF-8, or ISO-8859-1 if the content is not valid UTF-8.
    /// - Throws: ``LarkspurError`` if the call fails, or the text cannot be decoded. Its code is `cancelled` after a
    ///   cancellation of the task or of the surrounding `Task`.
    public var string: String {
        get async throws(LarkspurError) { try await collect(by: StringResponseSerializer()).result.get() }
    }

    /// Waits for the response, and parses it with a serializer.
    /// - Parameter serializer: The serializer, which runs on the manager's `processingQueue`. Default: a serializer
    ///   that returns the content.
    /// - Returns: The response with its value or error. The method does not throw.
    public func response<S: ResponseSerializer>(
        as serializer: S = DataResponseSerializer()
    ) async -> DataResponse<S.Output> where S.Output: Sendable {
        await collect(by: resolved(serializer))
    }

    private func collect<S: ResponseSerializer>(by serializer: S) async -> DataResponse<S.Output>
    where S.Output: Sendable {
        let handler = ContentHandler(serializer)
        return handler.response(await ending(for: handler))
    }

    /// Adds a handler, which starts the call, and waits for the end.
    private func ending(for handler: CallHandler) async -> CallEnding {
        let awaited: Awaited = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                handler.awaited = { continuation.resume(returning: $0) }
                add(handler)
            }
        } onCancel: {
            cancel()
        }
        return switch awaited {
        case .ending(let ending): ending
        // The serializer runs here, because waking another thread would take longer.
        case .result(let result): endAwaited(result, by: handler)
        }
    }

    /// Waits for the response, and decodes its JSON into a type.
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - decoder: The decoder of the value. Default: the manager's `jsonDecoder`, as it was when the call was made.
    /// - Returns: The response with its value or error. The method does not throw.
    public func response<T: Decodable & Sendable>(
        as type: T.Type,
        decoder: (any DataDecoder)? = nil
    ) async -> DataResponse<T> {
        await collect(by: decodable(type, decoder))
    }
}

/// The file of a download, for `async` code. Awaiting starts the download. Cancelling the surrounding `Task` cancels
/// the download immediately, also before it starts.
///
///     let file = try await manager.download("report.pdf", to: .folder(downloads)).file
extension DownloadTask {
    /// The location of the file. Without a destination the file is in the folder for temporary files, and the caller
    /// has to remove it.
    /// - Throws: ``LarkspurError`` if the download fails. Its code is `cancelled` after a cancellation of the task or
    ///   of the surrounding `Task`.
    public var file: URL {
        get async throws(LarkspurError) { try await response().result.get() }
    }

    /// Waits for the download.
    /// - Returns: The response with the location of the file, or the error. The method does not throw. Without a
    ///   destination the file is in the folder for temporary files, and the caller has to remove it.
    public func response() async -> DownloadResponse {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                add(FileHandler { continuation.resume(returning: $0.claimingFile()) })
            }
        } onCancel: {
            cancel()
        }
    }

    /// Adds a handler of the download's end, and starts the download if it has not started.
    ///
    /// A download may have several handlers. They run in the order in which they were added. Then
    /// ``SessionTask/didCompleteNotification`` is posted.
    /// - Parameters:
    ///   - queue: The queue that the handler runs on. Default: the manager's `completionQueue`.
    ///   - handler: Called once, with the location of the file or the error. A file without a destination is removed
    ///     when the task is released.
    /// - Returns: The task.
    @discardableResult
    public func response(
        queue: DispatchQueue? = nil,
        handler: @escaping @Sendable (DownloadResponse) -> Void
    ) -> Self {
        add(FileHandler(queue: queue, handler))
        return self
    }

    /// Sets the acceptable status codes. Default: 200 to 299.
    /// - Parameter codes: The codes, such as `[200, 404]`. Default: 200 to 299.
    /// - Returns: The task.
    public func validate(statusCode codes: StatusCodes = .successful) -> Self {
        configure("validate(statusCode:)") { $0.checks.statusCodes = codes }
    }

    /// Sets the acceptable content types. Default: all.
    /// - Parameter types: The media types or ranges, such as `["application/pdf", "image/*"]`.
    /// - Returns: The task.
    public func validate(contentType types: Set<MediaRange>) -> Self {
        configure("validate(contentType:)") { $0.checks.contentTypes = types }
    }

    /// Adds a check of the response. It runs after the checks of the status code and the content type, and before the
    /// file is moved to its destination.
    /// - Parameter check: Gets the request, the response and the file on the manager's `processingQueue`. It throws an
    ///   error to reject the response. A ``LarkspurError`` is reported unchanged. Any other error becomes the
    ///   `underlyingError` of an error with the code `unacceptableResponse`.
    /// - Returns: The task.
    public func validate(
        _ check: @escaping @Sendable (_ request: URLRequest?, _ response: HTTPURLResponse, _ file: URL) throws -> Void
    ) -> Self {
        configure("validate(_:)") { $0.checks.ofFile.append(check) }
    }
}

extension DownloadResponse {
    /// Returns the response with a file that the caller owns and has to remove.
    fileprivate func claimingFile() -> DownloadResponse {
        guard let temporaryFile else { return self }
        return DownloadResponse(
            request: request,
            response: response,
            trailers: trailers,
            timeline: timeline,
            result: temporaryFile.claim(by: share)
        )
    }

    /// Links or copies a temporary file into the folder for temporary files, and returns its location there.
    private func share(_ file: URL) -> Result<URL, LarkspurError> {
        var name = DownloadDestination.fileName(for: response) ?? "download"
        // With the UUID, the file name must not exceed 255 bytes. The name is shortened at its beginning, because the
        // extension is at the end.
        while name.utf8.count > 200 { name.removeFirst() }
        let place = FileManager.default.temporaryDirectory
            .appendingPathComponent("\(UUID().uuidString)-\(name)", isDirectory: false)
        do {
            if (try? FileManager.default.linkItem(at: file, to: place)) == nil {
                // A link is not possible between two file systems.
                try FileManager.default.copyItem(at: file, to: place)
            }
            return .success(place)
        } catch {
            let failure = LarkspurError(
                .fileMoveFailed,
                "The downloaded file could not be kept: \(DownloadDestination.reason(error, for: place)).",
                underlyingError: error
            )
            return .failure(failure.filled(request: request, response: response, responseData: nil))
        }
    }
}
