#if canImport(FoundationNetworking)
/// The connection of a transaction: whether it may be used, whether the request may be sent again, and whether the end
/// of the connection completes the content.
extension Exchange {
    /// Decides, from within libcurl, whether the request may be sent now; false stops the transfer.
    func maySend(onStaleConnection isStale: Bool) -> Bool {
        let verdict = transfer.sending.begin(
            hasStaleConnection: isStale || hasRetiredConnection,
            takesContent: takesContent,
            resend: { resendDecision(after: .lost) }
        )
        switch verdict {
        case .send:
            noteSelection()
            return true
        case .sendFromBeginning:
            // After a response, libcurl itself sends the request again to authenticate the connection.
            if !content.isStreamed, content.reader?.seek(to: 0) == true { return true }
            transaction.note(.unrepeatableContent(after: transfer.response?.http, url: destination.url))
            return false
        case .takeFreshConnection, .leaveToEngine: return false
        case .fail:
            transaction.note(ResendDecision.error(for: request))
            return false
        }
    }

    /// Whether libcurl takes content from the engine, and has no copy of it.
    private var takesContent: Bool { content.reader != nil && transfer.handle?.sendsContentWithHead != true }

    /// The decision whether the request may be sent again after its last attempt, if a part of it may have been sent.
    var resendDecision: ResendDecision { resendDecision(after: transfer.sending.isRefused ? .notProcessed : .lost) }

    private func resendDecision(after attempt: ResendDecision.Attempt) -> ResendDecision {
        ResendDecision(
            request,
            additionalFields: group.settings.additionalFields(for: request, after: firstRequest),
            after: attempt,
            isAllowed: group.settings.options.resendsNonIdempotentRequests
        )
    }

    /// Whether libcurl could repeat the request without asking, which it must not do with content that it takes from
    /// the engine. On a new connection of HTTP/1.1, it does not.
    var mayRepeatUnasked: Bool { transfer.handle?.seesSendings == false && takesContent }

    /// Decides whether the transfer may reuse a connection. A new connection is needed in two cases: the repetition of
    /// a request requires it, or libcurl must not send the request twice and does not ask before it sends.
    func configureConnection(of handle: EasyHandle) {
        handle.connectionUse.makesConnection =
            history.needsNewConnection || mayRepeatUnasked || !handle.seesSendings && resendDecision == .fail
        handle.connectionUse.closesConnection = false
        handle.connectionUse.lacksContent = false
        // If libcurl (up to 8.14) fails to send content again, the next request of the handle fails too. So the handle
        // gets no other request.
        if case .none = content.body { handle.reuse.isClean = true } else { handle.reuse.isClean = false }
        history.needsNewConnection = false
        history.needsHTTP1 = false
    }

    /// If the transfer was stopped before anything was sent, restarts it on a new connection. Returns false if the
    /// transfer has ended for another reason, or cannot be restarted.
    func takesFreshConnection(_ handle: EasyHandle) -> Bool {
        guard transfer.sending.endInterruption(), transaction.failure == nil else { return false }
        handle.connectionUse.makesConnection = true
        handle.connectionUse.closesConnection = false
        handle.connectionUse.lacksContent = false
        handle.clearFailure()
        if transfer.shard?.restart(handle) == true { return true }
        transaction.note(.engine(.unknown, Self.notBegun, url: destination.url))
        return false
    }

    // MARK: The end

    /// Watches how the connection is closed, if only the end of the connection completes the content.
    func watchClose() {
        guard destination.isSecure, !group.settings.options.tls.acceptsMissingCloseNotify,
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
        transfer.truncation = .tls(
            .badServerResponse,
            sentence,
            url: destination.url,
            TLSFailure(.missingCloseNotify, host: destination.url?.nameOfServer ?? "")
        )
    }
}
#endif
