#if canImport(FoundationNetworking)
internal import CLibcurl

/// The application of a session's TLS configuration to a transaction.
extension Exchange {
    /// Checks whether the request may be sent at all, and sets the options for its host.
    func configureTLS(of handle: EasyHandle) throws(URLError) {
        // A copy of the settings costs more than to ask.
        guard group.settings.tls.isCustom || destination.isSecure || transfer.proxy?.kind == .https else { return }
        let tls = group.settings.tls
        try tls.admit(destination.url)
        let host = destination.url?.nameOfServer ?? ""
        guard handle.configure(tls, host: ServerName.canonical(host) ?? host) else {
            throw .unenforceableTLS(url: destination.url)
        }
    }

    /// Returns the reason why the handshake was refused, if the transfer failed for it.
    ///
    /// For an https proxy, libcurl 7.88 reports with its result 35 only that the handshake failed, not why.
    func objection(of handle: EasyHandle, result: Int32) -> TrustObjection? {
        guard Self.handshakeResults.contains(result) else { return nil }
        return handle.check?.objection
    }

    /// Returns the https proxy with which the handshake failed; nil if none did, or if that with the server failed.
    func refusedProxy(of handle: EasyHandle, result: Int32) -> String? {
        guard let proxy = transfer.proxy, proxy.kind == .https, Self.handshakeResults.contains(result),
            handle.long(CURLINFO_PROXY_SSL_VERIFYRESULT) != 0
        else { return nil }
        return proxy.host
    }

    /// The results of libcurl for a failed handshake.
    private static let handshakeResults: [Int32] = [35, 51, 60]
}
#endif
