/// The queue of downloads: the downloads, the callers that wait for each, and the order in which they start. It is a
/// value without I/O.
///
/// A download counts as active from ``next()`` to ``finish(_:)``, even if no caller waits for it any more, because its
/// connection is in use until its task has ended.
struct ImageDownloadQueue<Waiter: Sendable>: Sendable {
    /// The key of a download. Requests with equal keys share one download.
    struct Key: Hashable, Sendable {
        let identity: RequestIdentity
        let cachePolicy: URLRequest.CachePolicy
    }

    private struct Download {
        let request: URLRequest
        let key: Key?
        /// The callers that wait, in the order of their calls.
        var waiters: [(id: UUID, waiter: Waiter)]
        var task: DataTask?
    }

    private let prioritization: ImageDownloader.Prioritization
    private let maximumActiveDownloads: Int
    private var downloads: [Int: Download] = [:]
    private var downloadOfKey: [Key: Int] = [:]
    private var downloadOfWaiter: [UUID: Int] = [:]
    /// The downloads that have not started, in the order in which they were added. A download that was removed since is
    /// skipped.
    private var waiting: [Int] = []
    private var waitingStart = 0
    private var nextNumber = 0
    private(set) var activeCount = 0

    init(prioritization: ImageDownloader.Prioritization, maximumActiveDownloads: Int) {
        self.prioritization = prioritization
        self.maximumActiveDownloads = max(1, maximumActiveDownloads)
    }

    /// Adds a caller that waits for an image, to the equal download or to a new one.
    /// - Parameter id: The identifier of the caller. It is replaced if another waiting caller has the same.
    /// - Returns: The identifier with which the wait can be cancelled.
    mutating func add(_ request: URLRequest, id: UUID, waiter: Waiter) -> UUID {
        let id = downloadOfWaiter[id] == nil ? id : UUID()
        let key = RequestIdentity(request).map { Key(identity: $0, cachePolicy: request.cachePolicy) }
        if let key, let number = downloadOfKey[key] {
            downloads[number]?.waiters.append((id, waiter))
            downloadOfWaiter[id] = number
            return id
        }
        let number = nextNumber
        nextNumber += 1
        downloads[number] = Download(request: request, key: key, waiters: [(id, waiter)])
        if let key { downloadOfKey[key] = number }
        downloadOfWaiter[id] = number
        forgetGone()
        waiting.append(number)
        return id
    }

    /// Returns the next download that may start now, if any, and counts it as active.
    mutating func next() -> (number: Int, request: URLRequest)? {
        guard activeCount < maximumActiveDownloads else { return nil }
        while let number = takeWaiting() {
            guard let download = downloads[number] else { continue }
            activeCount += 1
            return (number, download.request)
        }
        return nil
    }

    /// Records the task of a download that has started. Returns false if no caller waits for it any more, so that the
    /// task must be cancelled.
    mutating func attach(_ task: DataTask, to number: Int) -> Bool {
        guard downloads[number] != nil else { return false }
        downloads[number]?.task = task
        return true
    }

    /// Records that the task of a download has ended, so that another download may start.
    /// - Returns: The request and the callers that wait for it; nil if there are none any more.
    mutating func finish(_ number: Int) -> (request: URLRequest, waiters: [Waiter])? {
        activeCount -= 1
        return remove(number).map { ($0.request, $0.waiters.map(\.waiter)) }
    }

    /// Removes a caller. The last caller of a download also removes the download.
    /// - Returns: The caller that was removed, and the task to cancel, if any; nil if no caller has the identifier.
    mutating func cancel(_ id: UUID) -> (waiter: Waiter, request: URLRequest, task: DataTask?)? {
        guard let number = downloadOfWaiter[id], let download = downloads[number],
            let index = download.waiters.firstIndex(where: { $0.id == id })
        else { return nil }
        downloadOfWaiter[id] = nil
        let waiter = download.waiters[index].waiter
        downloads[number]?.waiters.remove(at: index)
        guard download.waiters.count == 1 else { return (waiter, download.request, nil) }
        remove(number)
        return (waiter, download.request, download.task)
    }

    @discardableResult
    private mutating func remove(_ number: Int) -> Download? {
        guard let download = downloads.removeValue(forKey: number) else { return nil }
        for (id, _) in download.waiters { downloadOfWaiter[id] = nil }
        if let key = download.key { downloadOfKey[key] = nil }
        return download
    }

    /// Drops the numbers of removed downloads. Many downloads may be added and cancelled while none can start.
    private mutating func forgetGone() {
        guard waiting.count - waitingStart > 2 * downloads.count + 64 else { return }
        waiting = waiting[waitingStart...].filter { downloads[$0] != nil }
        waitingStart = 0
    }

    private mutating func takeWaiting() -> Int? {
        guard waitingStart < waiting.count else {
            waiting = []
            waitingStart = 0
            return nil
        }
        switch prioritization {
        case .lastInFirstOut:
            return waiting.popLast()
        case .firstInFirstOut:
            let number = waiting[waitingStart]
            waitingStart += 1
            // Numbers that were taken are dropped from time to time, so that a queue that is never empty does not grow.
            if waitingStart > 64, waitingStart * 2 > waiting.count {
                waiting.removeFirst(waitingStart)
                waitingStart = 0
            }
            return number
        }
    }
}
