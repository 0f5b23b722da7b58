extension SessionManager {
    /// The manager of the functions ``request(_:method:parameters:body:encoder:headers:)`` and
    /// ``download(_:method:parameters:headers:to:)``: a manager with the default settings and without a base URL.
    /// Invalidating it makes those functions fail.
    public static let `default` = SessionManager()
}

/// Makes a request with ``SessionManager/default``.
///
///     Larkspur.request("https://api.example.com/get").responseString { response in
///         if let string = response.value { print(string) }
///     }
/// - Parameters:
///   - url: The URL, with scheme and host.
///   - method: The method, which may be any token (RFC 9110, section 9.1). Default: GET.
///   - parameters: Names and values that the request serializer writes. They become the query for GET, HEAD and DELETE
///     and if there is a `body`, otherwise a form as content. Default: none.
///   - body: A value that becomes the content of the request, as JSON. It is encoded before the function returns.
///     Default: none.
///   - encoder: The encoder of `body`, which also names its `Content-Type`. Default: the manager's `jsonEncoder`.
///   - headers: Fields of this request. Default: none.
/// - Returns: The task. It starts with its first handler, `await` or sequence, or with ``SessionTask/resume()``. If the
///   request could not be built, it ends with that error when it starts: `invalidURL`, `invalidMethod`,
///   `invalidHeaderField` or `parameterEncodingFailed`.
public func request(
    _ url: any RequestTarget,
    method: HTTPMethod = .get,
    parameters: [String: Any]? = nil,
    body: (any Encodable)? = nil,
    encoder: (any DataEncoder)? = nil,
    headers: HTTPHeaders? = nil
) -> DataTask {
    SessionManager.default.request(
        method,
        url,
        parameters: parameters,
        body: body,
        encoder: encoder,
        headers: headers
    )
}

/// Downloads a file with ``SessionManager/default``.
///
///     let file = try await Larkspur.download("https://example.com/disk.iso", to: .folder(downloads)).file
/// - Parameters:
///   - url: The URL, with scheme and host.
///   - method: The method. Default: GET.
///   - parameters: Names and values that the request serializer writes. They become the query for GET, HEAD and DELETE,
///     otherwise a form as content. Default: none.
///   - headers: Fields of this request. Default: none.
///   - destination: The location of the file. If nil, handlers get a temporary file, which is removed when the task is
///     released; an `async` function gets a temporary file that it owns. Default: nil.
/// - Returns: The task. It starts with its first handler or `await`, or with ``SessionTask/resume()``. If the request
///   could not be built, it ends with that error when it starts.
public func download(
    _ url: any RequestTarget,
    method: HTTPMethod = .get,
    parameters: [String: Any]? = nil,
    headers: HTTPHeaders? = nil,
    to destination: DownloadDestination? = nil
) -> DownloadTask {
    SessionManager.default.download(url, method: method, parameters: parameters, headers: headers, to: destination)
}

/// Runs a closure with a session manager, waits for the tasks of the manager, and invalidates it.
///
///     let user = try await withSessionManager(SessionManager(baseURL: url)) { manager in
///         try await manager.get("users/1").value(as: User.self)
///     }
///
/// If the closure throws, or the surrounding `Task` is cancelled, the tasks under way are cancelled. When the function
/// returns, no connection and no thread of the manager is left.
/// - Parameters:
///   - manager: The manager. It must not be used afterwards.
///   - isolation: The actor on which the closure runs. Default: that of the caller.
///   - body: The closure, which gets the manager.
/// - Returns: The result of the closure.
/// - Throws: The error of the closure.
public func withSessionManager<Result>(
    _ manager: SessionManager = SessionManager(),
    isolation: isolated (any Actor)? = #isolation,
    _ body: (SessionManager) async throws -> sending Result
) async rethrows -> sending Result {
    do {
        let result = try await body(manager)
        await manager.drain(cancellingTasks: Task.isCancelled)
        return result
    } catch {
        await manager.drain(cancellingTasks: true)
        throw error
    }
}

extension SessionManager {
    /// Invalidates the session, and waits until its tasks have ended.
    /// - Parameter cancellingTasks: True to cancel the tasks under way. They are also cancelled if the surrounding
    ///   `Task` is cancelled.
    fileprivate func drain(cancellingTasks: Bool) async {
        invalidate(cancellingTasks: cancellingTasks)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                completionGroup.notify(queue: .global()) { continuation.resume() }
            }
        } onCancel: {
            for task in tasks { task.cancel() }
        }
    }
}
