import Larkspur

extension Transport {
    /// Creates the transport for an invocation.
    static func of(_ invocation: Invocation) throws(UsageError) -> Transport {
        #if canImport(FoundationNetworking)
        var options = CurlURLSession.Options()
        switch invocation.network.httpVersion {
        case .http1: options.http2 = .never
        case .http3: options.http3 = .preferred
        case .http2, nil: break
        }
        if let proxy = try ProxyRule.server(in: invocation.network.proxies) { options.proxy = .server(proxy) }
        if invocation.network.isPublicOnly { options.allowedAddresses = .publicOnly }
        do throws(TLSConfigurationError) {
            switch invocation.network.verification {
            case .system: break
            case .off:
                options.tls.dangerouslySkipsCertificateVerification = true
                options.tls.dangerouslySkipsHostNameVerification = true
            case .file(let path):
                let file = URL(fileURLWithPath: UserPath.expanded(path))
                options.tls.trustedRoots = .only(try TLSCertificate.certificates(contentsOf: file))
            }
            if let certificate = invocation.network.certificateFile {
                options.tls.clientIdentity = try ClientIdentity.pem(
                    certificateFile: URL(fileURLWithPath: certificate),
                    keyFile: URL(fileURLWithPath: invocation.network.keyFile ?? certificate)
                )
            }
        } catch {
            throw UsageError(error.message)
        }
        return .curl(options)
        #else
        guard invocation.network.verification == .system, invocation.network.certificateFile == nil,
            invocation.network.proxies.isEmpty, !invocation.network.isPublicOnly
        else {
            throw UsageError("--verify, --cert, --proxy and --public-only are available only on Linux.")
        }
        return .automatic
        #endif
    }
}
