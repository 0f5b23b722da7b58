#if canImport(FoundationNetworking)
/// The state of a download: its file, and the earlier download that it goes on with.
struct DownloadState {
    /// Nil until there is content, or an earlier file.
    var file: DownloadFile?
    /// The data from which another download could go on with the file; nil where none could.
    var resumption: ResumeData?
    /// Whether the file of an earlier download was looked for.
    var isPrepared = false
    /// Whether the request asks for the part after the content of the file.
    var asksForRest = false
    /// The length of the file in the end; nil where the response does not say.
    var end: Int64?
    /// The closure that gets the resume data of a download that was cancelled to go on later.
    var resumeDataHandler: Delivery.ResumeDataHandler?

    /// Goes on without the file.
    mutating func leaveFile() {
        file = nil
        asksForRest = false
        resumption = nil
        end = nil
    }
}
#endif
