import Larkspur
import LarkspurActivity
import Synchronization

/// The download of one file, with the data that is stored next to the file until it is complete.
///
/// The resume data is stored in a file with the extension `.resume`. It is written while the download runs, so that it
/// exists even if the process is killed, and removed when the file is complete.
final class Download: Sendable {
    enum State: Sendable {
        case waiting
        case running
        case done
        /// The file existed already.
        case present
        case failed(String)
        /// The user has ended the download, which can be resumed later.
        case interrupted
    }

    private struct Storage {
        var state = State.waiting
        var task: DownloadTask?
        var completed: Int64 = 0
        var total: Int64 = -1
        /// The number of bytes that existed when the download started or resumed.
        var offset: Int64 = 0
        var began = ContinuousClock.now
        var noted: ContinuousClock.Instant?
    }

    let url: URL
    let destination: URL
    private let resumeFile: URL
    private let storage = Mutex(Storage())

    init(_ url: URL, to destination: URL) {
        self.url = url
        self.destination = destination
        resumeFile = destination.appendingPathExtension("resume")
    }

    var name: String { destination.lastPathComponent }
    var state: State { storage.withLock { $0.state } }

    var bar: ProgressBar {
        storage.withLock { storage in
            let seconds = storage.began.duration(to: .now) / .seconds(1)
            let rate = seconds > 0.2 ? Double(storage.completed - storage.offset) / seconds : nil
            return ProgressBar(label: name, completed: storage.completed, total: storage.total, rate: rate)
        }
    }

    // MARK: Control

    func start(with manager: SessionManager, resumes: Int, onEnd: @escaping @Sendable (Download) -> Void) {
        if FileManager.default.fileExists(atPath: destination.path) {
            end(.present)
            return onEnd(self)
        }
        let resumeData = try? Data(contentsOf: resumeFile)
        let progress: @Sendable (Progress) -> Void = { [self] in note($0.completedUnitCount, of: $0.totalUnitCount) }
        let place = DownloadDestination.file(destination)
        let end: @Sendable (DownloadResponse) -> Void = { [self] response in
            if response.error?.code == .invalidResumeData {
                // The file belongs to another program, or has a version that this one cannot read.
                removeResumeFile()
                return start(with: manager, resumes: resumes, onEnd: onEnd)
            }
            finish(response.error)
            onEnd(self)
        }
        let request = URLRequest(url: url)
        let task =
            if let resumeData {
                manager.downloadTask(
                    withResumeData: resumeData,
                    request: request,
                    options: CallOptions(downloadProgress: progress),
                    maximumResumptions: resumes,
                    to: place,
                    completionHandler: end
                )
            } else {
                manager.downloadTask(
                    with: request,
                    options: CallOptions(downloadProgress: progress),
                    maximumResumptions: resumes,
                    to: place,
                    completionHandler: end
                )
            }
        storage.withLock { storage in
            storage.state = .running
            storage.task = task
        }
        task.resume()
    }

    /// Ends the download so that it can be resumed later.
    func interrupt() {
        storage.withLock { $0.task }?.cancel { _ in }
    }

    // MARK: Events

    /// Notes that the download continues where an earlier one has stopped.
    func resumed(at offset: Int64) {
        storage.withLock { storage in
            storage.offset = offset
            storage.completed = offset
            storage.began = .now
        }
    }

    func isOf(_ task: DownloadTask) -> Bool { storage.withLock { $0.task === task } }

    private func note(_ completed: Int64, of total: Int64) {
        let task = storage.withLock { storage -> DownloadTask? in
            storage.completed = completed
            storage.total = total
            let now = ContinuousClock.now
            if let noted = storage.noted, noted.duration(to: now) < .seconds(1) { return nil }
            storage.noted = now
            return storage.task
        }
        if let data = task?.resumeData { write(data) }
    }

    private func finish(_ error: LarkspurError?) {
        guard let error else {
            removeResumeFile()
            return end(.done)
        }
        // Without new resume data the stored data stays, because it is still valid if the server is only temporarily
        // out of order.
        if let data = error.resumeData { write(data) }
        end(error.code == .cancelled ? .interrupted : .failed(error.message))
    }

    private func end(_ state: State) {
        storage.withLock { storage in
            storage.state = state
            storage.task = nil
        }
    }

    // MARK: The file with the resume data

    private func write(_ resumeData: Data) {
        do {
            try resumeData.write(to: resumeFile, options: .atomic)
        } catch {
            FileHandle.standardError.write(Data("\(resumeFile.path) could not be written: \(error)\n".utf8))
        }
    }

    private func removeResumeFile() {
        // The file may never have existed.
        try? FileManager.default.removeItem(at: resumeFile)
    }
}
