#if canImport(FoundationNetworking)
/// What resume data is good for besides ``CurlURLSession/downloadTask(withResumeData:)``.
///
/// Resume data is a small document that outlives the process. It holds the URL and the fields of the request, what
/// tells the version of the file (a strong `ETag`, or a `Last-Modified` that serves as one), its length, and the path
/// of its beginning. User and password of the URL, and fields whose names speak of secrets (`Authorization`, `Cookie`,
/// anything with "token", "key" and the like) are left out. The query of the URL is there as it was, so keep resume
/// data as private as that.
///
/// The file with the beginning belongs to who has the resume data. Resuming uses it up; ``discardResumeData(_:)``
/// removes it.
extension CurlURLSession {
    /// Makes a task that goes on with what another download has left, by a request of the caller's.
    ///
    /// The request says what resume data does not hold, such as credentials, or a URL that was signed anew; `Range` and
    /// `If-Range` are added to it.
    /// - Parameters:
    ///   - request: What to send, a GET.
    ///   - resumeData: What a download of the same file has left.
    public func downloadTask(with request: URLRequest, resumeData: Data) -> URLSessionDownloadTask {
        CurlDownloadTask(core.makeTask(withResumeData: resumeData, request: request, completion: nil), of: self)
    }

    /// Whether data is resume data of a ``CurlURLSession``'s, whole and consistent. Nothing is said of the file with
    /// the beginning.
    /// - Parameter data: Whatever it is.
    public static func isResumeData(_ data: Data) -> Bool { ResumeData(data) != nil }

    /// Removes the file that resume data speaks of, unless a download is using it. Nothing else can be done with the
    /// data then.
    /// - Parameter resumeData: Resume data; with anything else, nothing happens.
    public static func discardResumeData(_ resumeData: Data) {
        if let resumption = ResumeData(resumeData) { DownloadFile.discardLeftFile(at: resumption.file) }
    }

    /// Removes the beginnings of downloads that nobody has gone on with: what processes have left that were killed, and
    /// what belonged to resume data that was thrown away.
    ///
    /// The file of a running download is left alone, whichever process it is of, and so are other users' files and
    /// everything that is not the engine's. Resume data that speaks of a removed file makes a download begin anew.
    /// Works on the caller's thread.
    /// - Parameters:
    ///   - folder: Where to look; nothing is removed through a symbolic link. Default: nil, the temporary folder, where
    ///     downloads are written without a ``Options/partialDownloadFolder``.
    ///   - age: How long nothing was written to a file that is removed, in seconds, such as 86,400 for a day. What is
    ///     not a number removes nothing.
    /// - Returns: How many files were removed.
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
#endif
