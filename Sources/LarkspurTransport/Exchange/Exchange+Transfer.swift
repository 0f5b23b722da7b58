#if canImport(FoundationNetworking)
internal import CLibcurl

/// One transaction: setting libcurl up, and what it reports.
extension Exchange {
    /// Begins the transfer; the host has given it a place.
    func beginTransfer() {
        parser = ResponseHeadParser()
        response = nil
        fate = .delivered
        kept = []
        question = nil
        failure = nil
        isReceivingPaused = false
        isSendingPaused = false
        decodedBytes = 0
        tls = (nil, nil)
        transactionStart = Date()
        stage = .transferring
        touch()
        do throws(URLError) {
            let reader = try makeReader()
            self.reader = reader
            guard let handle = reactor.takeHandle() else {
                throw .engine(.unknown, "libcurl could not make a transfer.", url: request.url)
            }
            self.handle = handle
            handle.client = self
            try configure(handle, contentLength: reader.map { $0.length })
            guard reactor.add(handle) else {
                throw .engine(.unknown, "libcurl could not begin a transfer.", url: request.url)
            }
            reactor.note(deadline)
        } catch {
            if handle == nil { host?.release() }
            finish(error)
        }
    }

    private func makeReader() throws(URLError) -> (any BodyReader)? {
        switch body {
        case .none: nil
        case .data(let data): DataReader(data)
        case .file(let file): try FileReader(file)
        case .stream: streamReader
        }
    }

    /// - Parameter contentLength: Nil without content; nil in it if the length is not known.
    private func configure(_ handle: EasyHandle, contentLength: Int64??) throws(URLError) {
        let settings = reactor.settings
        let head: RequestHead
        do throws(RequestHead.Failure) {
            head = try RequestHead(
                request,
                additionalFields: settings.additionalFields,
                body: contentLength.map { $0.map(RequestHead.BodyLength.known) ?? .unknown } ?? .none,
                cookie: request.httpShouldHandleCookies
                    ? request.url.flatMap { settings.cookies.field(for: $0) } : nil,
                authorization: authentication.field(for: request)
            )
        } catch {
            throw .engine(error.code, error.sentence, url: request.url)
        }
        handle.clearErrorMessage()
        handle.set(CURLOPT_URL, head.url)
        setMethod(head.method, of: handle, contentLength: contentLength)
        handle.setFields(head.lines)
        hasEncodedContent = !head.setsAcceptEncoding
        handle.set(CURLOPT_ACCEPT_ENCODING, head.setsAcceptEncoding ? nil : "")
        handle.set(
            CURLOPT_HTTP_VERSION,
            Int(settings.options.allowsHTTP2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1)
        )
        // Without TLS it would wait for a response to learn that there is no HTTP/2.
        handle.set(CURLOPT_PIPEWAIT, settings.options.allowsHTTP2 && head.url.hasPrefix("https") ? 1 : 0)
        handle.set(CURLOPT_STREAM_WEIGHT, max(1, min(256, Int((max(0, min(1, task.priority)) * 256).rounded()))))
        // The idle timer watches over connecting too.
        handle.set(CURLOPT_CONNECTTIMEOUT_MS, Int(Int32.max))
        if let file = settings.options.tls.certificateAuthorities { handle.set(CURLOPT_CAINFO, file.path) }
    }

    private func setMethod(_ method: String, of handle: EasyHandle, contentLength: Int64??) {
        // Also resets what another request has left behind.
        handle.set(CURLOPT_HTTPGET, 1)
        switch (contentLength, body) {
        case (nil, _):
            if method == "HEAD" { handle.set(CURLOPT_NOBODY, 1) }
        case (_, .data(let data)) where data.count <= 1 << 16:
            handle.set(CURLOPT_POST, 1)
            // Sent together with the head.
            handle.setContent(data)
            _ = reader?.seek(to: Int64(data.count))
        case (let length?, _):
            handle.set(CURLOPT_POST, 1)
            handle.clearContent()
            handle.set(CURLOPT_POSTFIELDSIZE_LARGE, int64: length ?? -1)
        }
        let isDefault = contentLength == nil ? method == "GET" || method == "HEAD" : method == "POST"
        handle.set(CURLOPT_CUSTOMREQUEST, isDefault ? nil : method)
    }

    /// Has libcurl look for more of the response, whether or not the socket has any; over HTTP/2 only, where that can be needed.
    func nudge() {
        guard stage == .transferring, !isSuspended, !isReceivingPaused, let handle,
            handle.long(CURLINFO_HTTP_VERSION) == 3
        else { return }
        // It looks only when a pause ends.
        handle.pause(receiving: true, sending: isSendingPaused)
        handle.pause(receiving: false, sending: isSendingPaused)
    }

    /// The transfer has come to its end, or libcurl has given it up.
    func transferEnded(_ result: Int32) {
        guard stage == .transferring, let handle else { return }
        let error = failure ?? reader?.failure ?? (result == 0 ? nil : error(of: handle, result: result))
        noteSentBytes()
        if handle.long(CURLINFO_HTTP_VERSION) == 3 { host?.allowMultiplexing() }
        releaseHandle()
        stage = .asking
        if let error { return finish(error) }
        guard response != nil else {
            return finish(
                .engine(
                    .networkConnectionLost,
                    "The server closed the connection without a response.",
                    url: request.url
                )
            )
        }
        switch question {
        case nil: finish(nil as (any Error)?)
        case .renewal: beginNext(request, body: body)
        // The answer says what follows.
        default: break
        }
    }

    private func error(of handle: EasyHandle, result: Int32) -> URLError {
        TransferFailure(
            curlCode: result,
            osError: Int32(truncatingIfNeeded: handle.long(CURLINFO_OS_ERRNO)),
            verifyResult: handle.long(CURLINFO_SSL_VERIFYRESULT),
            message: handle.errorMessage
        ).error(url: request.url)
    }
}

extension Exchange: EasyHandleClient {
    func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        touch()
        do throws(ResponseHeadParser.Failure) {
            guard let head = try parser.consume(line) else { return true }
            if head.status >= 200, reader != nil { reactor.noteAnswer(to: self) }
            return receive(head)
        } catch {
            failure = .engine(.badServerResponse, error.sentence, url: request.url)
            return false
        }
    }

    func provideContent(into buffer: UnsafeMutableRawBufferPointer) -> EasyHandle.Provision {
        guard let reader else { return .failed }
        touch()
        let provision = reader.read(into: buffer)
        if case .paused = provision { isSendingPaused = true }
        noteSentBytes()
        return provision
    }

    func seekContent(to offset: Int64) -> Bool { reader?.seek(to: offset) ?? false }

    /// Tells the delegate of what has gone out.
    private func noteSentBytes() {
        guard let reader, let handle else { return }
        // libcurl counts the framing of chunks too, and we what still waits in its buffers.
        let sent = min(handle.int64(CURLINFO_SIZE_UPLOAD_T), reader.position)
        let difference = sent - sentBytes
        guard difference > 0 else { return }
        sentBytes = sent
        let expected = reader.length ?? NSURLSessionTransferSizeUnknown
        task.count {
            $0.sent = sent
            $0.expectedToSend = expected
        }
        reactor.deliver(.sent(difference, total: sent, expected: expected), to: task)
    }
}
#endif
