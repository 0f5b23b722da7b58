#if canImport(FoundationNetworking)
import HTTPSyntax

extension CurlURLSession {
    /// A snapshot of the session's connections and requests, with one value for each origin that has any. The values
    /// are sorted by origin.
    ///
    /// It is computed on the session's thread when the property is read, and has no cost otherwise. A session whose
    /// thread has ended has no connections. Reading the property does not keep connections open.
    ///
    ///     for origin in await session.connections {
    ///         print(origin.origin, origin.busy, "of", origin.open, "connections are in use")
    ///     }
    public var connections: [OriginConnections] {
        get async {
            guard core.loop.isRunning else { return [] }
            return await withCheckedContinuation { continuation in
                core.loop.post(.snapshot { continuation.resume(returning: $0) })
            }
        }
    }
}

extension CurlURLSession {
    /// Opens connections to the origin of a URL before they are needed, and waits until they are open.
    ///
    ///     try await session.connect(to: url)
    ///
    /// Connections that are open already count, whether they have requests or not. So do connections that other
    /// requests are just opening; the method does not wait for these. With HTTP/2 or HTTP/3, one connection is enough
    /// for any count. A connection stays open until ``EngineOptions/idleConnectionTime`` has passed or the server
    /// closes it.
    ///
    /// For each connection, the session sends a HEAD request to the path `/`, because libcurl cannot use a connection
    /// again on which it has sent nothing. The request has no cookies and no credentials for the server. Its response
    /// is ignored: any status will do, redirects are not followed, and nothing is stored. The route is that of other
    /// requests: the same proxies, addresses, TLS settings, HSTS rules, limits and timeouts. A challenge of a proxy is
    /// answered.
    /// - Parameters:
    ///   - url: A URL with the scheme http, https, http+unix or https+unix. Its path and query are not sent.
    ///   - count: The number of connections that shall be open, at most `httpMaximumConnectionsPerHost` of the
    ///     configuration. Default: 1.
    /// - Throws: A `URLError` if a connection cannot be opened, as for a request; `unsupportedURL` for other schemes.
    ///   If several connections are opened, the method first waits for all of them.
    public func connect(to url: URL, count: Int = 1) async throws {
        try await connect(to: url, count: count, requestTimeout: nil, connectTimeout: nil)
    }

    /// - Parameters:
    ///   - requestTimeout: The time without a byte after which a request fails, in seconds; nil for the timeout of the
    ///     configuration.
    ///   - connectTimeout: The maximum time for opening a connection, in seconds; nil for no limit.
    package func connect(
        to url: URL,
        count: Int,
        requestTimeout: TimeInterval?,
        connectTimeout: TimeInterval?
    ) async throws {
        guard let root = url.rootOfOrigin else {
            throw URLError.engine(.unsupportedURL, "No connection can be opened to this URL.", url: url)
        }
        var request = URLRequest(url: core.settings.secured(root) ?? root)
        request.httpMethod = "HEAD"
        request.httpShouldHandleCookies = false
        if let requestTimeout { request.timeoutInterval = requestTimeout }
        let missing = await missingConnections(to: request.url ?? root, of: count)
        guard missing > 0 else { return }
        let options = connectTimeout.map { TransferOptions(connectTimeout: $0) }
        let failures = await withTaskGroup(of: (any Error)?.self) { [request] group in
            for _ in 0..<missing {
                group.addTask {
                    do { try await self.openConnection(with: request, options) } catch { return error }
                    return nil
                }
            }
            return await group.reduce(into: [any Error]()) { if let failure = $1 { $0.append(failure) } }
        }
        if let failure = failures.first { throw failure }
    }

    /// The number of requests that have to be sent so that a number of connections is open. Each opens a connection,
    /// unless the origin uses HTTP/2.
    private func missingConnections(to url: URL, of count: Int) async -> Int {
        let wanted = min(count, core.settings.maximumConnectionsPerHost, core.settings.totalConnections ?? .max)
        let name = ExchangeGroup.displayed(Destination(url).origin)
        guard let known = await connections.first(where: { $0.origin == name }) else { return wanted }
        // A request that has a place, but no connection yet, uses one of the connections or opens one.
        let present = max(known.idle + known.busy, known.activeRequests) - known.webSockets
        let isShared = known.protocolName.map { $0 == "h2" || $0 == "h3" } ?? false
        return isShared ? min(wanted, 1 - present) : wanted - present
    }

    private func openConnection(with request: URLRequest, _ options: TransferOptions?) async throws {
        _ = try await AsyncTransfer<URLResponse>.run(delegate: nil) { finish in
            let task = core.makeTask(
                kind: .data,
                request: request,
                body: .none,
                completion: .data { _, response, error in finish(AsyncTransfer.outcome(response, error)) },
                opensConnection: true
            )
            if let options { task.withStorage { $0.options = options } }
            return CurlDataTask(task, of: self)
        }
    }
}

extension URL {
    /// The URL with the path `/`, and without user information, query and fragment; nil if it has no host, or a scheme
    /// without connections to open.
    fileprivate var rootOfOrigin: URL? {
        let reference = URLReference(absoluteString)
        let schemes = ["http", "https"] + UnixSocketTarget.schemes
        guard let scheme = reference.scheme?.inLowercase, schemes.contains(scheme),
            let host = reference.authority?.parts(separatedBy: "@", omittingEmptyParts: false).last, !host.isEmpty
        else { return nil }
        return URL(string: "\(scheme)://\(host)/")
    }
}

extension CurlURLSession {
    /// The session's thread as an executor of Swift tasks, for `withTaskExecutorPreference` and
    /// `Task(executorPreference:)`. It is always the same object.
    ///
    /// If a Swift task awaits many small responses, it needs no switches between threads on this executor. But while
    /// the code of the task runs, no transfer of the session advances, so the code must be short. It may wait for the
    /// session only by `await`. A semaphore or `DispatchGroup.wait()` would wait forever.
    ///
    /// Jobs run even after the session was invalidated or released. If no thread can be started, they run on the global
    /// executor.
    public var executor: any TaskExecutor { core.executor }
}

extension CurlURLSession {
    // MARK: The libcurl of the process

    /// Makes the engine use the libcurl in a file, for example a file that is delivered with the program. By default,
    /// the engine uses the libcurl that the process has loaded.
    ///
    /// Call this method at the start of the program. A process uses only one libcurl. It decides which one when it
    /// creates its first session, or reads a property such as ``isAvailable``. If the process already uses the libcurl
    /// in this file, the call has no effect. The environment variable `LARKSPUR_LIBCURL` has the same effect as this
    /// method, and has precedence. If it specifies another file, this method throws.
    ///
    /// The engine then searches for OpenSSL, zlib, Brotli, Zstandard and libpsl among the libraries on which this
    /// libcurl depends. Foundation's own sessions still use the libcurl with which FoundationNetworking was linked.
    ///
    /// If the method throws ``LibcurlChoiceError/Reason/fileUnusable``, no libcurl is chosen. If the program continues,
    /// it uses the default libcurl.
    /// - Parameter file: The library, such as `/opt/mytool/lib/libcurl.so.4`.
    public static func useLibcurl(at file: URL) throws(LibcurlChoiceError) { try Libcurl.choose(file) }

    /// Whether ``useLibcurl(at:)`` or the environment has specified the file of libcurl.
    package static var isLibcurlNamed: Bool { Libcurl.isNamed }
}

/// Further uses of resume data, in addition to ``CurlURLSession/downloadTask(withResumeData:)``.
///
/// Resume data is a small document that a later process can use. It contains the URL and the fields of the request, the
/// validator of the file's version (a strong `ETag`, or a `Last-Modified` that is a strong validator), the file's
/// length, and the path of the partial file. It does not contain the user and password of the URL. It also does not
/// contain fields whose names suggest secrets: `Authorization`, `Cookie`, and names with words such as "token" or
/// "key". It contains the query of the URL unchanged, so protect resume data as you protect the query.
///
/// The partial file belongs to the owner of the resume data. A resumed download takes over the file.
/// ``discardResumeData(_:)`` removes the file.
extension CurlURLSession {
    /// Creates a task that continues another download with the given request.
    ///
    /// The request supplies the values that resume data does not contain, such as credentials or a newly signed URL.
    /// The task adds `Range` and `If-Range` to the request. If the server's file or the partial file has changed, the
    /// download starts again from the beginning. If the data is not resume data of a ``CurlURLSession``, the task fails
    /// with the code `unsupportedURL`. The task is suspended until `resume()` is called. Its delegate is called on the
    /// delegate queue.
    /// - Parameters:
    ///   - request: The request to send, a GET.
    ///   - resumeData: The resume data of an earlier download of the same file.
    public func downloadTask(with request: URLRequest, resumeData: Data) -> URLSessionDownloadTask {
        CurlDownloadTask(core.makeTask(withResumeData: resumeData, request: request, completion: nil), of: self)
    }

    /// Whether data is complete and consistent resume data of a ``CurlURLSession``. The partial file is not checked.
    /// - Parameter data: Any data.
    public static func isResumeData(_ data: Data) -> Bool { ResumeData(data) != nil }

    /// Returns the request that resume data contains. Returns nil if the data is not resume data. The request has no
    /// credentials.
    package static func request(ofResumeData data: Data) -> URLRequest? { ResumeData(data)?.request }

    /// Removes the partial file of resume data, unless a download uses the file. The data is then useless.
    /// - Parameter resumeData: The resume data. Other data has no effect.
    public static func discardResumeData(_ resumeData: Data) {
        if let resumption = ResumeData(resumeData) { DownloadFile.discardLeftFile(at: resumption.file) }
    }

    /// Removes partial files of downloads that were not continued. For example, the process of the download was killed,
    /// or its resume data was lost.
    ///
    /// The method does not remove files of running downloads, even if the downloads run in another process. It also
    /// does not remove files of other users, or files that this engine has not written. If the partial file of a
    /// download was removed, the download starts again from the beginning. The method runs on the caller's thread.
    /// - Parameters:
    ///   - folder: The folder to search. If it is a symbolic link, nothing is removed. Default: nil, the temporary
    ///     folder. Downloads are written to it if ``EngineOptions/partialDownloadFolder`` is not set.
    ///   - age: The time since the last write of a file after which the file is removed, such as `.seconds(86_400)`.
    /// - Returns: The number of files that were removed.
    @discardableResult
    public static func discardPartialDownloads(in folder: URL? = nil, unwrittenFor age: Duration) -> Int {
        if let folder, DownloadFile.isLink(folder) { return 0 }
        let folder = folder ?? FileManager.default.temporaryDirectory
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.count { name in
            let path = folder.appendingPathComponent(name, isDirectory: false).path
            return DownloadFile.discardLeftFile(at: path, unwrittenFor: age)
        }
    }
}

extension URLSessionDownloadTask {
    /// The data with which a later process can continue this download. Nil while there is no such data, and for tasks
    /// that the engine of a ``CurlURLSession`` does not perform.
    ///
    /// Reading this property does not affect the download. The data is available as soon as the response has arrived. A
    /// resumed download uses all bytes of the partial file, including bytes that were written after the property was
    /// read. If the download starts again with another version of the file, the data becomes useless. So read the
    /// property from time to time, and store the new data. While the task runs, its file is locked. If another download
    /// uses the data during this time, it starts from the beginning.
    public var currentResumeData: Data? { (self as? CurlDownloadTask)?.core.currentResumeData }
}
#endif
