#if canImport(FoundationNetworking)
internal import CLibcurl
internal import HTTPSyntax

/// One transaction: setting libcurl up, and what it reports.
extension Exchange {
    /// Begins the transfer; the host has given it a place.
    func beginTransfer() {
        transfer = Transfer(start: Date())
        transaction.beginTransfer()
        touch()
        do throws(URLError) {
            let reader = try content.makeReader()
            transfer.proxy = try proxy()
            let handle = try loop.takeHandle(for: request.url)
            transfer.handle = handle
            handle.client = self
            try configure(handle, contentLength: reader.map { $0.length })
            guard loop.add(handle) else {
                throw .engine(.unknown, "libcurl could not begin a transfer.", url: request.url)
            }
            if reader != nil { loop.watchUpload(of: self) }
            loop.note(deadline)
        } catch {
            abandonTransfer()
            fail(error)
        }
    }

    /// Gives back the resources of a transfer that did not begin, and of which there is nothing to measure.
    private func abandonTransfer() {
        transaction.abandonTransfer()
        guard transfer.handle == nil else { return giveHandleBack() }
        leaveHost()
    }

    /// - Parameter contentLength: Nil without content; nil in it if the length is not known.
    private func configure(_ handle: EasyHandle, contentLength: Int64??) throws(URLError) {
        let settings = loop.settings
        let credentials = makeCredentials()
        let head: RequestHead
        var proxyLine: String?
        do throws(RequestHead.Failure) {
            head = try RequestHead(
                withCacheFields(credentials.request),
                additionalFields: credentials.additionalFields,
                body: contentLength.map { $0.map(RequestHead.BodyLength.known) ?? .unknown } ?? .none,
                cookie: request.httpShouldHandleCookies
                    ? request.url.flatMap { settings.cookies.field(for: $0) } : nil,
                authorization: credentials.authorization,
                mayAskFirst: history.mayExpectContinue
            )
            proxyLine = try credentials.proxyLine
        } catch {
            throw .engine(error.code, error.sentence, url: request.url)
        }
        if case .known(let length) = head.body { content.streamReader?.length = length }
        noteSent(head)
        handle.clearErrorMessage()
        handle.set(CURLOPT_URL, head.url)
        handle.setRoute(proxy: transfer.proxy, socketPath: head.target.socketPath)
        handle.setCredentials(
            EasyHandle.Credentials(
                proxyField: proxyLine,
                server: credentials.server,
                proxy: credentials.proxy,
                watchesTunnel: isTunnelled
            )
        )
        setMethod(head.method, of: handle, length: head.body)
        transfer.expectsContinue = head.asksFirst
        handle.setFields(head.lines, and: head.setsAcceptEncoding ? nil : head.acceptEncoding)
        handle.set(
            CURLOPT_HTTP_VERSION,
            Int(settings.offersHTTP2 && credentials.server == nil ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1)
        )
        // Without TLS it would wait for a response to learn that there is no HTTP/2.
        handle.set(CURLOPT_PIPEWAIT, settings.offersHTTP2 && head.url.hasPrefix("https") ? 1 : 0)
        watchStreamOfUpload()
        handle.watchStreams(loop.watchesStreams)
        handle.set(CURLOPT_STREAM_WEIGHT, max(1, min(256, Int((max(0, min(1, task.priority)) * 256).rounded()))))
        // The idle timer watches over connecting too.
        handle.set(CURLOPT_CONNECTTIMEOUT_MS, Int(Int32.max))
        configureConnection(of: handle)
        try configureTLS(of: handle)
    }

    private func setMethod(_ method: String, of handle: EasyHandle, length: RequestHead.BodyLength) {
        handle.resetMethod()
        if method == "HEAD" {
            // Content has no meaning there (RFC 9110, section 9.3.2), and libcurl would wait for some in return.
            handle.set(CURLOPT_NOBODY, 1)
            return handle.set(CURLOPT_CUSTOMREQUEST, nil)
        }
        let defaultMethod: String
        switch (length, content.body) {
        case (.none, _), (.known(0), .data), (.known(0), .file): defaultMethod = "GET"
        case (_, .data(let data)) where data.count < 1 << 16:
            handle.set(CURLOPT_POST, 1)
            // Sent together with the head.
            handle.setContent(data)
            _ = content.reader?.seek(to: Int64(data.count))
            defaultMethod = "POST"
        case (.known(let length), _):
            handle.set(CURLOPT_UPLOAD, 1)
            handle.set(CURLOPT_INFILESIZE_LARGE, int64: length)
            defaultMethod = "PUT"
        case (.unknown, _):
            handle.set(CURLOPT_UPLOAD, 1)
            handle.set(CURLOPT_INFILESIZE_LARGE, int64: -1)
            defaultMethod = "PUT"
        }
        handle.set(CURLOPT_CUSTOMREQUEST, method == defaultMethod ? nil : method)
    }

    /// Has libcurl look for more of the response, whether or not the socket has any; over HTTP/2 only, where that can
    /// be needed.
    func nudge() {
        guard transaction.isTransferring, !isSuspended, !sink.incoming.isPaused, let handle = transfer.handle,
            handle.long(CURLINFO_HTTP_VERSION) == 3
        else { return }
        // It looks only when a pause ends.
        handle.pause(receiving: true, sending: transfer.isSendingPaused)
        handle.pause(receiving: false, sending: transfer.isSendingPaused)
    }

    /// The transfer has come to its end, or libcurl has given it up.
    func transferEnded(_ result: Int32) {
        guard transaction.isTransferring, let handle = transfer.handle, !takesFreshConnection(handle) else { return }
        noteClose(of: handle)
        if result == 0 { handle.servesAgain = true }
        let refusal = result == 0 ? nil : tunnelRefusal(of: handle)
        let unreadable = content.reader?.failure
        let end = Transaction.TransferEnd(
            failure: transaction.failure ?? unreadable ?? ending(of: handle, result: result),
            isContentUnreadable: unreadable != nil,
            repetition: repetition(after: result, of: handle)
        )
        if ConnectionFault.isFault(result) || streamFailure != nil { retireConnection() }
        noteSentBytes()
        if handle.long(CURLINFO_HTTP_VERSION) == 3 { host?.allowMultiplexing() }
        releaseHandle()
        perform(refusal.map { transaction.endTransfer(refusedBy: $0) } ?? transaction.endTransfer(end))
    }

    /// The way in which the request is sent again after its transfer has failed; nil if it is not. Each of them is
    /// taken once by a task.
    private func repetition(after result: Int32, of handle: EasyHandle) -> Transaction.Repetition? {
        if repeatsOnNewConnection(after: result, of: handle) {
            history.hasRepeated = true
            return .onNewConnection
        }
        guard needsNewStream(after: result, isReused: handle.long(CURLINFO_NUM_CONNECTS) == 0) else { return nil }
        history.hasRenewedStream = true
        return .withNewStream
    }

    /// Whether a connection that was kept from before turned out to be closed when some of a stream had been sent on
    /// it: libcurl begins anew on another one, for which only content that can be read again is enough.
    ///
    /// - Parameter isReused: Whether the last connection was one that was kept.
    private func needsNewStream(after result: Int32, isReused: Bool) -> Bool {
        guard transfer.response == nil, transaction.failure == nil, !history.hasRenewedStream,
            case .stream = content.body,
            // Some versions only say that there was nothing to read.
            result == CURLE_SEND_FAIL_REWIND || result == CURLE_READ_ERROR && content.reader?.failure == nil
                || isReused && Self.lossResults.contains(result),
            resendDecision == .resend
        else { return false }
        return true
    }

    /// The results of transfers whose connection was lost: nothing came (52), or it could not be written (55) or read
    /// (56). Versions from 8.x on, and any version that loses it while it sends, end so instead of beginning anew.
    private static let lossResults: [Int32] = [52, 55, 56]

    /// What is wrong with the end of a transfer, if anything is.
    private func ending(of handle: EasyHandle, result: Int32) -> URLError? {
        if transfer.isCutShort { return nil }
        if result != 0 { return self.error(of: handle, result: result) }
        if let streamFailure { return streamFailure }
        guard transfer.response != nil, !sink.incoming.framed.isComplete else { return nil }
        return .engine(
            .networkConnectionLost,
            "The server ended the response before its content was complete.",
            url: request.url
        )
    }

    private func error(of handle: EasyHandle, result: Int32) -> URLError {
        if result == CURLE_SEND_FAIL_REWIND, transfer.response == nil, resendDecision == .fail {
            return ResendDecision.error(for: request)
        }
        let objection = objection(of: handle, result: result)
        let proxy = refusedProxy(of: handle, result: result)
        let verification = proxy == nil ? CURLINFO_SSL_VERIFYRESULT : CURLINFO_PROXY_SSL_VERIFYRESULT
        return TransferFailure(
            curlCode: result,
            osError: Int32(truncatingIfNeeded: handle.long(CURLINFO_OS_ERRNO)),
            verifyResult: objection.map { Int($0.error) } ?? handle.long(verification),
            message: handle.errorMessage,
            hasResponse: transfer.response != nil,
            isTLS: request.url?.isSecure == true,
            objection: objection,
            refusedProxy: proxy
        ).error(url: request.url)
    }
}

extension RequestHead {
    /// The line for the codings that the engine can undo.
    ///
    /// A part of coded content could not be decoded, so that none is asked for with a range, as the Fetch standard has
    /// it.
    fileprivate var acceptEncoding: String? {
        lines.contains(where: \.isRange) ? "Accept-Encoding: identity" : Self.anyCoding
    }

    private static let anyCoding = ContentDecoder.acceptEncoding.map { "Accept-Encoding: " + $0 }
}

extension String {
    fileprivate var isRange: Bool {
        let name = utf8.prefix(6)
        return name.count == 6 && zip(name, "range:".utf8).allSatisfy { $0.asLowercase == $1 }
    }
}

extension Exchange: EasyHandleClient {
    func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        touch()
        if StatusLine.begins(line) { transfer.sending.noteResponse() }
        do throws(ResponseHeadParser.Failure) {
            guard let head = try transfer.parser.consume(line) else { return true }
            if head.status >= 200, content.reader != nil {
                // Before the delegate hears of the response.
                noteSentBytes()
                loop.noteAnswer(to: self)
            }
            return receive(head)
        } catch {
            transaction.note(.engine(.badServerResponse, error.sentence, url: request.url))
            retireConnection()
            return false
        }
    }

    func provideContent(into buffer: UnsafeMutableRawBufferPointer) -> EasyHandle.Provision {
        guard let reader = content.reader else { return .failed }
        let provision = reader.read(into: buffer)
        if case .paused = provision { transfer.isSendingPaused = true }
        return provision
    }

    func seekContent(to offset: Int64) -> Bool { content.reader?.seek(to: offset) ?? false }

    /// Tells the delegate of the bytes that have gone out.
    func noteSentBytes() {
        guard transaction.isTransferring, let reader = content.reader, let handle = transfer.handle else { return }
        // libcurl counts the framing of chunks too, and we the bytes that still wait in its buffers.
        let sent = min(handle.int64(CURLINFO_SIZE_UPLOAD_T), reader.position)
        let difference = sent - content.sentBytes
        guard difference > 0 else { return }
        content.sentBytes = sent
        touch()
        let expected = reader.length ?? NSURLSessionTransferSizeUnknown
        task.count {
            $0.sent = sent
            $0.expectedToSend = expected
        }
        loop.deliver(.sent(difference, total: sent, expected: expected), to: task)
    }
}
#endif
