#if canImport(FoundationNetworking)
/// The connection of a transaction: whether it may be used, whether the request may be sent once more, and whether its
/// end is an end.
extension Exchange {
    /// Before each sending, from within libcurl; false stops the transfer.
    func maySend(onStaleConnection isStale: Bool) -> Bool {
        switch transfer.sending.begin(hasStaleConnection: isStale || hasRetiredConnection, resend: { resendDecision }) {
        case .send: return true
        case .takeFreshConnection: return false
        case .fail:
            transaction.note(ResendDecision.error(for: request))
            return false
        }
    }

    /// Whether the request may be sent again when a byte of it may have left.
    var resendDecision: ResendDecision {
        ResendDecision(
            request,
            additionalFields: loop.settings.additionalFields(for: request, of: task),
            after: .lost,
            isAllowed: loop.settings.options.resendsNonIdempotentRequests
        )
    }

    /// Chooses whether a connection that was kept may be used: with a libcurl that asks before each sending, always.
    func configureConnection(of handle: EasyHandle) {
        handle.usesFreshConnection = history.needsNewConnection || !handle.seesSendings && resendDecision == .fail
        handle.closesConnection = false
        // Where libcurl up to 8.14 was to send content again and could not, the next request of the handle would fail.
        if case .none = content.body { handle.servesAgain = true } else { handle.servesAgain = false }
        history.needsNewConnection = false
    }

    /// Begins the transfer anew on a connection of its own if it was stopped before anything of it was sent; false if
    /// that was not why it has ended.
    func takesFreshConnection(_ handle: EasyHandle) -> Bool {
        guard transfer.sending.endInterruption(), transaction.failure == nil else { return false }
        handle.usesFreshConnection = true
        handle.closesConnection = false
        handle.clearErrorMessage()
        if loop.restart(handle) { return true }
        transaction.note(.engine(.unknown, "libcurl could not begin a transfer.", url: request.url))
        return false
    }

    // MARK: The end

    /// Has the end of the connection looked at where nothing else ends the content.
    func watchClose() {
        guard request.url?.isSecure == true, !loop.settings.options.tls.acceptsMissingCloseNotify,
            sink.incoming.framed.framing == .close
        else { return }
        transfer.handle?.watchClose()
    }

    /// Takes note of a connection that has ended without a close_notify, and with it the content.
    ///
    /// It counts where the content is delivered: of a redirect or a challenge the header is what was wanted.
    func noteClose(of handle: EasyHandle) {
        guard handle.endCloseWatch() else { return }
        let sentence =
            "The server ended the content by closing the connection, without TLS's close_notify: it may have been cut short. The option acceptsMissingCloseNotify of TLSConfiguration accepts such content."
        transfer.truncation = .tls(
            .badServerResponse,
            sentence,
            url: request.url,
            TLSFailure(.missingCloseNotify, host: request.url?.nameOfServer ?? "")
        )
    }
}
#endif
