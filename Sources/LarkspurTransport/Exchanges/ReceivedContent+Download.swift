#if canImport(FoundationNetworking)
/// The file of a download.
extension ReceivedContent {
    func openFile() throws(URLError) -> DownloadFile {
        if let file = download.file { return file }
        let file = try DownloadFile(of: url, in: group.settings.downloadFolder)
        download.file = file
        return file
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(URLError) {
        let file = try openFile()
        if let end = download.end, Int64(bytes.count) > end - file.length {
            throw .engine(.badServerResponse, "The server sends more than the part that it announced.", url: url)
        }
        try file.write(bytes)
    }

    /// Prepares for content that is appended to the file of an earlier download.
    func append(end: Int64, total: Int64) {
        guard let file = download.file else { return }
        download.end = end
        download.resumption?.total = total
        let offset = file.length
        task.noteResumption(download.resumption, received: offset)
        task.count { $0.expectedToReceive = total }
        if task.tellsDownload { group.outbox.deliver(.resumed(at: offset, expected: total), to: task) }
    }

    /// Continues without the file of an earlier download.
    func leaveFile(discarding: Bool) {
        if discarding { download.file?.discard() } else { download.file?.close() }
        // A download that starts again uses another file, because resume data that was stored earlier belongs to the
        // bytes of the old file.
        download.leaveFile()
        task.noteResumption(nil, received: 0)
    }

    /// Records the resume data that the response makes possible.
    func noteResumption(after response: HTTPURLResponse, file: DownloadFile) {
        guard !incoming.hasDoubtfulEnd, let original = task.plan.originalRequest else { return }
        var hasBody = true
        if case .none = task.plan.body { hasBody = false }
        download.resumption = ResumeData(
            request: original,
            hasBody: hasBody,
            response: response,
            entityTag: incoming.entityTag ?? response.value(forHTTPHeaderField: "Etag"),
            isDecoded: incoming.decoder != nil,
            file: file.path
        )
        if download.resumption != nil { task.noteResumption(download.resumption, received: 0) }
    }

    /// The failure of a resumed download whose file is shorter than announced; nil for any other download.
    var shortfall: URLError? {
        guard download.asksForRest, let file = download.file,
            let resumption = download.resumption, file.length < resumption.total ?? 0
        else { return nil }
        return .engine(.networkConnectionLost, "The server sent less than the rest of the file.", url: url)
    }

    /// Ends a download. If another download can continue the partial file, the file remains, otherwise it is removed.
    /// - Returns: The error, with the resume data if there is any.
    func endDownload(with error: (any Error)?) -> (any Error)? {
        var data: Data?
        if let error, let file = download.file {
            if mayGoOn(after: error), var resumption = download.resumption, file.length > 0 {
                resumption.received = file.length
                resumption.date = Date()
                data = resumption.encoded
            }
            if data == nil { file.discard() } else { file.close() }
        }
        task.noteResumption(nil, received: nil)
        if let handler = download.resumeDataHandler.take() {
            group.outbox.deliver(.resumeData(data, handler), to: task)
        }
        guard let data, let error = error as? URLError else { return error }
        return error.adding(resumeData: data)
    }

    /// Whether the file is still valid after an error. True in three cases: the network has failed, the download was
    /// cancelled to produce resume data, or the file of an earlier download has not been changed.
    private func mayGoOn(after error: any Error) -> Bool {
        guard let error = error as? URLError else { return false }
        if error.tlsFailure?.reason == .missingCloseNotify { return true }
        switch error.code {
        case .cancelled: return download.resumeDataHandler != nil
        case .networkConnectionLost, .timedOut, .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed,
            .notConnectedToInternet, .secureConnectionFailed:
            return true
        default: return download.asksForRest && download.end == nil
        }
    }
}

/// The state of a download: its file, and the earlier download that it continues.
struct DownloadState {
    /// The file; nil if there is neither content nor the file of an earlier download yet.
    var file: DownloadFile?
    /// The data with which another download could continue the file; nil if no download could.
    @Boxed var resumption: ResumeData?
    /// Whether the engine has looked for the file of an earlier download.
    var isPrepared = false
    /// Whether the request asks only for the bytes that follow the file's content in the representation.
    var asksForRest = false
    /// The length of the file after this response; nil if the response does not announce it.
    var end: Int64?
    /// The closure that receives the resume data if the download was cancelled to produce it.
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
