import Larkspur
import Synchronization

/// One run of the program, which downloads all files at once until each download has ended.
final class Run: Sendable {
    private let manager: SessionManager
    private let downloads: [Download]
    private let display: Display
    private let resumes: Int
    private let group = DispatchGroup()
    private let isInterrupted = Mutex(false)

    /// - Parameter urls: The URLs to download. The name of each file is the last part of the URL's path.
    init(_ urls: [URL], to folder: URL, resumes: Int) {
        manager = SessionManager(transport: .keepingDownloads(in: folder))
        downloads = Self.names(of: urls).map { url, name in
            Download(url, to: folder.appendingPathComponent(name, isDirectory: false))
        }
        display = Display(downloads)
        self.resumes = resumes
        manager.hooks.didResumeDownload = { [downloads, display] task, offset, total in
            guard let download = downloads.first(where: { $0.isOf(task) }) else { return }
            download.resumed(at: offset)
            display.say("goes on at byte \(offset) of \(total)", of: download)
        }
    }

    /// Runs to the end, and returns the exit status: 0 if all files are there, 130 after an interruption, otherwise 1.
    func run() -> Int32 {
        let timer = DispatchSource.makeTimerSource()
        timer.setEventHandler { [display] in display.draw() }
        timer.schedule(deadline: .now(), repeating: 0.1)
        timer.resume()
        for download in downloads {
            group.enter()
            download.start(with: manager, resumes: resumes) { [display, group] download in
                display.say(Display.text(of: download), of: download)
                group.leave()
            }
        }
        // The interruption may have come before all downloads had started.
        if isInterrupted.withLock({ $0 }) { interrupt() }
        group.wait()
        timer.cancel()
        display.draw()
        if isInterrupted.withLock({ $0 }) { return 130 }
        return downloads.allSatisfy(\.isThere) ? 0 : 1
    }

    /// Ends all downloads so that a later run can resume them.
    func interrupt() {
        isInterrupted.withLock { $0 = true }
        for download in downloads { download.interrupt() }
    }

    /// Returns a unique file name for each URL.
    private static func names(of urls: [URL]) -> [(URL, String)] {
        var used: Set<String> = []
        return urls.map { url in
            let last = url.lastPathComponent
            let base = last.isEmpty || last == "/" || last == "." || last == ".." ? "index" : last
            var name = base.replacing("/", with: "_")
            var count = 1
            while !used.insert(name).inserted {
                count += 1
                name = "\(base)-\(count)"
            }
            return (url, name)
        }
    }
}

extension Download {
    var isThere: Bool {
        switch state {
        case .done, .present: true
        default: false
        }
    }
}
