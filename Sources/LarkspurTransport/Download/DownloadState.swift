#if canImport(FoundationNetworking)
/// Where a download stands.
struct DownloadState {
    /// What the content of the file lets another download go on from; nil where none could.
    var resumption: ResumeData?
    /// Whether what an earlier download has left was looked for.
    var isPrepared = false
    /// Whether the request asks for what follows the content of the file.
    var asksForRest = false
    /// How long the file has to be in the end; nil where the response does not say.
    var end: Int64?
    /// Who cancelled to go on later, and gets the resume data.
    var resumeDataHandler: Delivery.ResumeDataHandler?
}
#endif
