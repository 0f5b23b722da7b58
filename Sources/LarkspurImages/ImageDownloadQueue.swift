/// The queue of downloads, with the callers that wait for each download. It decides which download starts next. It is a
/// value without I/O.
///
/// A download is active from ``next()`` to ``finish(_:)``, even if its callers no longer wait, because its task still
/// uses a connection. A caller's handler is called when the caller is taken out of the queue, and therefore once.
struct ImageDownloadQueue<Waiter: Sendable>: Sendable {
    /// The key of a download. Requests with equal keys share one download.
    struct Key: Hashable, Sendable {
        let identity: RequestIdentity
        let cachePolicy: URLRequest.CachePolicy
    }

    private struct Download {
        let request: URLRequest
        let key: Key?
        /// The callers that wait, by their identifiers.
        var waiters: [UUID: Place] = [:]
        var task: DataTask?
    }

    private struct Place {
        let waiter: Waiter
        /// The position of the call in the order of all calls.
        let number: Int
    }

    private let prioritization: ImageDownloader.Prioritization
    private let maximumActiveDownloads: Int
    private var downloads: [Int: Download] = [:]
    private var downloadOfKey: [Key: Int] = [:]
    private var downloadOfWaiter: [UUID: Int] = [:]
    /// The downloads that have not started, in the order in which they were added. Downloads that were removed in the
    /// meantime are skipped.
    private var waiting: [Int] = []
    private var waitingStart = 0
    private var nextNumber = 0
    private var nextPlace = 0
    private(set) var activeCount = 0

    init(prioritization: ImageDownloader.Prioritization, maximumActiveDownloads: Int) {
        self.prioritization = prioritization
        self.maximumActiveDownloads = max(1, maximumActiveDownloads)
    }

    /// Adds a waiting caller to an equal download, or to a new one.
    /// - Parameter id: The identifier of the caller. A new one is used if another waiting caller has the same
    ///   identifier.
    /// - Returns: The identifier of the caller, by which the wait can be cancelled.
    mutating func add(_ request: URLRequest, id: UUID, waiter: Waiter) -> UUID {
        let id = downloadOfWaiter[id] == nil ? id : UUID()
        let key = RequestIdentity(request).map { Key(identity: $0, cachePolicy: request.cachePolicy) }
        let place = Place(waiter: waiter, number: nextPlace)
        nextPlace += 1
        if let key, let number = downloadOfKey[key] {
            downloads[number]?.waiters[id] = place
            downloadOfWaiter[id] = number
            return id
        }
        let number = nextNumber
        nextNumber += 1
        downloads[number] = Download(request: request, key: key, waiters: [id: place])
        if let key { downloadOfKey[key] = number }
        downloadOfWaiter[id] = number
        forgetGone()
        waiting.append(number)
        return id
    }

    /// Returns the next download and marks it as active; nil if none can start now.
    mutating func next() -> (number: Int, request: URLRequest)? {
        guard activeCount < maximumActiveDownloads else { return nil }
        while let number = takeWaiting() {
            guard let download = downloads[number] else { continue }
            activeCount += 1
            return (number, download.request)
        }
        return nil
    }

    /// Records the task of a download that has started. Returns false if no caller waits any more. The task must then
    /// be cancelled.
    mutating func attach(_ task: DataTask, to number: Int) -> Bool {
        guard downloads[number] != nil else { return false }
        downloads[number]?.task = task
        return true
    }

    /// Records that the task of a download has ended, so that another download may start.
    /// - Returns: The request and the waiting callers, in the order of their calls; nil if no caller waits any more.
    mutating func finish(_ number: Int) -> (request: URLRequest, waiters: [Waiter])? {
        activeCount -= 1
        return remove(number).map { download in
            (download.request, download.waiters.values.sorted { $0.number < $1.number }.map(\.waiter))
        }
    }

    /// Removes a caller. The download is removed with its last caller.
    /// - Returns: The caller, the request, and the task to cancel if there is one; nil if no caller has the identifier.
    mutating func cancel(_ id: UUID) -> (waiter: Waiter, request: URLRequest, task: DataTask?)? {
        guard let number = downloadOfWaiter.removeValue(forKey: id),
            let waiter = downloads[number]?.waiters.removeValue(forKey: id)?.waiter, let download = downloads[number]
        else { return nil }
        guard download.waiters.isEmpty else { return (waiter, download.request, nil) }
        remove(number)
        return (waiter, download.request, download.task)
    }

    @discardableResult
    private mutating func remove(_ number: Int) -> Download? {
        guard let download = downloads.removeValue(forKey: number) else { return nil }
        for id in download.waiters.keys { downloadOfWaiter[id] = nil }
        if let key = download.key { downloadOfKey[key] = nil }
        return download
    }

    /// Discards the numbers of removed downloads, because many may be added and cancelled while no download can start.
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
            // Discarded from time to time, because a queue that is never empty would otherwise grow.
            if waitingStart > 64, waitingStart * 2 > waiting.count {
                waiting.removeFirst(waitingStart)
                waitingStart = 0
            }
            return number
        }
    }
}
