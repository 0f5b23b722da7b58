#if canImport(FoundationNetworking)
/// The state of a download: its file, and the earlier download that it continues.
struct DownloadState {
    /// The file; nil until there is content, or an earlier file.
    var file: DownloadFile?
    /// The data with which another download could continue the file; nil if none could.
    @Boxed var resumption: ResumeData?
    /// Whether the search for the file of an earlier download has been made.
    var isPrepared = false
    /// Whether the request asks for the part after the content of the file.
    var asksForRest = false
    /// The final length of the file; nil if the response does not announce it.
    var end: Int64?
    /// The closure that receives the resume data of a download that was cancelled resumably.
    var resumeDataHandler: Delivery.ResumeDataHandler?

    /// Continues without the file.
    mutating func leaveFile() {
        file = nil
        asksForRest = false
        resumption = nil
        end = nil
    }
}
#endif
