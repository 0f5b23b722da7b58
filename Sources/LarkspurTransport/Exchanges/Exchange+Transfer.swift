#if canImport(FoundationNetworking)
internal import CLibcurl
internal import HTTPSyntax

/// The transfer of a transaction: its set-up in libcurl, and libcurl's reports about it.
extension Exchange {
    /// Begins the transfer, after the host's queue has admitted it.
    func beginTransfer() {
        transfer = CurlTransfer(
            start: Date(),
            connectionWait: endWait(),
            connectTimeout: task.leaveQueue(),
            headMemory: host?.headMemory
        )
        transaction.beginTransfer()
        touch()
        schedulePeerCheck()
        do throws(URLError) {
            let reader = try content?.makeReader()
            if let proxy = try proxy() { takeRoute(through: proxy) }
            let handle = try group.connections.takeHandle(for: destination.url, tlsNumber: tlsNumber)
            transfer.handle = handle
            handle.client = self
            try configure(handle, contentLength: reader.map { $0.length })
            guard !handle.reuse.lacksOptions else {
                throw engineError(.resourceUnavailable, "Memory has run out.")
            }
            guard let shard = group.connections.shard(for: webSocket == nil ? host : nil), shard.add(self, handle)
            else {
                throw engineError(.unknown, Self.notBegun)
            }
            transfer.shard = shard
            if reader != nil {
                attachProduction()
                shard.watchUpload(of: self)
            }
            if let stream = transfer.stream {
                if shard.watchesStreams { handle.trace.ofStreams = true }
                if stream.isWatched { shard.beginWatchingStreams() }
            }
            group.deadlines.advance(deadline, of: self)
        } catch {
            abandonTransfer()
            fail(error)
        }
    }

    /// The error's message if libcurl refuses a transfer.
    static let notBegun = "libcurl could not begin a transfer."

    /// Releases the resources of a transfer that did not begin and has no metrics.
    private func abandonTransfer() {
        transaction.abandonTransfer()
        guard transfer.handle == nil else { return giveHandleBack() }
        leaveHost()
    }

    /// - Parameter contentLength: The length of the content. The outer optional is nil if there is no content. The
    ///   inner optional is nil if the length is unknown.
    private func configure(_ handle: EasyHandle, contentLength: Int64??) throws(URLError) {
        let settings = group.settings
        try checkFamily()
        let credentials = makeCredentials()
        let head: RequestHead
        let ofConnection: EasyHandle.Credentials?
        do throws(RequestHead.Failure) {
            head = try RequestHead(
                credentials.request,
                target: destination.target,
                additionalFields: withCacheFields(credentials.additionalFields, for: credentials.request),
                body: contentLength.map { $0.map(RequestHead.BodyLength.known) ?? .unknown } ?? .none,
                cookie: request.httpShouldHandleCookies
                    ? destination.url.flatMap { settings.cookies.field(for: $0) } : nil,
                authorization: credentials.authorization,
                mayAskFirst: history.mayExpectContinue && content?.isTwoWay != true,
                remembered: &group.requestLines
            )
            ofConnection = try credentials.ofConnection(watchesTunnel: transfer.route.isTunnelled)
        } catch {
            throw error.urlError(for: destination.url)
        }
        if case .known(let length) = head.body { content?.streamReader?.length = length }
        if let caching = current.caching { note(head, sentWith: caching) }
        handle.clearFailure()
        handle.setURL(transfer.route.proxy == nil ? head.url : head.target.textForProxy)
        handle.setRoute(
            proxy: transfer.route.proxy,
            socketPath: head.target.socketPath ?? settings.options.unixSocket
        )
        if let host = current.resolved { setAddresses(host, of: handle) }
        handle.setCredentials(ofConnection)
        setMethod(of: handle, head)
        if let content {
            handle.set(CURLOPT_KEEP_SENDING_ON_ERROR, task.keepsSending ? 1 : 0)
            if content.channel != nil { handle.useTrailers() }
        }
        transfer.pauses.expectsContinue = head.expectsContinue
        transfer.pauses.awaitsContinue = head.expectsContinue
        if head.expectsContinue { handle.set(CURLOPT_EXPECT_100_TIMEOUT_MS, Self.continueTimeout) }
        var lines = head.lines
        // libcurl would put the host of the `Host` field in brackets, or not, as in the request that opened the
        // connection to the proxy.
        if transfer.route.isForwarded, !lines.setHost {
            lines.append("Host: " + head.target.hostField)
        }
        handle.setFields(lines, and: head.setsAcceptEncoding ? nil : head.acceptEncoding)
        transfer.route.versions = offeredVersions(isAuthenticatedByConnection: credentials.server != nil)
        handle.set(CURLOPT_HTTP_VERSION, transfer.route.versions.number)
        if destination.isSecure, settings.offersHTTP2 {
            transfer.stream = CurlTransfer.Stream()
            watchStreamFromBeginning()
        }
        setWait(of: handle)
        handle.set(CURLOPT_STREAM_WEIGHT, max(1, min(256, Int((max(0, min(1, task.priority)) * 256).rounded()))))
        // Without a limit, the largest value replaces libcurl's default, because the idle timer also applies while a
        // connection is opened.
        handle.set(CURLOPT_CONNECTTIMEOUT_MS, transfer.route.connectTimeout.map(Int.milliseconds) ?? Int(Int32.max))
        configureConnection(of: handle)
        // The configuration may forbid the request even if nothing uses TLS.
        if destination.isSecure || transfer.route.proxy?.kind == .https || settings.tls.isCustom {
            try configureTLS(of: handle)
        }
        if let connection = task.plan.webSocket {
            if !head.setsAcceptEncoding, let line = head.acceptEncoding { lines.append(line) }
            let request = UpgradeRequest.bytes(target: head.target, lines: lines)
            try prepareUpgrade(of: handle, connection, request, isAuthenticatedByConnection: credentials.server != nil)
        }
    }

    private func setMethod(of handle: EasyHandle, _ head: RequestHead) {
        let method = head.method
        handle.resetMethod()
        if method == "HEAD" {
            // The content of a HEAD request has no meaning (RFC 9110, section 9.3.2), and libcurl would wait for
            // content in the response.
            handle.set(CURLOPT_NOBODY, 1)
            return handle.set(CURLOPT_CUSTOMREQUEST, nil)
        }
        let defaultMethod: String
        switch (head.body, content?.body ?? TaskBody.none) {
        case (.none, _), (.known(0), .data), (.known(0), .file): defaultMethod = "GET"
        case (_, .data(let data)) where data.count < 1 << 16 && !head.expectsContinue:
            handle.set(CURLOPT_POST, 1)
            // libcurl sends the content together with the header section.
            handle.setContent(data)
            _ = content?.reader?.seek(to: Int64(data.count))
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

    /// Makes libcurl read more of the response in the next turn, even if the socket is not readable. Only HTTP/2 can
    /// need this.
    func nudge() {
        guard transfer.stream != nil, transaction.isTransferring, !pausesReceiving,
            transfer.handle?.long(CURLINFO_HTTP_VERSION) == 3
        else { return }
        transfer.stream?.mustReadMore = true
        group.notePauses(of: self)
    }

    /// Ends the transfer if `curl_easy_pause` has failed (see ``CurlTransfer/Ending/refusal``).
    func endRefused() {
        guard transaction.isTransferring, let refusal = transfer.ending.refusal.take() else { return }
        transferEnded(refusal)
    }

    /// Handles the end of a transfer, successful or not.
    func transferEnded(_ result: Int32) {
        guard transaction.isTransferring, let handle = transfer.handle else { return }
        let hasFailed = result != 0
        if hasFailed, takesFreshConnection(handle) { return }
        if !hasFailed, let webSocket, webSocket.begin() { return }
        if handle.watchedConnection != nil { noteClose(of: handle) }
        // libcurl 7.88 retains the state that a handle has sent trailers. If the handle then sent content in chunks,
        // libcurl would write before the beginning of its buffer.
        if !hasFailed, task.plan.webSocket == nil, content?.isProduced != true { handle.reuse.isClean = true }
        let refusal = hasFailed ? tunnelRefusal(of: handle) : nil
        let unreadable = content?.reader?.failure
        let end = Transaction.TransferEnd(
            failure: transaction.failure ?? unreadable ?? ending(of: handle, result: result),
            isContentUnreadable: unreadable != nil,
            repetition: hasFailed ? repetition(after: result, of: handle) : nil
        )
        if hasFailed {
            if ConnectionFault.isFault(result, message: handle.errorMessage) { retireConnection() }
            noteFault(of: handle, result: result)
        }
        if content != nil { noteSentBytes() }
        if let stream = transfer.stream {
            if stream.isBroken { retireConnection() }
            if handle.hasMultiplexed { host?.allowMultiplexing(in: transfer.shard) }
        }
        releaseHandle()
        perform(refusal.map { transaction.endTransfer(refusedBy: $0) } ?? transaction.endTransfer(end))
    }

    /// Returns the error of an ended transfer; nil if there is none.
    private func ending(of handle: EasyHandle, result: Int32) -> URLError? {
        if transfer.ending.isCutShort { return nil }
        if result != 0 { return isAnsweredWhole(after: result) ? nil : error(of: handle, result: result) }
        let sentence: String
        if transfer.stream?.isBroken == true {
            sentence = "The server reset the stream before the response was complete."
        } else if transfer.response != nil, !received.incoming.framed.isComplete {
            sentence = "The server ended the response before its content was complete."
        } else {
            return nil
        }
        return engineError(.networkConnectionLost, sentence)
    }

    private func error(of handle: EasyHandle, result: Int32) -> URLError {
        let failure = failure(of: handle, result: result)
        // libcurl has lost a reused connection after sending, and could not make another one to send the request again.
        // The server may have executed the request, so the new connection is not the matter.
        guard transfer.sending.isUnanswered, transfer.response == nil, failure.isAboutConnecting,
            !isLeftToEngine(after: result), resendDecision == .fail
        else { return error(of: failure, handle) }
        return ResendDecision.error(for: request, underlying: failure.cause as NSError)
    }

    private func error(of failure: TransferFailure, _ handle: EasyHandle) -> URLError {
        if isLeftToEngine(after: failure.curlCode) { return repetitionFailure }
        if let address = handle.addresses.refused, handle.addresses.tried.isEmpty {
            return AccessRules.refusal(of: address, destination)
        }
        if failure.curlCode == CURLE_OPERATION_TIMEDOUT, let limit = transfer.route.connectTimeout {
            let target = (failure.proxy ?? failure.server).map { " to the \($0)" } ?? ""
            return engineError(.timedOut, "No connection\(target) was made within \(limit) seconds.")
        }
        return failure.error(url: destination.url)
    }

    private func failure(of handle: EasyHandle, result: Int32) -> TransferFailure {
        let (server, proxy) = peers(of: handle)
        let objection = objection(of: handle, result: result)
        let refusedProxy = refusedProxy(of: handle, result: result)
        let verification = refusedProxy == nil ? CURLINFO_SSL_VERIFYRESULT : CURLINFO_PROXY_SSL_VERIFYRESULT
        return TransferFailure(
            curlCode: result,
            osError: Int32(truncatingIfNeeded: handle.long(CURLINFO_OS_ERRNO)),
            verifyResult: objection.map { Int($0.error) } ?? handle.long(verification),
            message: handle.errorMessage,
            hasResponse: transfer.response != nil,
            hasSent: handle.long(CURLINFO_REQUEST_SIZE) > 0 || transfer.sending.hasBegun,
            usesDNSOverHTTPS: group.settings.options.dnsOverHTTPS != nil,
            isTLS: destination.isSecure,
            verifiesCertificate: !tlsSettings.configuration.dangerouslySkipsCertificateVerification,
            objection: objection,
            refusedProxy: refusedProxy,
            missingFamily: missingFamily(of: handle),
            server: server,
            proxy: proxy,
            tunnelStatus: transfer.route.isTunnelled ? handle.long(CURLINFO_HTTP_CONNECTCODE) : 0
        )
    }

    /// Returns the server, and the proxy if there is one. The addresses that were tried belong to the proxy. Without a
    /// proxy, they belong to the server.
    func peers(of handle: EasyHandle) -> (server: Peer?, proxy: Peer?) {
        if let path = handle.route.socketPath { return (Peer(kind: .socket, name: path, addresses: []), nil) }
        let addresses = handle.addresses.tried
        let proxy = transfer.route.proxy.map { Peer($0, addresses: addresses) }
        return (destination.url.flatMap { Peer($0, addresses: proxy == nil ? addresses : []) }, proxy)
    }

    /// Returns the only family of addresses that the session uses, if no address of this family was found to connect
    /// to. Otherwise returns nil.
    private func missingFamily(of handle: EasyHandle) -> AddressFamily? {
        guard handle.route.family != .any, handle.route.socketPath == nil, handle.addresses.tried.isEmpty else {
            return nil
        }
        return handle.route.family
    }

    /// The server or proxy whose addresses the session's resolver is looking up; nil for none.
    var unresolvedPeer: Peer? {
        guard case .resolving = transaction.phase else { return nil }
        return (try? proxy()).map { Peer($0) } ?? destination.url.flatMap { Peer($0) }
    }

    /// The server or proxy to which there is no connection yet. Nil if there is a connection, or if no address was
    /// tried yet although no name has to be looked up. Also nil if libcurl does not report the beginning of the sending
    /// (before 7.80).
    var unconnectedPeer: Peer? {
        guard transaction.isTransferring, let handle = transfer.handle, handle.seesSendings,
            !transfer.sending.hasBegun, !handle.addresses.tried.isEmpty || looksUpName
        else { return nil }
        let (server, proxy) = peers(of: handle)
        return proxy ?? server
    }

    /// Whether the host of the connection is a name, and not an address.
    private var looksUpName: Bool {
        guard transfer.handle?.route.socketPath == nil,
            let host = transfer.route.proxy.map(\.canonicalHost) ?? destination.host
        else { return false }
        return host.address == nil
    }
}

extension RequestHead.Failure {
    /// Creates the error of a task that cannot send its request.
    func urlError(for url: URL?) -> URLError {
        let error = URLError.engine(code, sentence, url: url)
        return URLError(code, userInfo: error.userInfo.merging([RequestPart.userInfoKey: part.rawValue]) { $1 })
    }
}

extension RequestHead {
    /// The `Accept-Encoding` line with the codings that the engine can decode.
    ///
    /// A request for a range requires content without a coding, because a part of encoded content cannot be decoded.
    /// The Fetch standard has the same rule.
    fileprivate var acceptEncoding: String? {
        asksForRange ? "Accept-Encoding: identity" : Self.anyCoding
    }

    private static let anyCoding = ContentDecoder.acceptEncoding.map { "Accept-Encoding: " + $0 }
}

extension Exchange: ConnectionUser {
    var owner: ConnectionOwner { ConnectionOwner(task: task.identifier, origin: destination.origin) }

    func watchStreams(_ isOn: Bool) { transfer.handle?.trace.ofStreams = isOn }

    func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        touch()
        if StatusLine.begins(line) { transfer.sending.noteResponse() }
        do throws(ResponseHeadParser.Failure) {
            guard let head = try transfer.parser.consume(line) else { return true }
            if head.status >= 200, content?.reader != nil {
                sendUnasked(after: head)
                endProduction(after: head)
                // The delegate is notified of the sent bytes before it receives the response.
                noteSentBytes()
                group.noteAnswer(to: self)
            }
            return receive(head)
        } catch {
            transaction.note(engineError(.badServerResponse, error.sentence))
            retireConnection()
            return false
        }
    }

    func provideContent(into buffer: UnsafeMutableRawBufferPointer) -> EasyHandle.Provision {
        guard let reader = content?.reader else { return .failed }
        let provision = reader.read(into: buffer)
        transfer.pauses.awaitsContinue = false
        if case .bytes(let count) = provision {
            transfer.sending.noteContent()
            if count == 0 || reader.position == reader.length { transfer.handle?.connectionUse.lacksContent = false }
        }
        switch provision {
        case .paused: transfer.pauses.awaitsContent = true
        case .bytes(0): noteProvidedEnd()
        default: break
        }
        return provision
    }

    var trailerLines: [String] { content?.channel?.trailers ?? [] }

    func seekContent(to offset: Int64) -> Bool {
        guard transfer.sending.mayRepeatContent(canRepeat: content?.isStreamed != true) else { return false }
        return content?.reader?.seek(to: offset) ?? false
    }

    /// Reports the number of sent bytes to the delegate.
    func noteSentBytes() {
        guard transaction.isTransferring, let content, let reader = content.reader, let handle = transfer.handle else {
            return
        }
        // The smaller number is reported. libcurl's number also counts the framing of chunks, and the reader's number
        // also counts bytes that libcurl still buffers.
        let sent = min(handle.int64(CURLINFO_SIZE_UPLOAD_T), reader.position)
        let difference = sent - content.sentBytes
        guard difference > 0 else { return }
        self.content?.sentBytes = sent
        touch()
        let expected = reader.length ?? NSURLSessionTransferSizeUnknown
        task.count {
            $0.sent = sent
            $0.expectedToSend = expected
        }
        group.outbox.deliver(.sent(difference, total: sent, expected: expected), to: task)
    }
}
#endif
