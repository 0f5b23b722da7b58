#if canImport(FoundationNetworking)
internal import CLibcurl
import HTTPSyntax

/// The connection of a transaction: whether it may be used, whether the request may be sent again, and whether the end
/// of the connection completes the content.
extension Exchange {
    /// Decides, from within libcurl, whether the request may be sent now; false stops the transfer.
    func maySend(onStaleConnection isStale: Bool) -> Bool {
        let verdict = transfer.sending.begin(
            hasStaleConnection: isStale || transfer.shard?.retiredConnections != nil && hasRetiredConnection
                || transfer.route.sharesConnection && hasAgedConnection,
            takesContent: content != nil && takesContent,
            resend: { resendDecision(after: .lost) }
        )
        if verdict == .send || verdict == .sendFromBeginning { history.noteSending() }
        switch verdict {
        case .send:
            if transfer.route.sharesConnection { noteSelection() }
            return true
        case .sendFromBeginning:
            // After a response, libcurl itself sends the request again to authenticate the connection.
            if let content, !content.isStreamed, content.reader?.seek(to: 0) == true { return true }
            transaction.note(.unrepeatableContent(after: transfer.response?.http, url: destination.url))
            return false
        case .takeFreshConnection, .leaveToEngine: return false
        case .fail:
            transaction.note(ResendDecision.error(for: request))
            return false
        }
    }

    /// Whether libcurl takes the content from the engine and has no copy of it.
    private var takesContent: Bool { content?.reader != nil && transfer.handle?.course.sendsContentWithHead != true }

    /// The decision whether the request may be sent again. A part of the request may have been sent in the last
    /// attempt.
    var resendDecision: ResendDecision { resendDecision(after: transfer.sending.isRefused ? .notProcessed : .lost) }

    private func resendDecision(after attempt: ResendDecision.Attempt) -> ResendDecision {
        ResendDecision(
            request,
            additionalFields: group.settings.additionalFields(for: request, after: firstRequest),
            after: attempt,
            isAllowed: group.settings.options.resendsNonIdempotentRequests
        )
    }

    /// Whether libcurl could repeat the request without asking the engine, although it takes the content from the
    /// engine. To prevent this, such a request is sent over HTTP/1.1 on a new connection, where libcurl repeats no
    /// request.
    var mayRepeatUnasked: Bool { transfer.handle?.seesSendings == false && takesContent }

    /// Decides whether the transfer may reuse a connection. A new connection is needed in two cases: the request is
    /// repeated and the repetition requires a new connection; or libcurl must not send the request twice, but does not
    /// ask the engine before it sends.
    func configureConnection(of handle: EasyHandle) {
        if !handle.seesSendings { history.noteUnseenSending() }
        handle.connectionUse.makesConnection =
            history.needsNewConnection || !handle.seesSendings && (takesContent || resendDecision == .fail)
            || opensConnection
        handle.connectionUse.closesConnection = false
        handle.connectionUse.lacksContent = false
        // If libcurl (up to 8.14) fails to send content again, the next request of the handle fails too. So the handle
        // is not used for another request.
        handle.reuse.isClean = false
        if case .none = content?.body ?? TaskBody.none { handle.reuse.isClean = true }
        history.needsNewConnection = false
        history.needsHTTP1 = false
    }

    /// If the transfer was stopped before anything was sent, restarts it on a new connection. Returns false if the
    /// transfer has ended for another reason, or if it cannot be restarted.
    func takesFreshConnection(_ handle: EasyHandle) -> Bool {
        guard transfer.sending.endInterruption(), transaction.failure == nil else { return false }
        handle.connectionUse.closesConnection = false
        handle.connectionUse.lacksContent = false
        handle.clearFailure()
        if leaveAgedConnection(handle) { return true }
        handle.connectionUse.makesConnection = true
        if transfer.shard?.restart(handle) == true { return true }
        transaction.note(engineError(.unknown, Self.notBegun))
        return false
    }

    // MARK: The end

    /// Watches how a TLS connection is closed, if the content is complete only when the connection ends.
    func watchClose() {
        guard !tlsSettings.configuration.acceptsMissingCloseNotify,
            received.incoming.framed.framing == .close
        else { return }
        transfer.handle?.watchClose()
    }

    /// If the connection was watched and was closed without a close_notify, records that the content may be truncated.
    ///
    /// This is an error only if the content is delivered. For a redirect or a challenge, only the header section is
    /// needed.
    func noteClose(of handle: EasyHandle) {
        guard handle.endCloseWatch() else { return }
        let sentence =
            "The server ended the content by closing the connection, without TLS's close_notify: it may have been cut short. The option acceptsMissingCloseNotify of TLSConfiguration accepts such content."
        transfer.ending.truncation = .tls(
            .badServerResponse,
            sentence,
            url: destination.url,
            TLSFailure(.missingCloseNotify, host: destination.url?.nameOfServer ?? "")
        )
    }
}

/// Retired connections, and requests that are repeated on a new connection.
extension Exchange {
    /// Whether libcurl has chosen a retired connection. If it has, reading this property also makes libcurl close the
    /// connection.
    var hasRetiredConnection: Bool {
        guard let handle = transfer.handle, let connection = handle.connection,
            transfer.shard?.retiredConnections?.contains(connection) == true
        else { return false }
        handle.connectionUse.closesConnection = true
        return true
    }

    /// Whether libcurl has chosen a shared connection that has reached its maximum age. If it has, reading this
    /// property also makes libcurl close the connection when its requests have ended, and makes new requests avoid the
    /// shard.
    ///
    /// libcurl itself checks the age only of connections without requests.
    var hasAgedConnection: Bool {
        guard let time = group.connections.oldestOpening, let host, host.isMultiplexed, let shard = transfer.shard,
            let handle = transfer.handle, handle.usesKnownConnection, !history.hasLeftAgedConnection
        else { return false }
        let sockets = handle.support.sockets.connection(at: handle.long(CURLINFO_LOCAL_PORT), openedBefore: time)
        guard !sockets.isEmpty else { return false }
        handle.connectionUse.closesConnection = true
        shard.closeConnection(with: sockets)
        if !host.avoids(shard) { host.avoid(shard, while: sockets) }
        return true
    }

    func closeConnection(with sockets: [OpenSocket]) {
        guard transaction.isTransferring, transfer.sending.hasBegun, let handle = transfer.handle,
            handle.possibleSockets.contains(where: { socket in sockets.contains { $0.number == socket } })
        else { return }
        handle.connectionUse.closesConnection = true
    }

    /// If the transfer was stopped on a connection that has reached its maximum age, moves the transfer to another
    /// shard, where it shares a connection with other new requests. Returns false if there is no other shard.
    private func leaveAgedConnection(_ handle: EasyHandle) -> Bool {
        guard let host, let shard = transfer.shard, host.avoids(shard),
            let next = group.connections.shard(for: host), next !== shard
        else { return false }
        let isWatched = transfer.stream?.isWatched == true
        if isWatched { shard.endWatchingStreams() }
        shard.remove(self, handle)
        if isWatched { next.beginWatchingStreams() }
        handle.trace.ofStreams = next.watchesStreams
        guard next.add(self, handle) else { return false }
        transfer.shard = next
        history.hasLeftAgedConnection = true
        if content?.reader != nil { next.watchUpload(of: self) }
        return true
    }

    /// Whether the task has yet to open a connection in advance, and shares no connection that another request opens.
    var opensConnection: Bool {
        task.plan.opensConnection && !history.hasOpenedConnection && !transfer.route.sharesConnection
    }

    /// Retires the connection of the transfer, so that it gets no more requests.
    func retireConnection() {
        guard let handle = transfer.handle else { return }
        // This has to happen during the transfer, because libcurl returns the connection to its cache at the end of the
        // transfer.
        handle.connectionUse.closesConnection = true
        if let connection = handle.connection { transfer.shard?.retire(connection) }
    }

    /// Returns the way in which a failed transfer is repeated; nil if it is not repeated. A repetition requires that no
    /// part of a response has arrived. It also requires that the request may be sent twice, or that the server has not
    /// processed it.
    func repetition(after result: Int32, of handle: EasyHandle) -> Transaction.Repetition? {
        guard transaction.failure == nil, transfer.response == nil, history.mayRepeat,
            isLeftToEngine(after: result) || hasLostConnection(after: result, of: handle), resendDecision == .resend
        else { return nil }
        history.noteRepetition(overHTTP1: transfer.sending.needsHTTP1)
        return content?.isStreamed == true ? .withNewStream : .same
    }

    /// The error of a request that is not repeated although its content has to be sent again.
    var repetitionFailure: URLError {
        guard transfer.response == nil else {
            return .unrepeatableContent(after: transfer.response?.http, url: destination.url)
        }
        guard resendDecision == .resend else { return ResendDecision.error(for: request) }
        return engineError(
            .networkConnectionLost,
            "The request was sent \(TaskHistory.repetitionLimit + 1) times, and each time the connection was lost or the server refused the request."
        )
    }

    /// Whether the engine, and not libcurl, decides if the request is sent again: libcurl has asked for the content
    /// from its beginning, or was stopped before it sent the content again.
    func isLeftToEngine(after result: Int32) -> Bool {
        transfer.sending.isLeftToEngine || result == CURLE_SEND_FAIL_REWIND
    }

    /// Whether the transfer has lost a connection that was shared with other transfers or had been used before.
    ///
    /// If the connection is lost while content is sent, libcurl does not send the request again. If the request has no
    /// content, libcurl sends it again over HTTP/1.1, and after some faults over HTTP/2.
    private func hasLostConnection(after result: Int32, of handle: EasyHandle) -> Bool {
        guard handle.usesKnownConnection || transfer.sending.isRefused && result == CURLE_HTTP2_STREAM else {
            return false
        }
        if content?.reader != nil, Self.lossResults.contains(result) { return true }
        return destination.isSecure && group.settings.offersHTTP2
            && ConnectionFault.isFault(result, message: handle.errorMessage)
    }

    /// The results of libcurl that mean a lost connection.
    private static let lossResults = [CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR]

    /// Whether the connection was lost while content was sent, after a complete response. The server then needs no more
    /// of the content, and the response is valid.
    func isAnsweredWhole(after result: Int32) -> Bool {
        Self.lossResults.contains(result) && content?.reader != nil && transfer.response != nil
            && received.incoming.framed.hasEnded
    }
}

/// The results of libcurl that mean the failure of a whole connection, not only of a stream.
enum ConnectionFault {
    /// - Parameter message: libcurl's message.
    static func isFault(_ result: Int32, message: @autoclosure () -> String) -> Bool {
        switch result {
        case CURLE_HTTP2, CURLE_HTTP3, CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR: true
        // After a GOAWAY with an error code, libcurl 8.23 fails the streams that the server has not processed. Earlier
        // versions send the requests of these streams again. If the server has reset a stream, the message has "reset
        // by server".
        case CURLE_HTTP2_STREAM: message().holds(" reset by curl ")
        default: false
        }
    }
}
#endif
