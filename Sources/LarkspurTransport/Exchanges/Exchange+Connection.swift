#if canImport(FoundationNetworking)
/// The connection of a transaction: whether it may be used, whether the request may be sent again, and whether the end
/// of the connection completes the content.
extension Exchange {
    /// Decides, from within libcurl, whether the request may be sent now; false stops the transfer.
    func maySend(onStaleConnection isStale: Bool) -> Bool {
        switch transfer.sending.begin(hasStaleConnection: isStale || hasRetiredConnection, resend: { resendDecision }) {
        case .send: return true
        case .takeFreshConnection: return false
        case .fail:
            transaction.note(ResendDecision.error(for: request))
            return false
        }
    }

    /// The decision whether the request may be sent again after a part of it may have been sent.
    var resendDecision: ResendDecision {
        ResendDecision(
            request,
            additionalFields: group.settings.additionalFields(for: request, after: firstRequest),
            after: .lost,
            isAllowed: group.settings.options.resendsNonIdempotentRequests
        )
    }

    /// Decides whether the transfer may reuse a connection. A new connection is needed in two cases: the repetition of
    /// a request requires it, or the request must not be sent twice and libcurl does not ask before it sends.
    func configureConnection(of handle: EasyHandle) {
        handle.connectionUse.makesConnection =
            history.needsNewConnection || !handle.seesSendings && resendDecision == .fail
        handle.connectionUse.closesConnection = false
        // If libcurl (up to 8.14) fails to send content again, the next request of the handle fails too. So the handle
        // gets no other request.
        if case .none = content.body { handle.reuse.isClean = true } else { handle.reuse.isClean = false }
        history.needsNewConnection = false
    }

    /// If the transfer was stopped before anything was sent, restarts it on a new connection. Returns false if the
    /// transfer has ended for another reason, or cannot be restarted.
    func takesFreshConnection(_ handle: EasyHandle) -> Bool {
        guard transfer.sending.endInterruption(), transaction.failure == nil else { return false }
        handle.connectionUse.makesConnection = true
        handle.connectionUse.closesConnection = false
        handle.clearFailure()
        if transfer.shard?.restart(handle) == true { return true }
        transaction.note(.engine(.unknown, "libcurl could not begin a transfer.", url: destination.url))
        return false
    }

    // MARK: The end

    /// Watches how the connection is closed, if only the end of the connection completes the content.
    func watchClose() {
        guard destination.isSecure, !group.settings.options.tls.acceptsMissingCloseNotify,
            sink.incoming.framed.framing == .close
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
