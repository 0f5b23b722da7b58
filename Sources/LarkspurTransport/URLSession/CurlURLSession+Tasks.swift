#if canImport(FoundationNetworking)
/// The creation of tasks, including tasks that the superclass performs.
extension CurlURLSession {
    func makeDownloadTask(_ core: TaskCore) -> URLSessionDownloadTask { CurlDownloadTask(core, of: self) }

    /// Creates a task that passes its content to a channel; nil for a request that the superclass performs.
    func dataTask(with request: URLRequest, channel: ResponseChannel<any Error>) -> URLSessionDataTask? {
        makeDataTask(request, .bytes(channel))
    }

    /// Creates a data task; nil for a request that the superclass performs.
    func makeDataTask(_ request: URLRequest, _ completion: TaskCore.Completion?) -> CurlDataTask? {
        let isCarried = core.carries(request)
        let defect = isCarried ? nil : core.foreignDefect(request)
        guard isCarried || defect != nil || core.isInvalidated else {
            core.noteUseOfSuperclass()
            return nil
        }
        let body = isCarried ? TaskBody(of: request) : .none
        let task = core.makeTask(kind: .data, request: request, body: body, completion: completion, defect: defect)
        return CurlDataTask(task, of: self)
    }

    func makeUploadTask(
        _ request: URLRequest,
        _ body: TaskBody,
        _ completion: TaskCore.Completion?
    ) -> CurlUploadTask {
        CurlUploadTask(core.makeTask(kind: .upload, request: request, body: body, completion: completion), of: self)
    }

    /// Creates a task that sends content that is produced while it is sent.
    package func uploadTask(with request: URLRequest, producing content: ProducedBody) -> URLSessionUploadTask {
        makeUploadTask(request, .produced(content), nil)
    }

    /// Creates a task of FoundationNetworking's WebSocket API, which fails; nil if the superclass has to create it.
    func makeWebSocketTask(_ request: URLRequest) -> CurlWebSocketTask? {
        guard let layout else { return nil }
        let defect = CurlWebSocketTask.defect(of: request)
        return CurlWebSocketTask(
            core.makeTask(kind: .data, request: request, body: .none, completion: nil, defect: defect),
            of: self,
            layout
        )
    }

    func makeDownloadTask(_ request: URLRequest, _ completion: TaskCore.Completion?) -> CurlDownloadTask {
        let body = TaskBody(of: request)
        return CurlDownloadTask(
            core.makeTask(kind: .download, request: request, body: body, completion: completion),
            of: self
        )
    }

    /// Calls a closure when all tasks that the superclass performs have ended.
    ///
    /// The superclass is never invalidated. Code that was compiled without this module can call the superclass's async
    /// methods. After an invalidation, these calls would end the process.
    func whenSuperclassIsIdle(_ action: @escaping @Sendable () -> Void) {
        guard let layout, let queue = layout.workQueue(of: self) else { return action() }
        queue.async { [self] in
            if layout.taskCount(of: self) == 0 { return action() }
            queue.asyncAfter(deadline: .now() + .milliseconds(20)) { [self] in whenSuperclassIsIdle(action) }
        }
    }
}
#endif
