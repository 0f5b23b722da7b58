#if canImport(FoundationNetworking)
/// What a session's TLS configuration asks of a transaction.
extension Exchange {
    /// Checks whether the request may be sent at all, and sets up what is for its host.
    func configureTLS(of handle: EasyHandle) throws(URLError) {
        let tls = reactor.settings.tls
        guard tls.isCustom else { return }
        try tls.admit(request.url)
        let host = request.url?.nameOfServer ?? ""
        guard handle.configure(tls, host: ServerName.canonical(host) ?? host) else {
            throw .unenforceableTLS(url: request.url)
        }
    }

    /// What was wrong with the server's keys, if that is why the transfer failed.
    func pinMismatch(of handle: EasyHandle, result: Int32, verifyResult: Int) -> TLSFailure? {
        // With other results, what the verification found may be that of an earlier transfer.
        guard result == 60 || result == 51, verifyResult == ServerTrust.mismatchResult else { return nil }
        return handle.trust?.mismatch(at: handle.trustHost)
    }
}
#endif
