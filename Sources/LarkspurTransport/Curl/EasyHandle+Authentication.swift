#if canImport(FoundationNetworking)
internal import CLibcurl

extension EasyHandle {
    /// What a transfer proves itself with beside the fields for its server.
    struct Proof: Equatable {
        /// The field for the proxy, in libcurl's notation.
        ///
        /// libcurl sends it with requests to a proxy and to make a tunnel, and never through one.
        var proxyField: String?
        var server: RequestProof.ConnectionProof?
        var proxy: RequestProof.ConnectionProof?
        /// Whether the answers to the wish for a tunnel are to be seen.
        var watchesTunnel = false
    }

    /// Sets what the next transfer proves itself with, in place of what the last one did.
    func setProof(_ proof: Proof) {
        let last = self.proof
        guard proof != last else { return }
        self.proof = proof
        if proof.proxyField != last.proxyField { setProxyFields(proof.proxyField.map { [$0] } ?? []) }
        if proof.watchesTunnel != last.watchesTunnel { watchTunnel(proof.watchesTunnel) }
        if proof.server != last.server {
            set(CURLOPT_HTTPAUTH, proof.server?.scheme.mask ?? Int(CURLAUTH_BASIC))
            set(CURLOPT_USERNAME, proof.server?.login.user)
            set(CURLOPT_PASSWORD, proof.server?.login.password)
        }
        if proof.proxy != last.proxy {
            set(CURLOPT_PROXYAUTH, proof.proxy?.scheme.mask ?? Int(CURLAUTH_BASIC))
            set(CURLOPT_PROXYUSERNAME, proof.proxy?.login.user)
            set(CURLOPT_PROXYPASSWORD, proof.proxy?.login.password)
        }
        // libcurl tells connections apart by whom NTLM has let in, and does not for Negotiate.
        isAlone = proof.server?.scheme == .negotiate || proof.proxy?.scheme == .negotiate
    }
}
#endif
