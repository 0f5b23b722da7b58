#if canImport(FoundationNetworking)
internal import CLibcurl
internal import HTTPSyntax

extension EasyHandle {
    /// Sets the options that are the same for all transfers of a session.
    /// - Returns: The reason why libcurl cannot apply the options; nil if it can.
    func setRoute(
        from localAddress: String?,
        to hostAddresses: [HostAddress],
        nameServers: [String],
        dnsOverHTTPS: URL?,
        family: AddressFamily = .any,
        unixSocket: String? = nil
    ) -> String? {
        if let unixSocket, !UnixSocketTarget.isPath(unixSocket) {
            return
                "“\(unixSocket)” is not the path of a Unix-domain socket: it must be absolute, with at most 107 bytes."
        }
        // The session reads the environment, and libcurl must not read it, for three reasons. If the proxy were
        // invalid, libcurl would connect directly. Exceptions from all sources have to follow the same rules. The
        // metrics have to name the proxy.
        set(CURLOPT_PROXY, "")
        set(CURLOPT_NOPROXY, "")
        if let localAddress { set(CURLOPT_INTERFACE, localAddress) }
        if family != .any {
            route.family = family
            set(CURLOPT_IPRESOLVE, family.curlNumber)
        }
        if !hostAddresses.isEmpty {
            var lines: [String] = []
            for address in hostAddresses {
                guard let line = address.curlLine else {
                    return
                        "The addresses given for the host \(address.host) are not numerical addresses of a host and port."
                }
                lines.append(line)
                guard let host = address.canonicalHost, host.address == nil else { continue }
                // Depending on its version, libcurl searches for the name with or without the dot at its end.
                var other = address
                other.host = host.isRooted ? host.name : host.name + "."
                if let line = other.curlLine { lines.append(line) }
            }
            setHostAddresses(lines)
        }
        if !nameServers.isEmpty, !accepts(CURLOPT_DNS_SERVERS, nameServers.joined(separator: ",")) {
            return "This libcurl cannot ask the name servers that were given: it was built without c-ares."
        }
        if let dnsOverHTTPS {
            guard dnsOverHTTPS.scheme?.hasSameLetters(as: "https") == true else {
                return "The URL for DNS over HTTPS does not begin with https."
            }
            guard accepts(CURLOPT_DOH_URL, dnsOverHTTPS.absoluteString) else {
                return "This libcurl cannot look up names over HTTPS: it was built without DNS over HTTPS."
            }
        }
        return nil
    }

    /// Sets the route of one transfer.
    func setRoute(proxy: ProxyServer?, socketPath: String?) {
        if proxy == nil, socketPath == nil, route.proxy == nil, route.socketPath == nil { return }
        guard proxy != route.proxy || socketPath != route.socketPath else { return }
        route = Route(proxy: Boxed(wrappedValue: proxy), socketPath: socketPath, family: route.family)
        set(CURLOPT_PROXY, proxy?.curlName ?? "")
        let socks = proxy.flatMap { $0.kind == .socks5 ? $0 : nil }
        set(CURLOPT_PROXYUSERNAME, socks?.user)
        set(CURLOPT_PROXYPASSWORD, socks?.password)
        set(CURLOPT_UNIX_SOCKET_PATH, socketPath)
        // libcurl finds no address of the family for a socket.
        if route.family != .any { set(CURLOPT_IPRESOLVE, (socketPath == nil ? route.family : .any).curlNumber) }
    }

    /// The route that was last set on the handle.
    struct Route {
        @Boxed var proxy: ProxyServer?
        var socketPath: String?
        /// The family of the addresses to which connections may be opened.
        var family = AddressFamily.any
    }
}

extension EasyHandle {
    /// The credentials of a transfer, except the fields for its origin.
    struct Credentials: Equatable {
        /// The `Proxy-Authorization` field, in libcurl's notation.
        ///
        /// libcurl sends the field with `CONNECT` and with requests to a proxy, but never through a tunnel.
        var proxyField: String?
        var server: RequestCredentials.ConnectionCredentials?
        var proxy: RequestCredentials.ConnectionCredentials?
        /// Whether libcurl reports the responses to `CONNECT`.
        var watchesTunnel = false
    }

    /// Replaces the credentials of the last transfer with the credentials of the next transfer.
    /// - Parameter next: The credentials; nil if the transfer has none.
    func setCredentials(_ next: Credentials?) {
        if next == nil, self.credentials.wrappedValue == nil { return }
        let last = self.credentials.wrappedValue ?? Credentials()
        let credentials = next ?? Credentials()
        self.credentials.wrappedValue = next
        guard credentials != last else { return }
        if credentials.proxyField != last.proxyField { setProxyFields(credentials.proxyField.map { [$0] } ?? []) }
        trace.ofTunnels = credentials.watchesTunnel
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
        // libcurl distinguishes the users of NTLM connections, but not the users of Negotiate connections. A connection
        // of the latter must not be shared.
        connectionUse.isAlone = credentials.server?.scheme == .negotiate || credentials.proxy?.scheme == .negotiate
    }
}
#endif
