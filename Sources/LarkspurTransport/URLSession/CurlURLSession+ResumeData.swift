#if canImport(FoundationNetworking)
/// Further uses of resume data, besides ``CurlURLSession/downloadTask(withResumeData:)``.
///
/// Resume data is a small document that outlives the process. It holds the URL and the fields of the request, the
/// validator of the file's version (a strong `ETag`, or a `Last-Modified` that serves as one), the file's length, and
/// the path of the partial file. It does not hold the user and password of the URL, nor fields whose names suggest
/// secrets (`Authorization`, `Cookie`, anything with "token", "key" and the like). It does hold the query of the URL
/// unchanged: protect resume data as you protect the query.
///
/// The partial file belongs to the owner of the resume data. A resumed download uses it up, and
/// ``discardResumeData(_:)`` removes it.
extension CurlURLSession {
    /// Creates a task that continues another download with the given request.
    ///
    /// The request supplies the values that resume data does not contain, such as credentials or a newly signed URL.
    /// The task adds `Range` and `If-Range` to it. If the server's file or the partial file has changed, the download
    /// starts over. If the data is not resume data of a ``CurlURLSession``, the task fails with the code
    /// `unsupportedURL`. The task is suspended until `resume()` is called. Its delegate is called on the delegate
    /// queue.
    /// - Parameters:
    ///   - request: The request to send, a GET.
    ///   - resumeData: The resume data of an earlier download of the same file.
    public func downloadTask(with request: URLRequest, resumeData: Data) -> URLSessionDownloadTask {
        CurlDownloadTask(core.makeTask(withResumeData: resumeData, request: request, completion: nil), of: self)
    }

    /// Whether data is complete and consistent resume data of a ``CurlURLSession``. The partial file is not checked.
    /// - Parameter data: Any data.
    public static func isResumeData(_ data: Data) -> Bool { ResumeData(data) != nil }

    /// Returns the request in resume data, which lacks credentials; nil if the data is not resume data.
    package static func request(ofResumeData data: Data) -> URLRequest? { ResumeData(data)?.request }

    /// Removes the partial file of resume data, unless a download is using it. The data is useless afterwards.
    /// - Parameter resumeData: The resume data. Other data has no effect.
    public static func discardResumeData(_ resumeData: Data) {
        if let resumption = ResumeData(resumeData) { DownloadFile.discardLeftFile(at: resumption.file) }
    }

    /// Removes partial files of downloads that were not continued, because their process was killed or their resume
    /// data was lost.
    ///
    /// The method does not remove files of running downloads, whatever their process, of other users, or of other
    /// programs. A download whose partial file was removed starts over. The method runs on the caller's thread.
    /// - Parameters:
    ///   - folder: The folder to search; nothing is removed through a symbolic link. Default: nil, the temporary
    ///     folder, to which downloads are written unless ``EngineOptions/partialDownloadFolder`` is set.
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
    /// The data with which a later process can continue this download; nil while there is none, and for tasks that are
    /// not a ``CurlURLSession``'s own.
    ///
    /// Reading it does not affect the download. It is available as soon as the response has arrived. All bytes that the
    /// file has when the download is resumed count, also those that were written after the data was read. The data
    /// becomes useless if the download starts over with another version of the file, so store it again from time to
    /// time. While the task runs, its file is locked: another download from the data starts over.
    /// runs, its file is locked, and another download from the data starts over.
    public var currentResumeData: Data? { (self as? CurlDownloadTask)?.core.currentResumeData }
}
#endif
