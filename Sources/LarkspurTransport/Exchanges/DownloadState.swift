#if canImport(FoundationNetworking)
/// The state of a download: its file, and the earlier download that it continues.
struct DownloadState {
    /// The file; nil until there is content, or a file of an earlier download.
    var file: DownloadFile?
    /// The data with which another download could continue the file; nil if no download could.
    @Boxed var resumption: ResumeData?
    /// Whether the file of an earlier download was looked for.
    var isPrepared = false
    /// Whether the request asks for the part of the representation after the file's content.
    var asksForRest = false
    /// The length of the file after this response; nil if the response does not announce it.
    var end: Int64?
    /// The closure that receives the resume data of a download that was cancelled resumably.
    var resumeDataHandler: Delivery.ResumeDataHandler?

    /// Continues without the current file.
    mutating func leaveFile() {
        file = nil
        asksForRest = false
        resumption = nil
        end = nil
    }
}
#endif
