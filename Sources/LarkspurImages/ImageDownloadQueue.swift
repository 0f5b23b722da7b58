/// Which downloads there are, who waits for each, and which may begin: a value without I/O.
///
/// A download takes one of the places from ``next()`` to ``finish(_:)``, also when nobody waits for it any more, as its
/// connection is in use until its task has ended.
struct ImageDownloadQueue<Waiter: Sendable>: Sendable {
    /// What makes downloads equal, so that they are one.
    struct Key: Hashable, Sendable {
        let identity: RequestIdentity
        let cachePolicy: URLRequest.CachePolicy
    }

    private struct Download {
        let request: URLRequest
        let key: Key?
        /// In the order in which they came.
        var waiters: [(id: UUID, waiter: Waiter)]
        var task: DataTask?
    }

    private let prioritization: ImageDownloader.Prioritization
    private let maximumActiveDownloads: Int
    private var downloads: [Int: Download] = [:]
    private var downloadOfKey: [Key: Int] = [:]
    private var downloadOfWaiter: [UUID: Int] = [:]
    /// Those that have not begun, in the order in which they came; a download that is gone by now is passed over.
    private var waiting: [Int] = []
    private var waitingStart = 0
    private var nextNumber = 0
    private(set) var activeCount = 0

    init(prioritization: ImageDownloader.Prioritization, maximumActiveDownloads: Int) {
        self.prioritization = prioritization
        self.maximumActiveDownloads = max(1, maximumActiveDownloads)
    }

    /// Somebody wants an image: waits for the equal download, or for a new one.
    /// - Parameter id: Kept, unless another who waits has the same.
    /// - Returns: The identifier to cancel it with.
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

    /// The next download that may begin now, if there is one; it has a place from here on.
    mutating func next() -> (number: Int, request: URLRequest)? {
        guard activeCount < maximumActiveDownloads else { return nil }
        while let number = takeWaiting() {
            guard let download = downloads[number] else { continue }
            activeCount += 1
            return (number, download.request)
        }
        return nil
    }

    /// Notes the task of a download that has begun; false if nobody waits for it any more, so that it is to be
    /// cancelled.
    mutating func attach(_ task: DataTask, to number: Int) -> Bool {
        guard downloads[number] != nil else { return false }
        downloads[number]?.task = task
        return true
    }

    /// The task of a download has ended; its place is free.
    /// - Returns: The request, and those who wait for it; nil if nobody does any more.
    mutating func finish(_ number: Int) -> (request: URLRequest, waiters: [Waiter])? {
        activeCount -= 1
        return remove(number).map { ($0.request, $0.waiters.map(\.waiter)) }
    }

    /// Somebody does not wait any more. The last one of a download takes it away.
    /// - Returns: The one who waited, and the task to be cancelled; nil if nobody waited.
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

    /// Many may come and be cancelled while none can begin.
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
            // What is passed is dropped now and then, so that a queue that is never empty does not grow.
            if waitingStart > 64, waitingStart * 2 > waiting.count {
                waiting.removeFirst(waitingStart)
                waitingStart = 0
            }
            return number
        }
    }
}
