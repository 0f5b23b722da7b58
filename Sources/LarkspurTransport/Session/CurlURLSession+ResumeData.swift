#if canImport(FoundationNetworking)
/// What resume data is good for besides ``CurlURLSession/downloadTask(withResumeData:)``.
///
/// Resume data is a small document that outlives the process. It holds the URL and the fields of the request, what tells the version of the file (a strong `ETag`, or a
/// `Last-Modified` that serves as one), its length, and the path of its beginning. User and password of the URL, and fields whose names speak of secrets (`Authorization`,
/// `Cookie`, anything with "token", "key" and the like) are left out. The query of the URL is there as it was, so keep resume data as private as that.
///
/// The file with the beginning belongs to who has the resume data. Resuming uses it up; ``discardResumeData(_:)`` removes it.
extension CurlURLSession {
    /// Makes a task that goes on with what another download has left, by a request of the caller's.
    ///
    /// The request says what resume data does not hold, such as credentials, or a URL that was signed anew; `Range` and `If-Range` are added to it.
    /// - Parameters:
    ///   - request: What to send, a GET.
    ///   - resumeData: What a download of the same file has left.
    public func downloadTask(with request: URLRequest, resumeData: Data) -> URLSessionDownloadTask {
        CurlDownloadTask(core.makeTask(withResumeData: resumeData, request: request, completion: nil), of: self)
    }

    /// Whether data is resume data of a ``CurlURLSession``'s, whole and consistent. Nothing is said of the file with the beginning.
    /// - Parameter data: Whatever it is.
    public static func isResumeData(_ data: Data) -> Bool { ResumeData(data) != nil }

    /// Removes the file that resume data speaks of, unless a download is using it. Nothing else can be done with the data then.
    /// - Parameter resumeData: Resume data; with anything else, nothing happens.
    public static func discardResumeData(_ resumeData: Data) {
        guard let resumption = ResumeData(resumeData) else { return }
        DownloadFile(resumption, of: nil)?.discard()
    }
}
#endif
