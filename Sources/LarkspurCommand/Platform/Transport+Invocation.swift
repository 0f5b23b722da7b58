import Larkspur

extension Transport {
    /// Creates the transport that an invocation asks for.
    static func of(_ invocation: Invocation) throws(UsageError) -> Transport {
        #if canImport(FoundationNetworking)
        var options = CurlURLSession.Options()
        switch invocation.httpVersion {
        case .http1: options.http2 = .never
        case .http3: options.http3 = .preferred
        case .http2, nil: break
        }
        if let proxy = try ProxyRule.server(in: invocation.proxies) { options.proxy = .server(proxy) }
        do throws(TLSConfigurationError) {
            switch invocation.verification {
            case .system: break
            case .off:
                options.tls.dangerouslySkipsCertificateVerification = true
                options.tls.dangerouslySkipsHostNameVerification = true
            case .file(let path):
                let file = URL(fileURLWithPath: UserPath.expanded(path))
                options.tls.trustedRoots = .only(try TLSCertificate.certificates(contentsOf: file))
            }
            if let certificate = invocation.certificateFile {
                options.tls.clientIdentity = try ClientIdentity.pem(
                    certificateFile: URL(fileURLWithPath: certificate),
                    keyFile: URL(fileURLWithPath: invocation.keyFile ?? certificate)
                )
            }
        } catch {
            throw UsageError(error.message)
        }
        return .curl(options)
        #else
        guard invocation.verification == .system, invocation.certificateFile == nil, invocation.proxies.isEmpty else {
            throw UsageError("--verify, --cert and --proxy are available only on Linux.")
        }
        return .automatic
        #endif
    }
}

#if canImport(FoundationNetworking)
/// The proxies of a command line.
enum ProxyRule {
    /// Reads rules such as `http:http://proxy:3128`, or the URL of a proxy for all schemes.
    /// - Returns: The proxy; nil without a rule.
    static func server(in rules: [String]) throws(UsageError) -> ProxyServer? {
        var servers: [ProxyServer] = []
        for rule in rules {
            let text =
                ["http:", "https:", "all:"].first { rule.hasPrefix($0) && !rule.hasPrefix($0 + "//") }
                .map { String(rule.dropFirst($0.count)) } ?? rule
            guard let server = ProxyServer(text) else {
                throw UsageError("--proxy: “\(TargetURL.excerpt(of: rule))” is no proxy.")
            }
            servers.append(server)
        }
        guard let first = servers.first, servers.allSatisfy({ $0 == first }) else {
            if servers.isEmpty { return nil }
            throw UsageError("--proxy: all schemes have to use the same proxy.")
        }
        return first
    }
}
#endif
