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
        try options.setRoute(invocation.network)
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
            invocation.network.proxies.isEmpty, !invocation.network.isPublicOnly,
            invocation.network.hostAddresses.isEmpty, invocation.network.localAddress == nil,
            invocation.network.family == nil, invocation.network.unixSocket == nil
        else {
            throw UsageError(
                "--verify, --cert, --proxy, --resolve, --interface, --ipv4, --ipv6, --unix-socket and --public-only are available only on Linux."
            )
        }
        return .automatic
        #endif
    }
}

#if canImport(FoundationNetworking)
extension EngineOptions {
    /// Sets the addresses from which and to which connections are opened.
    fileprivate mutating func setRoute(_ network: Invocation.Network) throws(UsageError) {
        hostAddresses = network.hostAddresses.map {
            HostAddress(host: $0.host, port: $0.port, addresses: $0.addresses)
        }
        localAddress = network.localAddress
        switch network.family {
        case .ipv4: addressFamily = .ipv4
        case .ipv6: addressFamily = .ipv6
        case nil: break
        }
        guard let socket = network.unixSocket else { return }
        let path = URL(fileURLWithPath: UserPath.expanded(socket)).path
        guard path.utf8.count < 108 else {
            throw UsageError("--unix-socket: the path of a socket has at most 107 bytes, and “\(path)” has more.")
        }
        unixSocket = path
    }
}
#endif
