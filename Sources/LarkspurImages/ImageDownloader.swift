import HTTPSyntax
import Synchronization

/// A downloader of images. Requests for the same image at the same time share one download, and the number of
/// concurrent downloads is limited.
///
///     let downloader = ImageDownloader()
///     downloader.download(URLRequest(url: url)) { response in
///         print(response.value ?? "no image")
///     }
///
/// The downloader first looks for an image in its cache in memory. Otherwise it loads the image with a
/// `SessionManager`, whose configuration may also have an HTTP cache. Requests are equal if their URL, method, header
/// fields, body and cache policy are equal. Equal requests share a running download. Every completion handler is called
/// exactly once, on ``completionQueue``, even after a cancellation, and even if the session manager is invalidated. A
/// downloader that is released still finishes its downloads.
public final class ImageDownloader: Sendable {
    /// A closure that receives the image or the error. `response` is nil if the image is from the cache in memory.
    public typealias CompletionHandler = @Sendable (DataResponse<Image>) -> Void

    /// The order in which waiting downloads start.
    public enum Prioritization: Sendable, Hashable, CaseIterable {
        /// The download that has waited longest starts first.
        case firstInFirstOut
        /// The download that was added last starts first.
        case lastInFirstOut
    }

    /// A shared downloader with the defaults.
    public static let shared = ImageDownloader()

    /// The session manager that makes the requests.
    public let manager: SessionManager
    /// The serializer that validates the responses and converts them into images.
    public let serializer: ImageResponseSerializer
    /// The cache in memory; nil for none.
    public let cache: (any ImageCache)?
    /// The order in which waiting downloads start.
    public let prioritization: Prioritization
    /// The maximum number of concurrent downloads.
    public let maximumActiveDownloads: Int
    /// The queue on which completion handlers run. It is the session manager's completion queue at the time when the
    /// downloader was created.
    public let completionQueue: DispatchQueue

    private let queue: Mutex<ImageDownloadQueue<CompletionHandler>>

    /// Creates a downloader that uses a session manager.
    /// - Parameters:
    ///   - manager: The session manager that makes the requests. Its completion group is entered for each waiting
    ///     caller. Default: a session manager with ``makeConfiguration(cacheDirectory:)``.
    ///   - serializer: The serializer that validates the responses and converts them into images. Default:
    ///     ``ImageResponseSerializer``.
    ///   - prioritization: The order in which waiting downloads start. Default: ``Prioritization/firstInFirstOut``.
    ///   - maximumActiveDownloads: The maximum number of concurrent downloads, at least 1. Default: 4.
    ///   - cache: The cache in memory; nil for none. Default: a new ``AutoPurgingImageCache``.
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

    /// Returns a configuration for images. Its HTTP cache has 20 MiB in memory and, if there is a folder, 150 MiB on
    /// disk.
    /// - Parameter cacheDirectory: The folder for the cache's files. It must not contain other files. Default: nil, for
    ///   a cache only in memory.
    public static func makeConfiguration(cacheDirectory: URL? = nil) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.default
        configuration.urlCache = makeURLCache(
            memoryCapacity: 20 << 20,
            diskCapacity: 150 << 20,
            directory: cacheDirectory
        )
        return configuration
    }

    /// Creates an HTTP cache for a configuration.
    /// - Parameter directory: The folder for its files; nil for none.
    private static func makeURLCache(memoryCapacity: Int, diskCapacity: Int, directory: URL?) -> URLCache {
        #if canImport(FoundationNetworking)
        HTTPCache(memoryCapacity: memoryCapacity, diskCapacity: diskCapacity, directory: directory)
        #else
        URLCache(
            memoryCapacity: memoryCapacity,
            diskCapacity: directory == nil ? 0 : diskCapacity,
            directory: directory
        )
        #endif
    }

    // MARK: Downloading

    /// Downloads an image, or takes it from the cache in memory.
    ///
    /// The cache in memory is used only if the request's cache policy allows cached responses.
    /// - Parameters:
    ///   - request: The request. If it has no URL, the download ends with the error `invalidURL`.
    ///   - receiptID: The identifier of the receipt. If another waiting caller has the same identifier, the receipt
    ///     gets a new one. Default: a new identifier.
    ///   - completionHandler: Called once, on ``completionQueue``.
    /// - Returns: The receipt for ``cancel(_:)``; nil if there is nothing to cancel, because the image is in memory or
    ///   the request has no URL.
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

    /// Ends the wait of one caller. The caller's completion handler gets the error `cancelled`, unless the handler has
    /// been called or is about to be called. The download continues for other waiting callers. If there are none, the
    /// download is cancelled.
    /// - Parameter receipt: The receipt that ``download(_:receiptID:completionHandler:)`` returned.
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
            let task = manager.dataTask(with: request, as: serializer) { [self] response in
                finish(number, with: response)
            }
            let isWanted = queue.withLock { $0.attach(task, to: number) }
            if isWanted { task.resume() } else { task.cancel() }
        }
    }

    /// Ends a download. Called once for each download that has started.
    private func finish(_ number: Int, with response: DataResponse<Image>) {
        if let (request, handlers) = queue.withLock({ $0.finish(number) }) {
            // The image is cached before the handlers run, so that a handler that repeats the request gets it from the
            // cache.
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

    /// Returns a handler that leaves the session manager's group after its call. A wait for the group therefore
    /// includes the handlers of downloads that have not started.
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
    /// Whether the cache policy allows an image from the cache in memory.
    fileprivate var mayComeFromMemory: Bool {
        switch cachePolicy {
        case .useProtocolCachePolicy, .returnCacheDataElseLoad, .returnCacheDataDontLoad: true
        default: false
        }
    }
}

extension ImageDownloader {
    /// Downloads an image, or takes it from the cache in memory.
    ///
    /// If the waiting task is cancelled, only this wait ends, with the error `cancelled`.
    /// - Parameter request: The request.
    /// - Throws: `LarkspurError`, if the download fails or is cancelled.
    public func image(for request: URLRequest) async throws(LarkspurError) -> Image {
        try await response(for: request).result.get()
    }

    /// Downloads an image, or takes it from the cache in memory. Returns the whole response, which also shows where the
    /// image is from.
    ///
    /// If the waiting task is cancelled, only this wait ends, with the error `cancelled`.
    /// - Parameter request: The request.
    /// - Returns: The response that ``download(_:receiptID:completionHandler:)`` passes to its completion handler.
    public func response(for request: URLRequest) async -> DataResponse<Image> {
        let id = UUID()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let receipt = download(request, receiptID: id) { continuation.resume(returning: $0) }
                // If the task was cancelled earlier, `onCancel` ran before the download was added, and found nothing to
                // cancel.
                if let receipt, Task.isCancelled { cancel(receipt) }
            }
        } onCancel: {
            cancel(ImageDownloadReceipt(id: id))
        }
    }
}

/// The receipt of one caller for a download. Other callers may share the download. The receipt is passed to
/// ``ImageDownloader/cancel(_:)``.
public struct ImageDownloadReceipt: Sendable, Hashable, Identifiable {
    /// The identifier that the caller passed, or a new identifier if another waiting caller has the same one.
    public let id: UUID
}

/// The identity of a request: URL, method, header fields and body. The response may depend on each of them.
struct RequestIdentity: Hashable, Sendable {
    private let url: String
    private let method: String
    private let fields: [String: String]
    private let body: Data?

    /// Creates the identity of a request; nil if the request has no URL, or if its body is a stream. A request with a
    /// stream is equal to no other request.
    init?(_ request: URLRequest) {
        guard let url = request.url, request.httpBodyStream == nil else { return nil }
        self.url = url.absoluteString
        method = request.httpMethod ?? "GET"
        fields = (request.allHTTPHeaderFields ?? [:]).reduce(into: [:]) { $0[$1.key.lowercased()] = $1.value }
        body = request.httpBody
    }
}
