/// The conversion of a data task into a download, which a hook decides.
extension SessionDelegate {
    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didBecome downloadTask: URLSessionDownloadTask
    ) {
        guard let delegate = registry.remove(dataTask.taskIdentifier) else { return }
        let download = DownloadTask(environment: delegate.task.environment, upload: nil, download: nil)
        let finisher = DownloadFinisher(
            validation: ResponseValidation(),
            destination: nil,
            hooks: hooks,
            handler: { _ in }
        )
        let successor = TaskDelegate(task: download, kind: .download) { result, _ in
            finisher.finish(result, of: download)
        }
        let attempt = TaskAttempt(urlTask: downloadTask, session: session, adapter: Platform.adapter(for: session)) {}
        guard let task = delegate.task as? DataTask, task.handOver(to: download, as: attempt) else {
            // The task is cancelled. The transport ends it as its new task object.
            return registry.add(delegate, for: downloadTask.taskIdentifier)
        }
        registry.add(successor, for: downloadTask.taskIdentifier)
        hooks.call(\.didBecomeDownload, of: task) { $0(task, download) }
        end(delegate, with: LarkspurError(.becameDownload, "The task has become a download, which goes on by itself."))
    }
}
