#if canImport(FoundationNetworking)
internal import CLibcurl
import HTTPSyntax

extension EasyHandle {
    /// The credentials of a transfer, apart from the fields for its origin.
    struct Credentials: Equatable {
        /// The `Proxy-Authorization` field, in libcurl's notation.
        ///
        /// libcurl sends it with requests to a proxy and with `CONNECT`, but never through a tunnel.
        var proxyField: String?
        var server: RequestCredentials.ConnectionCredentials?
        var proxy: RequestCredentials.ConnectionCredentials?
        /// Whether libcurl reports the responses to `CONNECT`.
        var watchesTunnel = false

        var isNone: Bool { proxyField == nil && server == nil && proxy == nil && !watchesTunnel }
    }

    /// Replaces the credentials of the last transfer with the credentials of the next transfer.
    func setCredentials(_ credentials: Credentials) {
        if credentials.isNone, self.credentials.wrappedValue == nil { return }
        let last = self.credentials.wrappedValue ?? Credentials()
        guard credentials != last else { return }
        self.credentials.wrappedValue = credentials.isNone ? nil : credentials
        if credentials.proxyField != last.proxyField { setProxyFields(credentials.proxyField.map { [$0] } ?? []) }
        if credentials.watchesTunnel != last.watchesTunnel { watchTunnel(credentials.watchesTunnel) }
        if credentials.server != last.server {
            set(CURLOPT_HTTPAUTH, credentials.server?.scheme.mask ?? Int(CURLAUTH_BASIC))
            set(CURLOPT_USERNAME, credentials.server?.userCredential.user)
            set(CURLOPT_PASSWORD, credentials.server?.userCredential.password)
        }
        if credentials.proxy != last.proxy {
            set(CURLOPT_PROXYAUTH, credentials.proxy?.scheme.mask ?? Int(CURLAUTH_BASIC))
            set(CURLOPT_PROXYUSERNAME, credentials.proxy?.userCredential.user)
            set(CURLOPT_PROXYPASSWORD, credentials.proxy?.userCredential.password)
        }
        // libcurl reuses an NTLM connection only for the same user, but does not distinguish users of Negotiate.
        connectionUse.isAlone = credentials.server?.scheme == .negotiate || credentials.proxy?.scheme == .negotiate
    }
}
#endif
