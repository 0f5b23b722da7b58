#if canImport(FoundationNetworking)
/// The change of a data task into a download, which its delegate requests.
///
/// The transfer continues as before. For the delegate, a download task replaces the data task. The content is written
/// to a file on the thread or queue of the delegate, because earlier content is already pending there.
extension TaskCore {
    func becomeDownload() {
        guard let session = session.object, let dataTask = object as? URLSessionDataTask else { return }
        do throws(URLError) {
            deliveryState.download = try DownloadFile(
                of: originalRequest?.url,
                in: self.session.settings.downloadFolder
            )
        } catch {
            return cancel(with: error)
        }
        let downloadTask = session.makeDownloadTask(self)
        replaceObject(with: downloadTask)
        if let receiver = deliveryState.receiver {
            deliveryState.receiver = receiver.becomeDownload(downloadTask, of: dataTask, in: session)
            return
        }
        delegates.data?.urlSession(session, dataTask: dataTask, didBecome: downloadTask)
    }

    func write(_ data: Data, to file: DownloadFile) {
        guard !isAbandoned else { return }
        do {
            try data.withUnsafeBytes { try file.write($0) }
        } catch {
            return cancel(with: error)
        }
        deliverProgress(Int64(data.count), total: file.length, expected: counts.expectedToReceive)
    }

    /// Delivers the file, if the download has succeeded.
    func endDownload(_ file: DownloadFile, with error: (any Error)?) {
        deliveryState.download = nil
        if error == nil { deliverFile(file.finish()) } else { file.discard() }
    }
}
#endif
