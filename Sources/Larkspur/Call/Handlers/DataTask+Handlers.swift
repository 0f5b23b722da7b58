/// The handlers of a call that was made without closures. The call starts with its first handler. Settings of the call
/// therefore come before the handlers:
///
///     manager.get("users/1").validate(statusCode: 200..<300).response(as: User.self) { response in
///         print(response.value?.name ?? "no user")
///     }
extension DataTask {
    /// Adds a handler of the response, and starts the call if it has not started.
    ///
    /// A task may have several handlers. They run in the order in which they were added, before
    /// ``SessionTask/didCompleteNotification`` is posted. A handler that is added after the end of the task runs soon
    /// afterwards.
    /// - Parameters:
    ///   - serializer: Validates and parses the response, on the manager's `processingQueue`.
    ///   - queue: The queue that the handler runs on. Default: the manager's `completionQueue`.
    ///   - handler: Called once, with the value or the error.
    /// - Returns: The task.
    @discardableResult
    public func response<S: ResponseSerializer>(
        as serializer: S,
        queue: DispatchQueue? = nil,
        handler: @escaping @Sendable (DataResponse<S.Output>) -> Void
    ) -> Self {
        add(ContentHandler(resolved(serializer), queue: queue) { handler($1) })
        return self
    }

    /// Adds a handler that gets a value decoded from JSON, and starts the call if it has not started. For the order of
    /// handlers see ``response(as:queue:handler:)``.
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - decoder: The decoder of the value. Default: the manager's `jsonDecoder`, as it was when the call was made.
    ///   - queue: The queue on which the handler gets the value. Default: the manager's `completionQueue`.
    ///   - handler: Called once, with the value or the error.
    /// - Returns: The task.
    @discardableResult
    public func response<T: Decodable & Sendable>(
        as type: T.Type,
        decoder: (any DataDecoder)? = nil,
        queue: DispatchQueue? = nil,
        handler: @escaping @Sendable (DataResponse<T>) -> Void
    ) -> Self {
        response(as: decodable(type, decoder), queue: queue, handler: handler)
    }

    /// Adds a handler that gets the content in chunks as it arrives, and starts the call. The content is not stored, so
    /// its length is not limited.
    ///
    ///     manager.get("events").responseStream { task, chunk in
    ///         print(chunk.count)
    ///     } completionHandler: { response in
    ///         print(response.value ?? 0, "bytes")
    ///     }
    ///
    /// Only the content of an acceptable response is delivered. By default, a response is acceptable if its status is
    /// 200 to 299. If the response is not acceptable, the error has its content, up to 1 MiB. If the handler is slow,
    /// the transfer waits; with the transport `.foundation` on Linux, all that arrives is buffered instead. After a
    /// cancellation no more chunks are delivered.
    /// - Parameters:
    ///   - onContent: Called with the task and each chunk, in order, on the manager's `completionQueue`.
    ///   - completionHandler: Called once, after the last chunk, on the manager's `completionQueue`, with the number of
    ///     bytes delivered or the error. If the content has another consumer already, the error is `unsupported`.
    /// - Returns: The task.
    @discardableResult
    public func responseStream(
        onContent: @escaping @Sendable (DataTask, Data) -> Void,
        completionHandler: @escaping @Sendable (DataResponse<Int64>) -> Void
    ) -> Self {
        let stream = ResponseStream(
            // The reference is weak, because the task owns the stream.
            validation: { [weak self] in
                let validation = ResponseValidation()
                return self?.options.value.applied(to: validation) ?? validation
            },
            consumer: .handler(onContent)
        )
        do throws(LarkspurError) {
            try direct(to: stream, for: nil)
            add(CountHandler(completionHandler))
        } catch {
            // For this error, too, the handler runs later, and never within this method.
            let request = originalRequest
            environment.settings.completionQueue.async {
                completionHandler(DataResponse(request: request, response: nil, data: Data(), result: .failure(error)))
            }
        }
        return self
    }

    /// Returns the serializer. If it has no decoder, it gets the manager's decoder.
    func resolved<S: ResponseSerializer>(_ serializer: S) -> S {
        serializer.decoding(with: plan.chain?.jsonDecoder ?? JSONDecoder())
    }

    /// Returns the serializer that decodes a type with a decoder, or with the decoder of the manager.
    func decodable<T>(_ type: T.Type, _ decoder: (any DataDecoder)?) -> DecodableResponseSerializer<T> {
        DecodableResponseSerializer(type, decoder: decoder ?? plan.chain?.jsonDecoder ?? JSONDecoder())
    }
}

/// The rules by which a response is acceptable. Set them before the first handler is added.
extension DataTask {
    /// Sets the acceptable status codes, in place of the codes of the serializers.
    /// - Parameter codes: The codes, such as `[200, 404]`. Default: 200 to 299.
    /// - Returns: The task.
    public func validate(statusCode codes: StatusCodes = .successful) -> Self {
        configure("validate(statusCode:)") { $0.checks.statusCodes = codes }
    }

    /// Sets a range of acceptable status codes, in place of the codes of the serializers.
    /// - Parameter codes: The codes as a half-open range, such as `200..<400`.
    /// - Returns: The task.
    public func validate(statusCode codes: Range<Int>) -> Self { validate(statusCode: StatusCodes(codes)) }

    /// Sets a closed range of acceptable status codes, in place of the codes of the serializers.
    /// - Parameter codes: The codes as a closed range, such as `200...299`.
    /// - Returns: The task.
    public func validate(statusCode codes: ClosedRange<Int>) -> Self { validate(statusCode: StatusCodes(codes)) }

    /// Sets the acceptable content types, in place of the types of the serializers.
    /// - Parameter types: The media types or ranges, such as `["application/json", "text/*"]`.
    /// - Returns: The task.
    public func validate(contentType types: Set<MediaRange>) -> Self {
        configure("validate(contentType:)") { $0.checks.contentTypes = types }
    }

    /// Adds a check of the response, which runs after the checks of the status code and the content type.
    /// - Parameter check: Gets the request, the response and the content on the manager's `processingQueue`. It throws
    ///   an error to reject the response. A ``LarkspurError`` is reported unchanged. Any other error becomes the
    ///   `underlyingError` of an error with the code `unacceptableResponse`. The check may be called once for each
    ///   handler.
    /// - Returns: The task.
    public func validate(
        _ check: @escaping @Sendable (_ request: URLRequest?, _ response: HTTPURLResponse, _ data: Data) throws -> Void
    ) -> Self {
        configure("validate(_:)") { $0.checks.ofContent.append(check) }
    }
}

/// The settings of a call that was made without closures. Set them before the first handler is added.
extension SessionTask {
    /// Adds interceptors of this call. They run within the interceptors of the session manager.
    /// - Parameter interceptors: The interceptors that run once for the call. The first one is the outermost.
    /// - Returns: The task.
    public func intercept(with interceptors: any RequestInterceptor...) -> Self {
        configure("intercept(with:)") { $0.interceptors.call += interceptors }
    }

    /// Adds interceptors of each attempt of this call. They run within the session manager's interceptors of attempts.
    /// - Parameter interceptors: The interceptors that run once for each attempt. The first one is the outermost.
    /// - Returns: The task.
    public func interceptAttempts(with interceptors: any RequestInterceptor...) -> Self {
        configure("interceptAttempts(with:)") { $0.interceptors.attempt += interceptors }
    }

    /// Sends the content of the request to its end, even if the response has a status of 300 or more. Without this
    /// setting, such a status ends the sending.
    ///
    /// Over HTTP/2, the end of the response ends the sending nevertheless. If the session is not a `CurlURLSession`,
    /// the call ends with the error `unsupported`.
    /// - Returns: The task.
    public func keepSending() -> Self { configure("keepSending()") { $0.keepsSending = true } }

    /// Verifies the response's content: the digests that the server sends (RFC 9530), or an expected digest or size. If
    /// the content does not match, the error has the code `digestMismatch`, and a downloaded file is removed and not
    /// moved to its destination.
    /// - Parameter verification: The kind of verification, such as `.expecting(.sha256("…"))`. Default: `.required`,
    ///   with which a response without a digest is an error with the code `digestMissing`.
    /// - Returns: The task.
    public func verifyDigest(_ verification: DigestVerification = .required) -> Self {
        configure("verifyDigest(_:)") { $0.digestVerification = verification }
    }

    /// Handles the authentication challenges of this call with a name and a password. They are sent to the origin of
    /// the request and to a proxy, but not to another origin to which a redirect leads. If the server refuses them, the
    /// call gets the server's response. For another kind of credential see ``CallOptions/credential``.
    /// - Parameters:
    ///   - username: The user's name.
    ///   - password: The password.
    ///   - persistence: The time for which the credential is stored for later requests. Default: `.none`.
    /// - Returns: The task.
    public func authenticate(
        username: String,
        password: String,
        persistence: URLCredential.Persistence = .none
    ) -> Self {
        let credential = URLCredential(user: username, password: password, persistence: persistence)
        return configuringHooks("authenticate(username:password:persistence:)") { $0.answer(with: credential) }
    }

    /// Sets the handler that decides about the redirects of this call.
    /// - Parameter handler: Gets the task, the redirect and the request that follows it, on the manager's hook queue.
    ///   It returns the request to send, or nil to take the redirect as the response.
    /// - Returns: The task.
    public func redirect(
        using handler: @escaping @Sendable (SessionTask, HTTPURLResponse, URLRequest) -> URLRequest?
    ) -> Self {
        configuringHooks("redirect(using:)") { $0.willPerformHTTPRedirection = handler }
    }

    /// Adds a handler for the progress of the request's content.
    ///
    ///     let text = try await manager.upload("files", from: .file(file))
    ///         .uploadProgress { progress in print(progress.fractionCompleted) }
    ///         .string
    /// - Parameter handler: Gets the progress, which is always the same object, on the manager's `completionQueue`.
    ///   While a report waits in the queue, no other report is queued.
    /// - Returns: The task.
    public func uploadProgress(_ handler: @escaping @Sendable (Progress) -> Void) -> Self {
        if mayConfigure("uploadProgress(_:)") { upload.add(handler) }
        return self
    }

    /// Adds a handler for the progress of the response's content.
    ///
    ///     let file = try await manager.download("disk.iso", to: .folder(downloads))
    ///         .downloadProgress { progress in print(progress.fractionCompleted) }
    ///         .file
    /// - Parameter handler: Gets the progress, which is always the same object, on the manager's `completionQueue`.
    ///   While a report waits in the queue, no other report is queued.
    /// - Returns: The task.
    public func downloadProgress(_ handler: @escaping @Sendable (Progress) -> Void) -> Self {
        if mayConfigure("downloadProgress(_:)") { download.add(handler) }
        return self
    }

    func configuringHooks(_ name: String, _ body: (inout SessionHooks) -> Void) -> Self {
        if mayConfigure(name) {
            var hooks = self.hooks
            body(&hooks)
            self.hooks = hooks
        }
        return self
    }
}

extension DataTask {
    /// Sets the handler that decides about storing the response of this call in the session's cache. With the transport
    /// `.foundation` on Linux the handler is not called, because that transport stores no responses.
    /// - Parameter handler: Gets the task and the proposed response on the manager's hook queue. It returns the
    ///   response to store, or nil to store none.
    /// - Returns: The task.
    public func cacheResponse(
        using handler: @escaping @Sendable (DataTask, CachedURLResponse) -> CachedURLResponse?
    ) -> Self {
        configuringHooks("cacheResponse(using:)") { $0.willCacheResponse = handler }
    }

    /// Sets the handler that gets the response of this call before its content arrives.
    /// - Parameter handler: Gets the response on the manager's hook queue. It returns `.allow` to receive the content,
    ///   or `.cancel` to cancel the task.
    /// - Returns: The task.
    public func onHTTPResponse(
        _ handler: @escaping @Sendable (HTTPURLResponse) -> URLSession.ResponseDisposition
    ) -> Self {
        configuringHooks("onHTTPResponse(_:)") {
            $0.responseDisposition = { _, response in (response as? HTTPURLResponse).map(handler) ?? .allow }
        }
    }
}
