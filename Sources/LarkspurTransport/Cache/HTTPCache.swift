#if canImport(FoundationNetworking)
import HTTPSyntax

/// A private HTTP cache (RFC 9111) for a session's configuration, in memory and, if a folder is given, on disk.
///
/// Set it as `urlCache` of a configuration, or as `URLCache.shared` for all default configurations. ``CurlURLSession``
/// stores responses in it and reads them. The methods below inspect and change it. An entry belongs to a full URL and
/// to the request fields that `Vary` names. If there is no room for a new entry, the least recently used entries are
/// removed. A response is not stored if its content is larger than a twentieth of the larger capacity.
///
/// Files are written under temporary names, and renamed when they are complete. They have a checksum, and only their
/// owner may read them. Several processes may use one folder at the same time. A process finds the entries that other
/// processes stored before it opened the folder, but not the entries that they store later. Every method may be called
/// on any thread.
public final class HTTPCache: URLCache, @unchecked Sendable {
    // Safe: the store is a constant that locks its changing state. The superclass's own state is not used.
    let entries: EntryStore

    /// Creates a cache.
    /// - Parameters:
    ///   - memoryCapacity: The capacity in memory, in bytes. Default: 4 MiB.
    ///   - diskCapacity: The capacity on disk, in bytes; without effect if there is no folder. Default: 20 MiB.
    ///   - directory: The folder for the files, which must not be used for anything else. If the folder does not exist,
    ///     it is created. Entries that are already in it are used. A folder that belongs to another user of the system
    ///     is not used. Default: nil, in memory only.
    public init(memoryCapacity: Int = 4 << 20, diskCapacity: Int = 20 << 20, directory: URL? = nil) {
        entries = EntryStore(memoryCapacity: memoryCapacity, diskCapacity: diskCapacity, directory: directory)
        // This path cannot be created. With nil or another path, the superclass would create a folder that it never
        // uses.
        super.init(memoryCapacity: 0, diskCapacity: 0, diskPath: "/dev/null")
    }

    /// Creates a cache.
    /// - Parameters:
    ///   - memoryCapacity: The capacity in memory, in bytes.
    ///   - diskCapacity: The capacity on disk, in bytes.
    ///   - path: The path of the folder for the files; nil for none. With nil, the superclass would choose a folder.
    public convenience override init(memoryCapacity: Int, diskCapacity: Int, diskPath path: String?) {
        self.init(
            memoryCapacity: memoryCapacity,
            diskCapacity: diskCapacity,
            directory: path.map { URL(fileURLWithPath: $0, isDirectory: true) }
        )
    }

    // MARK: Sizes

    /// The capacity in memory, in bytes.
    public override var memoryCapacity: Int {
        get { entries.memoryCapacity }
        set { entries.memoryCapacity = newValue }
    }

    /// The capacity on disk, in bytes.
    public override var diskCapacity: Int {
        get { entries.diskCapacity }
        set { entries.diskCapacity = newValue }
    }

    /// The approximate number of bytes in memory.
    public override var currentMemoryUsage: Int { entries.memoryUsage }

    /// The number of bytes in known files. Reading it waits for pending writes, so that the value is final.
    public override var currentDiskUsage: Int { entries.diskUsage }

    // MARK: Entries

    /// Returns the stored response for a request's URL and fields, even if it is stale; nil if there is none. May wait
    /// for the disk.
    /// - Parameter request: A request. Its method is ignored.
    public override func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
        guard let key = request.url.flatMap(CacheEntry.key) else { return nil }
        let fields = CacheRequestFields(own: request.allHTTPHeaderFields ?? [:])
        let candidates = entries.entries(for: key).filter { $0.matches(fields) }
        return candidates.max { $0.responseTime < $1.responseTime }?.cachedResponse(withMetadata: false)
    }

    /// Stores a response for a request, as if it had just arrived. Only HTTP responses are stored. Their user info
    /// stays in memory.
    /// - Parameters:
    ///   - cachedResponse: The response, its storage policy, and its content without content codings.
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

    /// Removes all stored responses for a request's URL, regardless of the request's fields. Does not remove entries
    /// that other processes have stored since the folder was opened.
    public override func removeCachedResponse(for request: URLRequest) {
        if let key = request.url.flatMap(CacheEntry.key) { entries.remove(key) }
    }

    /// Removes all stored responses, including files of other processes.
    public override func removeAllCachedResponses() { entries.removeAll() }

    /// Removes the responses that arrived or were last validated after a date.
    public override func removeCachedResponses(since date: Date) { entries.removeAll(since: date) }
}

/// A response that is stored if the delegate agrees.
struct CacheProposal: Sendable {
    let entry: CacheEntry
    let request: URLRequest
    let destination: any ResponseStore
    /// The revalidation that has produced the response; nil if a caller has requested the response.
    var revalidation: Revalidation?

    /// Stores the entry unchanged.
    func store() { destination.store(entry, for: request) }

    /// Stores the delegate's version of the response. If it is nil, stores nothing.
    func accept(_ answer: CachedURLResponse?) {
        guard let answer, answer.storagePolicy != .notAllowed, answer.data.count <= destination.maximumContentSize
        else {
            // The server has sent a newer response. So the stored response is outdated and must be removed.
            return destination.remove(entry.url)
        }
        var entry = entry
        entry.content = answer.data
        entry.isMemoryOnly = answer.storagePolicy == .allowedInMemoryOnly
        if let response = answer.response as? HTTPURLResponse {
            entry.status = response.statusCode
            entry.fields = CacheEntry.storedFields(of: response.textFields)
            entry.mayBeUsedByDefault = true
        }
        entry.userInfo = answer.userInfo.map { CacheEntry.UserInfo($0) }
        destination.store(entry, for: request)
    }
}

/// A revalidation of a cached response by the session itself. While this object exists, the session does not begin
/// another revalidation of the same URL. For this reason, the code that may still store the new response retains this
/// object.
final class Revalidation: Sendable {
    let url: String

    init(of url: String) { self.url = url }
}
#endif
