#if canImport(FoundationNetworking)
/// A private HTTP cache (RFC 9111) for a session's configuration, in memory and, if it has a folder, on disk.
///
/// Set it as `urlCache` of a configuration, or for all default configurations as `URLCache.shared`. ``CurlURLSession``
/// fills and reads it; the methods below inspect and change it. Its entries belong to full URLs and to the request
/// fields that `Vary` names. The least recently used entries are removed for new ones. A response whose content is
/// larger than a twentieth of the larger capacity is not stored.
///
/// Files are written under other names and renamed when they are complete. They carry a checksum, and only their owner
/// may read them. Several processes may use one folder at the same time; each finds the others' entries when it opens
/// the folder, and does not see those that they store later. Every method may be called on any thread.
public final class HTTPCache: URLCache, @unchecked Sendable {
    // Safe: the store is a constant and locks its changing state; nothing of the superclass is used.
    let entries: EntryStore

    /// Creates a cache.
    /// - Parameters:
    ///   - memoryCapacity: The number of bytes that it may take in memory. Default: 4 MiB.
    ///   - diskCapacity: The number of bytes that its files may take together. Default: 20 MiB; without a folder it has
    ///     no effect.
    ///   - directory: The folder for its files, used for nothing else. It is created if it does not exist; existing
    ///     entries count. A folder that belongs to another user of the system is not used. Default: nil, in memory
    ///     only.
    public init(memoryCapacity: Int = 4 << 20, diskCapacity: Int = 20 << 20, directory: URL? = nil) {
        entries = EntryStore(memoryCapacity: memoryCapacity, diskCapacity: diskCapacity, directory: directory)
        // A path that cannot be created: with nil or another path, the superclass would create a folder that is never
        // used.
        super.init(memoryCapacity: 0, diskCapacity: 0, diskPath: "/dev/null")
    }

    /// Creates a cache.
    /// - Parameters:
    ///   - memoryCapacity: The number of bytes that it may take in memory.
    ///   - diskCapacity: The number of bytes that its files may take together.
    ///   - path: The path of the folder for its files; nil for none, unlike the superclass, which then chooses one.
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

    /// The approximate number of bytes that it takes in memory.
    public override var currentMemoryUsage: Int { entries.memoryUsage }

    /// The number of bytes that its known files take together. It waits for writes under way, so that a program can
    /// read it before it ends.
    public override var currentDiskUsage: Int { entries.diskUsage }

    // MARK: Entries

    /// Returns the stored response for a request's URL and fields, fresh or not; nil if there is none. It may wait for
    /// the disk.
    /// - Parameter request: A request, whose method is ignored.
    public override func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
        guard let key = request.url.flatMap(CacheEntry.key) else { return nil }
        let fields = CacheRequestFields(own: request.allHTTPHeaderFields ?? [:])
        let candidates = entries.entries(for: key).filter { $0.matches(fields) }
        return candidates.max { $0.responseTime < $1.responseTime }?.cachedResponse(withMetadata: false)
    }

    /// Stores a response for a request, as if it had arrived just now. Only HTTP responses can be stored. Its user info
    /// stays in memory.
    /// - Parameters:
    ///   - cachedResponse: The response, with its content without content codings, and its storage policy.
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

    /// Removes all stored responses for a request's URL, whatever the fields; not those that other processes have
    /// stored since the folder was opened.
    public override func removeCachedResponse(for request: URLRequest) {
        if let key = request.url.flatMap(CacheEntry.key) { entries.remove(key) }
    }

    /// Removes all stored responses, including files of other processes.
    public override func removeAllCachedResponses() { entries.removeAll() }

    /// Removes the responses that arrived, or were last validated, after a date.
    public override func removeCachedResponses(since date: Date) { entries.removeAll(since: date) }
}
#endif
