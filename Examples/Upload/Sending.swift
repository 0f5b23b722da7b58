import Larkspur
import LarkspurActivity
import Synchronization

/// One upload of several files in one form.
struct Sending {
    private let files: [URL]
    private let url: URL
    private let bytesPerSecond: Int?

    init(_ files: [URL], to url: URL, bytesPerSecond: Int?) {
        self.files = files
        self.url = url
        self.bytesPerSecond = bytesPerSecond
    }

    /// Uploads the files. Returns whether the upload succeeded.
    func run() -> Bool {
        let manager = SessionManager()
        let began = ContinuousClock.now
        let hasSucceeded = Atomic(false)
        manager.post(
            url.absoluteString,
            parameters: ["count": files.count],
            body: .multipart { form in
                form.bytesPerSecond = bytesPerSecond
                for file in files { try form.append(file: file, name: "file") }
            },
            options: CallOptions(uploadProgress: { progress in
                let seconds = began.duration(to: .now) / .seconds(1)
                ProgressBar(
                    label: "upload",
                    completed: progress.completedUnitCount,
                    total: progress.totalUnitCount,
                    rate: seconds > 0.2 ? Double(progress.completedUnitCount) / seconds : nil
                ).draw(isLast: progress.isFinished)
            }),
            as: .string,
            success: { _, text in
                hasSucceeded.store(true, ordering: .relaxed)
                print(text.prefix(4000))
            },
            failure: { _, error in
                FileHandle.standardError.write(Data("\(error)\n".utf8))
            }
        )
        manager.completionGroup.wait()
        return hasSucceeded.load(ordering: .relaxed)
    }
}
