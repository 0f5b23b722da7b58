#if canImport(FoundationNetworking)
/// The uses of resume data in addition to ``CurlURLSession/downloadTask(withResumeData:)``.
///
/// Resume data is a small document that outlives the process. It holds the URL and the fields of the request, the
/// validator of the file's version (a strong `ETag`, or a `Last-Modified` that serves as one), the file's length, and
/// the path of its beginning. User and password of the URL, and fields whose names suggest secrets (`Authorization`,
/// `Cookie`, anything with "token", "key" and the like) are left out. The query of the URL is included unchanged, so
/// keep resume data as private as the query.
///
/// The file with the beginning belongs to the owner of the resume data. A resumed download uses it up;
/// ``discardResumeData(_:)`` removes it.
extension CurlURLSession {
    /// Creates a task that continues another download, with a request of the caller's.
    ///
    /// The request supplies values that resume data does not contain, such as credentials or a newly signed URL. The
    /// task adds `Range` and `If-Range` to it. If the file on the server or its local beginning has changed, the
    /// download starts over. Data that is not resume data of a ``CurlURLSession`` fails the task with the code
    /// `unsupportedURL`. The task is suspended until `resume()` is called, and its delegate is called on the delegate
    /// queue.
    /// - Parameters:
    ///   - request: The request to send, a GET.
    ///   - resumeData: The resume data of an earlier download of the same file.
    public func downloadTask(with request: URLRequest, resumeData: Data) -> URLSessionDownloadTask {
        CurlDownloadTask(core.makeTask(withResumeData: resumeData, request: request, completion: nil), of: self)
    }

    /// Whether data is resume data of a ``CurlURLSession``, complete and consistent. The file with the beginning is not
    /// checked.
    /// - Parameter data: Any data.
    public static func isResumeData(_ data: Data) -> Bool { ResumeData(data) != nil }

    /// Returns the request in resume data, which has no credentials; nil for any other data.
    package static func request(ofResumeData data: Data) -> URLRequest? { ResumeData(data)?.request }

    /// Removes the file that resume data belongs to, unless a download is using it. The data is useless afterwards.
    /// - Parameter resumeData: The resume data; any other data has no effect.
    public static func discardResumeData(_ resumeData: Data) {
        if let resumption = ResumeData(resumeData) { DownloadFile.discardLeftFile(at: resumption.file) }
    }

    /// Removes the beginnings of downloads that were not continued: those of killed processes, and those whose resume
    /// data was discarded.
    ///
    /// Files of running downloads are not removed, in whichever process they run, nor other users' files, nor files
    /// that are not the engine's. A download from resume data whose file was removed starts over. The method runs on
    /// the caller's thread.
    /// - Parameters:
    ///   - folder: The folder to search; nothing is removed through a symbolic link. Default: nil, the temporary
    ///     folder, where downloads are written without a ``EngineOptions/partialDownloadFolder``.
    ///   - age: The time since the last write after which a file is removed, in seconds, such as 86,400 for a day. If
    ///     it is not a number, nothing is removed.
    /// - Returns: The number of files that were removed.
    @discardableResult
    public static func discardPartialDownloads(in folder: URL? = nil, unwrittenFor age: TimeInterval) -> Int {
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
    /// The data to continue this download if the process ends before it does; nil while there is none, and for tasks
    /// that are not a ``CurlURLSession``'s own.
    ///
    /// Reading it does not affect the download. Store the data, and a later process can resume with it: all bytes that
    /// the file then has count. The data is available as soon as the response has arrived. It becomes useless when the
    /// download starts over with another version of the file, so store it again from time to time. As long as the task
    /// runs, its file is locked, and another download from the data starts over.
    public var currentResumeData: Data? { (self as? CurlDownloadTask)?.core.currentResumeData }
}
#endif
