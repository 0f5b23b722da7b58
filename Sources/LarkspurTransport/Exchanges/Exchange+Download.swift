#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// Downloads that continue the partial file of an earlier download.
extension Exchange {
    // MARK: The request

    /// If the file of an earlier download can be used, changes the request so that it asks only for the missing bytes.
    func prepareResumption() {
        guard let earlier = task.plan.resumption else { return }
        if group.settings.protocols?.load(request) == true {
            // A `URLProtocol` does not handle ranges.
            received.download.isPrepared = true
            if received.download.asksForRest { askForWhole() }
            return
        }
        guard !received.download.isPrepared else { return }
        received.download.isPrepared = true
        guard let file = DownloadFile(earlier, of: destination.url) else { return }
        received.download.file = file
        received.download.resumption = earlier
        askForRest(of: earlier, from: file.length)
    }

    private func askForRest(of resumption: ResumeData, from offset: Int64) {
        received.download.asksForRest = true
        request.setValue("bytes=\(offset)-", forHTTPHeaderField: "Range")
        request.setValue(resumption.validator.field, forHTTPHeaderField: "If-Range")
        task.noteResumption(resumption, received: offset)
    }

    /// Discards the file, and changes the request so that it asks for the whole content.
    private func askForWhole() {
        received.leaveFile(discarding: true)
        request.setValue(nil, forHTTPHeaderField: "Range")
        request.setValue(nil, forHTTPHeaderField: "If-Range")
    }

    // MARK: The response

    /// Prepares the file for the content of a response, unless another request follows or no file can be created.
    func beginDownload(_ response: ReceivedResponse) -> Effect {
        guard let response = response.http else { return .stops }
        let download = received.download
        if download.asksForRest, let file = download.file, let earlier = download.resumption {
            switch ResumeDecision.decide(
                reply(response),
                offset: file.length,
                total: earlier.total,
                validator: earlier.validator
            ) {
            case .append(let end, let total):
                received.append(end: end, total: total)
                return .goesOn
            case .startOver: received.leaveFile(discarding: true)
            case .setAside: received.leaveFile(discarding: false)
            case .askForLastByte(let total):
                if file.removeLastByte() {
                    received.download.resumption?.total = total
                    askForRest(of: earlier, from: file.length)
                } else {
                    askForWhole()
                }
                return perform(transaction.receive(.sendAgain(readsContent: false)))
            case .askAnew:
                askForWhole()
                return perform(transaction.receive(.sendAgain(readsContent: false)))
            }
        }
        do throws(URLError) {
            guard task.plan.resumption == nil || hasRange || ResumeDecision.isWhole(reply(response)) else {
                // Without this check, the partial content would be treated as the whole file.
                throw engineError(.badServerResponse, "The server sends a part where the whole was asked for.")
            }
            // The file is created first, because the content is not needed if that fails.
            let file = try received.openFile()
            received.noteResumption(after: response, file: file)
            return .goesOn
        } catch {
            transaction.note(error)
            return .stops
        }
    }

    private var hasRange: Bool { request.value(forHTTPHeaderField: "Range") != nil }

    private func reply(_ response: HTTPURLResponse) -> ResumeDecision.Reply {
        let coding = response.value(forHTTPHeaderField: "Content-Encoding")
        return ResumeDecision.Reply(
            status: response.statusCode,
            contentRange: response.value(forHTTPHeaderField: "Content-Range"),
            contentLength: response.expectedContentLength >= 0 ? response.expectedContentLength : nil,
            entityTag: received.incoming.entityTag ?? response.value(forHTTPHeaderField: "Etag"),
            lastModified: response.value(forHTTPHeaderField: "Last-Modified"),
            isCoded: coding.map { !$0.hasSameLetters(as: "identity") } ?? false,
            hasManyParts: response.mimeType?.hasSameLetters(as: "multipart/byteranges") ?? false,
            hasDoubtfulEnd: received.incoming.hasDoubtfulEnd
        )
    }

    // MARK: Ending

    /// Ends the task, and leaves the partial file for another download.
    func cancel(with error: any Error, handler: Delivery.ResumeDataHandler) {
        received.download.resumeDataHandler = handler
        end(.failure(error))
    }
}
#endif
