#if canImport(FoundationNetworking)
/// A delegate as each of the protocols to which it may conform. The conformances are looked up once, because a look-up
/// for each call would be expensive.
struct Delegates: Sendable {
    let task: (any URLSessionTaskDelegate)?
    let data: (any URLSessionDataDelegate)?
    let download: (any URLSessionDownloadDelegate)?

    init(_ delegate: (any URLSessionDelegate)?) {
        task = delegate as? any URLSessionTaskDelegate
        data = delegate as? any URLSessionDataDelegate
        download = delegate as? any URLSessionDownloadDelegate
    }
}

/// The delegate of a task, and the objects that are passed to it.
struct Listener {
    let delegates: Delegates
    let session: any SessionObject
    let task: URLSessionTask

    var dataTask: URLSessionDataTask? { task as? URLSessionDataTask }
    var downloadTask: URLSessionDownloadTask? { task as? URLSessionDownloadTask }
}
#endif
