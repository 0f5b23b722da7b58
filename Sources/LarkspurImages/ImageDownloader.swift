import Synchronization

/// Downloads images: each once, however many ask for it at the same time, and so many at once.
///
///     let downloader = ImageDownloader()
///     downloader.download(URLRequest(url: url)) { response in
///         print(response.value ?? "no image")
///     }
///
/// An image is looked for in the cache in memory first, then loaded through a ``SessionManager``, whose configuration
/// may have an HTTP cache besides. Requests are equal if their URL, method, header fields, body and cache policy are;
/// those that are under way are one download. Every completion handler is called exactly once, on ``completionQueue``,
/// also under cancellation and when the session manager is invalidated. A downloader that is released finishes its
/// downloads first.
public final class ImageDownloader: Sendable {
    /// Gets the image, or what went wrong. Where the image is from the cache in memory there is no `response`.
    public typealias CompletionHandler = @Sendable (DataResponse<Image>) -> Void

    /// Which of the downloads that wait is next.
    public enum Prioritization: Sendable, Hashable, CaseIterable {
        /// The one that has waited longest.
        case firstInFirstOut
        /// The one that came last.
        case lastInFirstOut
    }

    /// A downloader for all, with the defaults.
    public static let shared = ImageDownloader()

    /// What makes the requests.
    public let manager: SessionManager
    /// Validates the responses and makes images of them.
    public let serializer: ImageResponseSerializer
    /// Keeps images in memory; nil for none.
    public let cache: (any ImageCache)?
    /// Which of the downloads that wait is next.
    public let prioritization: Prioritization
    /// How many downloads are under way at once.
    public let maximumActiveDownloads: Int
    /// Where completion handlers run: the session manager's queue at the time when the downloader was made.
    public let completionQueue: DispatchQueue

    private let queue: Mutex<ImageDownloadQueue<CompletionHandler>>

    /// Makes a downloader on a session manager.
    /// - Parameters:
    ///   - manager: What makes the requests; its completion group is entered for each image that somebody waits for.
    ///     Default: one with ``makeConfiguration(cacheDirectory:)``.
    ///   - serializer: Validates the responses and makes images of them. Default: ``ImageResponseSerializer``.
    ///   - prioritization: Which of the downloads that wait is next. Default: the one that has waited longest.
    ///   - maximumActiveDownloads: How many downloads are under way at once, at least 1. Default: 4.
    ///   - cache: Keeps images in memory; nil for none. Default: an ``AutoPurgingImageCache`` of its own.
    public init(
        manager: SessionManager = SessionManager(configuration: ImageDownloader.makeConfiguration()),
        serializer: ImageResponseSerializer = ImageResponseSerializer(),
        prioritization: Prioritization = .firstInFirstOut,
        maximumActiveDownloads: Int = 4,
        cache: (any ImageCache)? = AutoPurgingImageCache()
    ) {
        self.manager = manager
        self.serializer = serializer
        self.cache = cache
        self.prioritization = prioritization
        self.maximumActiveDownloads = max(1, maximumActiveDownloads)
        completionQueue = manager.completionQueue
        queue = Mutex(
            ImageDownloadQueue(prioritization: prioritization, maximumActiveDownloads: maximumActiveDownloads)
        )
    }

    /// A configuration for images: with an HTTP cache of 20 MiB in memory and, in a folder, 150 MiB on disk.
    /// - Parameter cacheDirectory: The folder for the cache's files, for nothing else. Default: nil, in memory only.
    public static func makeConfiguration(cacheDirectory: URL? = nil) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.default
        configuration.urlCache = Platform.makeURLCache(
            memoryCapacity: 20 << 20,
            diskCapacity: 150 << 20,
            directory: cacheDirectory
        )
        return configuration
    }

    // MARK: Downloading

    /// Downloads an image, or takes it from the cache in memory.
    ///
    /// That cache is asked only if the request's cache policy lets responses from caches be used.
    /// - Parameters:
    ///   - request: The request. One without a URL ends with the error `invalidURL`.
    ///   - receiptID: The identifier of the receipt; replaced by another if it is that of somebody who waits. Default:
    ///     a new one.
    ///   - completionHandler: Called once, on ``completionQueue``.
    /// - Returns: What to cancel it with; nil if there is nothing to be cancelled, because the image is in memory or
    ///   there is no URL.
    @discardableResult
    public func download(
        _ request: URLRequest,
        receiptID: UUID = UUID(),
        completionHandler: @escaping CompletionHandler
    ) -> ImageDownloadReceipt? {
        let handler = inGroup(completionHandler)
        guard request.url != nil else {
            deliver(.failure(LarkspurError(.invalidURL, "The request has no URL")), of: request, to: handler)
            return nil
        }
        if request.mayComeFromMemory, let image = cache?.image(for: request, identifier: nil) {
            deliver(.success(image), of: request, to: handler)
            return nil
        }
        let id = queue.withLock { $0.add(request, id: receiptID, waiter: handler) }
        startNext()
        return ImageDownloadReceipt(id: id)
    }

    /// Ends the wait of one caller, whose completion handler gets the error `cancelled`, unless it has been or is about
    /// to be called already. The download goes on for the others who wait for it, and is cancelled if there are none.
    /// - Parameter receipt: What ``download(_:receiptID:completionHandler:)`` returned.
    public func cancel(_ receipt: ImageDownloadReceipt) {
        guard let (handler, request, task) = queue.withLock({ $0.cancel(receipt.id) }) else { return }
        deliver(
            .failure(LarkspurError(.cancelled, "The download of the image was cancelled.")),
            of: request,
            to: handler
        )
        task?.cancel()
    }

    // MARK: Steps

    private func startNext() {
        while let (number, request) = queue.withLock({ $0.next() }) {
            let task = manager.dataTask(with: request, serializer: serializer) { [self] response in
                finish(number, with: response)
            }
            let isWanted = queue.withLock { $0.attach(task, to: number) }
            if isWanted { task.resume() } else { task.cancel() }
        }
    }

    /// Called once for each download that has begun.
    private func finish(_ number: Int, with response: DataResponse<Image>) {
        if let (request, handlers) = queue.withLock({ $0.finish(number) }) {
            // Before anybody hears of it, so that whoever asks again then gets it from there.
            if let image = response.value, let cache, cache.shouldCache(image, for: request, identifier: nil) {
                cache.add(image, for: request, identifier: nil)
            }
            for handler in handlers { completionQueue.async { handler(response) } }
        }
        startNext()
    }

    private func deliver(
        _ result: Result<Image, LarkspurError>,
        of request: URLRequest,
        to handler: @escaping CompletionHandler
    ) {
        let response = DataResponse(
            request: request,
            response: nil,
            data: (try? result.get())?.data ?? Data(),
            timeline: Timeline(),
            result: result.mapError { $0.filled(request: request, response: nil, responseData: nil) }
        )
        completionQueue.async { handler(response) }
    }

    /// Has whoever waits for the session manager's group wait for a handler too, also while its download has not begun.
    private func inGroup(_ handler: @escaping CompletionHandler) -> CompletionHandler {
        let group = manager.completionGroup
        group.enter()
        return { response in
            handler(response)
            group.leave()
        }
    }
}

extension URLRequest {
    /// Whether an image that is in memory may be the answer.
    fileprivate var mayComeFromMemory: Bool {
        switch cachePolicy {
        case .useProtocolCachePolicy, .returnCacheDataElseLoad, .returnCacheDataDontLoad: true
        default: false
        }
    }
}
