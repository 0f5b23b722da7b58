#if canImport(FoundationNetworking)
extension URLError {
    /// The key of the resume data in an error's user info: `NSURLSessionDownloadTaskResumeData`, as on Apple platforms.
    public static let downloadTaskResumeDataKey = URLSessionDownloadTaskResumeData

    /// The resume data of a failed download; nil if there is none, or if the server could not tell that it is still the
    /// same file.
    public var downloadTaskResumeData: Data? { errorUserInfo[Self.downloadTaskResumeDataKey] as? Data }

    func adding(resumeData: Data) -> URLError {
        var info = errorUserInfo
        info[Self.downloadTaskResumeDataKey] = resumeData
        return URLError(code, userInfo: info)
    }
}
#endif
