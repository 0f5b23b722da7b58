#if canImport(FoundationNetworking)
internal import CLibcurl
internal import HTTPSyntax

/// The application of a session's TLS configuration to a transaction.
extension Exchange {
    /// Checks whether the TLS configuration permits the request, and sets the options for its host.
    func configureTLS(of handle: EasyHandle) throws(URLError) {
        // This check is cheaper than a copy of the settings.
        guard group.settings.tls.isCustom || destination.isSecure || transfer.proxy?.kind == .https else { return }
        let tls = group.settings.tls
        try tls.admit(destination.url)
        guard handle.configure(tls, host: destination.host?.name ?? UnixSocketTarget.host) else {
            throw .unenforceableTLS(url: destination.url)
        }
    }

    /// Returns the reason why the engine refused the handshake; nil if the transfer failed for another reason.
    ///
    /// For an https proxy, libcurl 7.88 reports the result 35, which says only that the handshake has failed.
    func objection(of handle: EasyHandle, result: Int32) -> TrustObjection? {
        guard Self.handshakeResults.contains(result) else { return nil }
        return handle.check?.objection
    }

    /// Returns the https proxy whose handshake failed; nil if the handshake with the server failed, or if no handshake
    /// failed.
    func refusedProxy(of handle: EasyHandle, result: Int32) -> String? {
        guard let proxy = transfer.proxy, proxy.kind == .https, Self.handshakeResults.contains(result),
            handle.long(CURLINFO_PROXY_SSL_VERIFYRESULT) != 0
        else { return nil }
        return proxy.host
    }

    /// The results of libcurl that mean a failed handshake.
    private static let handshakeResults: [Int32] = [35, 51, 60]
}
#endif
