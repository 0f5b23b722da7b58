#if canImport(FoundationNetworking)
/// Downloads: the file, and going on with what an earlier one has left.
extension Exchange {
    // MARK: Asking for the rest

    /// Has the request ask for the rest of what an earlier download has left, if that can be used.
    func prepareResumption() {
        guard let earlier = task.resumption else { return }
        if reactor.settings.protocols.hosts(request) {
            // A class of the caller's knows nothing of parts.
            download.isPrepared = true
            if download.asksForRest { askForWhole() }
            return
        }
        guard !download.isPrepared else { return }
        download.isPrepared = true
        guard let file = DownloadFile(earlier, of: request.url) else { return }
        self.file = file
        download.resumption = earlier
        askForRest(of: earlier, from: file.length)
    }

    private func askForRest(of resumption: ResumeData, from offset: Int64) {
        download.asksForRest = true
        request.setValue("bytes=\(offset)-", forHTTPHeaderField: "Range")
        request.setValue(resumption.validator.field, forHTTPHeaderField: "If-Range")
        task.noteResumption(resumption, received: offset)
    }

    /// Gives up what is there; the next request, if there is one, is for the whole.
    private func askForWhole() {
        leaveFile(discarding: true)
        request.setValue(nil, forHTTPHeaderField: "Range")
        request.setValue(nil, forHTTPHeaderField: "If-Range")
    }

    private func leaveFile(discarding: Bool) {
        if discarding { file?.discard() } else { file?.close() }
        file = nil
        download.asksForRest = false
        download.resumption = nil
        download.end = nil
        task.noteResumption(nil, received: 0)
    }

    // MARK: The response

    /// Makes the file ready for the content of a response; false if that is not wanted, because another request follows
    /// or there is no file.
    func beginDownload(_ response: HTTPURLResponse) -> Bool {
        if download.asksForRest, let file, let earlier = download.resumption {
            switch ResumeDecision.decide(
                reply(response),
                offset: file.length,
                total: earlier.total,
                validator: earlier.validator
            ) {
            case .append(let end, let total):
                append(to: file, end: end, total: total)
                return true
            case .startOver: leaveFile(discarding: true)
            case .setAside: leaveFile(discarding: false)
            case .askForLastByte(let total):
                question = .restart
                guard file.removeLastByte() else {
                    askForWhole()
                    return false
                }
                download.resumption?.total = total
                askForRest(of: earlier, from: file.length)
                return false
            case .askAnew:
                question = .restart
                askForWhole()
                return false
            }
        }
        guard task.resumption == nil || hasRange || ResumeDecision.isWhole(reply(response)) else {
            // A part would be taken for the rest, which it is not.
            failure = .engine(
                .badServerResponse,
                "The server sends a part where the whole was asked for.",
                url: request.url
            )
            return false
        }
        do throws(URLError) {
            // Before the content: where there is no file, none is wanted.
            let file = try openFile()
            noteResumption(after: response, file: file)
            return true
        } catch {
            failure = error
            return false
        }
    }

    private var hasRange: Bool { request.value(forHTTPHeaderField: "Range") != nil }

    private func reply(_ response: HTTPURLResponse) -> ResumeDecision.Reply {
        let coding = response.value(forHTTPHeaderField: "Content-Encoding")
        return ResumeDecision.Reply(
            status: response.statusCode,
            contentRange: response.value(forHTTPHeaderField: "Content-Range"),
            contentLength: response.expectedContentLength >= 0 ? response.expectedContentLength : nil,
            entityTag: response.value(forHTTPHeaderField: "Etag"),
            lastModified: response.value(forHTTPHeaderField: "Last-Modified"),
            isCoded: coding.map { !$0.hasSameLetters(as: "identity") } ?? false,
            hasManyParts: response.mimeType?.hasSameLetters(as: "multipart/byteranges") ?? false
        )
    }

    private func append(to file: DownloadFile, end: Int64, total: Int64) {
        download.end = end
        download.resumption?.total = total
        let offset = file.length
        task.noteResumption(download.resumption, received: offset)
        task.count { $0.expectedToReceive = total }
        if task.tellsDownload { reactor.deliver(.resumed(at: offset, expected: total), to: task) }
    }

    private func noteResumption(after response: HTTPURLResponse, file: DownloadFile) {
        guard let original = task.originalRequest else { return }
        var hasBody = true
        if case .none = task.body { hasBody = false }
        download.resumption = ResumeData(
            request: original,
            hasBody: hasBody,
            response: response,
            isDecoded: decoder != nil,
            file: file.path
        )
        if download.resumption != nil { task.noteResumption(download.resumption, received: 0) }
    }

    // MARK: The file

    func openFile() throws(URLError) -> DownloadFile {
        if let file { return file }
        let file = try DownloadFile(of: request.url, in: reactor.settings.downloadFolder)
        self.file = file
        return file
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(URLError) {
        let file = try openFile()
        if let end = download.end, Int64(bytes.count) > end - file.length {
            throw .engine(
                .badServerResponse,
                "The server sends more than the part that it announced.",
                url: request.url
            )
        }
        try file.write(bytes)
    }

    /// Says why the content that has come cannot be all of it; nil if it can.
    var shortfall: URLError? {
        guard task.kind == .download, download.asksForRest, let file, let resumption = download.resumption,
            file.length < resumption.total ?? 0
        else { return nil }
        return .engine(
            .networkConnectionLost,
            "The server sent less than the rest of the file.",
            url: request.url
        )
    }

    // MARK: Ending

    /// Ends the task, and lets the file stay for another one.
    func cancel(with error: any Error, handler: Delivery.ResumeDataHandler) {
        download.resumeDataHandler = handler
        finish(error)
    }

    /// Leaves the file of a download that has failed where another one could go on with it, and removes it otherwise.
    /// - Returns: The error, with the resume data.
    func endDownload(with error: (any Error)?) -> (any Error)? {
        var data: Data?
        if let error, let file {
            if mayGoOn(after: error), var resumption = download.resumption, file.length > 0 {
                resumption.received = file.length
                resumption.date = Date()
                data = resumption.encoded
            }
            if data == nil { file.discard() } else { file.close() }
        }
        task.noteResumption(nil, received: nil)
        if let handler = download.resumeDataHandler {
            download.resumeDataHandler = nil
            reactor.deliver(.resumeData(data, handler), to: task)
        }
        guard let data, let error = error as? URLError else { return error }
        return error.adding(resumeData: data)
    }

    /// Whether the network is to blame, or somebody who cancelled to go on later, or nothing was added to what had been
    /// there: then what has come is in order.
    private func mayGoOn(after error: any Error) -> Bool {
        guard let error = error as? URLError else { return false }
        if error.tlsFailure?.reason == .missingCloseNotify { return true }
        let code = error.code
        switch code {
        case .cancelled: return download.resumeDataHandler != nil
        case .networkConnectionLost, .timedOut, .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed,
            .notConnectedToInternet, .secureConnectionFailed:
            return true
        default: return download.asksForRest && download.end == nil
        }
    }
}
#endif
