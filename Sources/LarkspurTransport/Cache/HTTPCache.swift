#if canImport(FoundationNetworking)
/// A private HTTP cache (RFC 9111) for a session's configuration, in memory and, if it is given a folder, on disk.
///
/// Set it as `urlCache` of a configuration, or for all default configurations as `URLCache.shared`. ``CurlURLSession``
/// fills and reads it; the methods below look into it and change it. Its entries belong to full URLs and to the request
/// fields that `Vary` names. Those that were not used for the longest time give way to new ones. A response whose
/// content is larger than a twentieth of the larger capacity is not kept.
///
/// Files are written under other names and renamed when they are whole, carry a checksum, and may be read by nobody but
/// their owner. Several processes may use one folder at the same time; each finds the others' entries when it opens it,
/// and knows of none that they store later. Every method may be called on any thread.
public final class HTTPCache: URLCache, @unchecked Sendable {
    // Safe: the store is a constant and locks what changes in it; nothing of the superclass's is used.
    let entries: EntryStore

    /// Makes a cache.
    /// - Parameters:
    ///   - memoryCapacity: How many bytes it may take in memory. Default: 4 MiB.
    ///   - diskCapacity: How many bytes its files may take together. Default: 20 MiB; without a folder it has no
    ///     effect.
    ///   - directory: The folder for its files, for nothing else, which is made where there is none; entries that are
    ///     there already count. One that belongs to another user of the system is not used. Default: nil, in memory
    ///     only.
    public init(memoryCapacity: Int = 4 << 20, diskCapacity: Int = 20 << 20, directory: URL? = nil) {
        entries = EntryStore(memoryCapacity: memoryCapacity, diskCapacity: diskCapacity, directory: directory)
        // A folder that cannot be made: with nil or another one it would make one that is never used.
        super.init(memoryCapacity: 0, diskCapacity: 0, diskPath: "/dev/null")
    }

    /// Makes a cache.
    /// - Parameters:
    ///   - memoryCapacity: How many bytes it may take in memory.
    ///   - diskCapacity: How many bytes its files may take together.
    ///   - path: The folder for its files; nil for none, unlike the superclass, which then chooses one.
    public convenience override init(memoryCapacity: Int, diskCapacity: Int, diskPath path: String?) {
        self.init(
            memoryCapacity: memoryCapacity,
            diskCapacity: diskCapacity,
            directory: path.map { URL(fileURLWithPath: $0, isDirectory: true) }
        )
    }

    // MARK: Sizes

    /// The number of bytes that it may take in memory.
    public override var memoryCapacity: Int {
        get { entries.memoryCapacity }
        set { entries.memoryCapacity = newValue }
    }

    /// The number of bytes that its files may take together.
    public override var diskCapacity: Int {
        get { entries.diskCapacity }
        set { entries.diskCapacity = newValue }
    }

    /// The number of bytes that it takes in memory, roughly.
    public override var currentMemoryUsage: Int { entries.memoryUsage }

    /// The number of bytes that its files take together, as far as they are known; waits for writes under way, so that
    /// a program may ask before it ends.
    public override var currentDiskUsage: Int { entries.diskUsage }

    // MARK: Entries

    /// What is kept for a request's URL and fields, fresh or not; may wait for the disk.
    /// - Parameter request: A request, whose method does not count.
    public override func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
        guard let key = request.url.flatMap(CacheEntry.key) else { return nil }
        let fields = CacheRequestFields(own: request.allHTTPHeaderFields ?? [:])
        let candidates = entries.entries(for: key).filter { $0.matches(fields) }
        return candidates.max { $0.responseTime < $1.responseTime }?.cachedResponse(withMetadata: false)
    }

    /// Keeps a response for a request, as if it had come just now; only HTTP responses can be kept. Its user info stays
    /// in memory.
    /// - Parameters:
    ///   - cachedResponse: The response, its content without content codings, and where it may be kept.
    ///   - request: A GET for the URL of the response.
    public override func storeCachedResponse(_ cachedResponse: CachedURLResponse, for request: URLRequest) {
        guard cachedResponse.storagePolicy != .notAllowed, let key = request.url.flatMap(CacheEntry.key),
            request.httpMethod == "GET", let response = cachedResponse.response as? HTTPURLResponse,
            cachedResponse.data.count <= entries.maximumContentSize
        else { return }
        var entry = CacheEntry(
            response,
            content: cachedResponse.data,
            url: key,
            request: CacheRequestFields(own: request.allHTTPHeaderFields ?? [:])
        )
        entry?.isMemoryOnly = cachedResponse.storagePolicy == .allowedInMemoryOnly
        entry?.userInfo = cachedResponse.userInfo.map { CacheEntry.UserInfo($0) }
        if let entry { entries.store(entry) }
    }

    /// Removes everything that is kept for a request's URL, whatever its fields; not what other processes have stored
    /// since the folder was opened.
    public override func removeCachedResponse(for request: URLRequest) {
        if let key = request.url.flatMap(CacheEntry.key) { entries.remove(key) }
    }

    /// Removes everything, files of other processes included.
    public override func removeAllCachedResponses() { entries.removeAll() }

    /// Removes what has come, or was last validated, since a date.
    public override func removeCachedResponses(since date: Date) { entries.removeAll(since: date) }
}
#endif
