#if canImport(FoundationNetworking)
internal import CLibcurl
internal import HTTPSyntax
internal import Synchronization

/// The route to the server: through a proxy, over a Unix-domain socket, or directly.
extension Exchange {
    /// Chooses the proxy of the request; nil for none.
    func proxy() throws(URLError) -> ProxyServer? {
        guard let proxies = group.settings.proxies, group.settings.options.unixSocket == nil,
            let url = destination.url, url.scheme?.isUnixScheme != true
        else { return nil }
        do throws(ProxySettings.Failure) {
            return try proxies.proxy(for: url)
        } catch {
            throw .engine(.cannotFindHost, error.sentence, url: url)
        }
    }

    /// Sends the request through a proxy. If the request is secure or opens a WebSocket, it goes through a tunnel,
    /// unless the proxy passes on all bytes anyway.
    func takeRoute(through proxy: ProxyServer) {
        transfer.route.proxy = proxy
        guard proxy.kind != .socks5 else { return }
        let isTunnelled = destination.url?.scheme?.inLowercase == "https" || task.plan.webSocket != nil
        transfer.route.isTunnelled = isTunnelled
        transfer.route.isForwarded = !isTunnelled
    }
}

extension String {
    fileprivate var isUnixScheme: Bool { UnixSocketTarget.schemes.contains(lowercased()) }
}

/// The choice of HTTP/3 for requests, and the alternative services that servers announce.
extension Exchange {
    /// Returns the versions of HTTP that the request may use.
    /// - Parameter isAuthenticatedByConnection: Whether libcurl authenticates the connection, by NTLM or Negotiate.
    func offeredVersions(isAuthenticatedByConnection: Bool) -> OfferedVersions {
        let settings = group.settings
        guard destination.isSecure, !isAuthenticatedByConnection, task.plan.webSocket == nil,
            content?.hasTrailers != true,
            settings.offersHTTP2, !history.needsHTTP1, !mayRepeatUnasked,
            !(content?.isTwoWay == true && HTTP2Trust.couplesDirections && settings.options.http2 == .whereTrusted)
        else { return .http1 }
        guard let origin = http3Origin else { return .http2 }
        switch settings.http3.kind {
        case .never: return .http2
        case .automatic: return settings.http3Origins.withLock { $0.contains(origin, at: .now) } ? .http3 : .http2
        case .preferred: return .http3
        }
    }

    /// The origin of the request; nil if HTTP/3 is not possible. QUIC is not possible through a proxy or over a
    /// Unix-domain socket.
    private var http3Origin: Origin? {
        guard group.settings.http3 != .never, transfer.route.proxy == nil, group.settings.options.unixSocket == nil,
            let url = destination.url, let origin = Origin(url),
            origin.scheme == "https"
        else { return nil }
        return origin
    }

    /// Records the alternative services that a response announces.
    func noteAlternatives(of head: ResponseHead) {
        // The field of a 421 is ignored (RFC 7838, section 6).
        guard group.settings.http3 == .automatic, task.plan.webSocket == nil, head.status != 421,
            let field = head.fields["Alt-Svc"], let origin = http3Origin
        else { return }
        let isOffered = group.settings.http3Origins.withLock {
            $0.note(field, age: head.fields["Age"], of: origin, at: .now)
            return $0.contains(origin, at: .now)
        }
        // The next request uses HTTP/3. But libcurl would prefer this connection to a new one, so this connection is
        // retired.
        if isOffered, transfer.route.versions != .http3 { retireConnection() }
    }

    /// Records the failure of a connection that may have used QUIC.
    func noteFault(of handle: EasyHandle, result: Int32) {
        guard group.settings.http3 == .automatic, transfer.route.versions == .http3,
            ConnectionFault.isFault(result, message: handle.errorMessage),
            // Before the response, libcurl does not know the version and reports 0.
            [0, Int(CURL_HTTP_VERSION_3)].contains(handle.long(CURLINFO_HTTP_VERSION)), let origin = http3Origin
        else { return }
        group.settings.http3Origins.withLock { $0.noteFailure(of: origin, at: .now) }
    }
}

/// The responses of a proxy to `CONNECT`.
///
/// This type is a class because it is large, and most transfers have no such responses.
final class TunnelAnswers {
    private var parser = ResponseHeadParser()
    /// The last response; nil if it cannot be parsed.
    private(set) var last: ResponseHead?

    func receive(_ line: UnsafeRawBufferPointer) {
        do throws(ResponseHeadParser.Failure) {
            if let head = try parser.consume(line), head.status >= 200 { last = head }
        } catch {
            last = nil
        }
    }
}

/// Tunnels through proxies.
extension Exchange {
    /// Receives a line of a proxy's header section from libcurl's trace.
    ///
    /// `CURLOPT_SUPPRESS_CONNECT_HEADERS` keeps libcurl from reporting these lines as lines of a server's response.
    /// Otherwise, a proxy could forge the response of a server. The lines are used only if the tunnel is not opened.
    func receiveTunnelHeader(_ line: UnsafeRawBufferPointer) {
        guard transfer.route.isTunnelled, transfer.response == nil else { return }
        if transfer.tunnel == nil { transfer.tunnel = TunnelAnswers() }
        transfer.tunnel?.receive(line)
    }

    /// Returns the refusal if the proxy asks for credentials before it opens a tunnel. Returns nil if the transfer
    /// failed for another reason. The refusal becomes the response.
    func tunnelRefusal(of handle: EasyHandle) -> Transaction.Refusal? {
        guard transaction.failure == nil, transfer.response == nil, handle.long(CURLINFO_HTTP_CONNECTCODE) == 407,
            let head = transfer.tunnel?.last?.withChallengesOnly, head.status == 407, let url = destination.url,
            let response = ReceivedResponse(head, url: url)
        else { return nil }
        transfer.response = response
        received.incoming.expectedBytes = NSURLSessionTransferSizeUnknown
        return Transaction.Refusal(recipient: .proxy, head: head)
    }
}

extension ResponseHead {
    /// The head with its challenges only. The proxy's other fields must not be mistaken for fields of the server.
    fileprivate var withChallengesOnly: ResponseHead {
        ResponseHead(
            status: status,
            version: version,
            fields: fields.filter { $0.key == "Proxy-Authenticate" },
            setCookies: [],
            challenges: [],
            proxyChallenges: proxyChallenges,
            location: nil,
            framing: FramingFields()
        )
    }
}

/// Applies a session's TLS configuration to a transaction.
extension Exchange {
    /// Checks whether the TLS configuration permits the request, and sets the options for its host.
    func configureTLS(of handle: EasyHandle) throws(URLError) {
        try group.settings.tls[group.settings.tls.number(for: hostName)].admit(destination.url)
        let tls = tlsSettings
        if group.settings.tls.hasRules || tls.configuration.revocationLists != nil {
            // Tunnels to hosts with different settings may use the same https proxy. A resumed TLS session with this
            // proxy would be checked neither by the settings of the second host nor by newer revocation lists.
            handle.set(CURLOPT_SSL_SESSIONID_CACHE, transfer.route.proxy?.kind == .https ? 0 : 1)
        }
        let proxy = transfer.route.proxy.flatMap { $0.kind == .https ? $0.host : nil }
        handle.security.check?.begin(host: hostName, peers: tlsPeers(proxy), hasProxy: proxy != nil)
        if handle.security.check?.isAmbiguous == true {
            throw refusal(
                .notEnforceable,
                "A server trust evaluator cannot tell a server and a proxy or name server apart if both have addresses."
            )
        }
        let isConfigured = handle.configure(
            tls,
            host: hostName,
            isSecure: destination.isSecure,
            revocation: try revocationGeneration(of: handle)
        )
        guard isConfigured else { throw .unenforceableTLS(url: destination.url) }
    }

    /// Reads the revocation lists if they have changed. Returns their number; nil if there are none.
    private func revocationGeneration(of handle: EasyHandle) throws(URLError) -> UInt32? {
        guard let trust = handle.security.check?.trust,
            destination.isSecure || transfer.route.proxy?.kind == .https || group.settings.looksUpOverHTTPS
        else { return nil }
        do throws(RevocationDefect) {
            return try trust.updateRevocation(at: .now)
        } catch {
            throw refusal(.revocationListUnusable, error.sentence)
        }
    }

    /// Returns the error of a request that is not sent, because a connection cannot be checked.
    private func refusal(_ reason: TLSFailure.Reason, _ sentence: String) -> URLError {
        let failure = TLSFailure(reason, host: destination.url?.nameOfServer ?? "")
        return .tls(.secureConnectionFailed, sentence, url: destination.url, failure)
    }

    /// The peers of all TLS handshakes that the request may need: the server, an https proxy, and the server of DNS
    /// over HTTPS.
    private func tlsPeers(_ proxy: String?) -> [String] {
        let nameServer = group.settings.looksUpOverHTTPS ? group.settings.options.dnsOverHTTPS?.host : nil
        return [destination.isSecure ? hostName : nil, proxy, nameServer].compactMap(\.self)
    }

    private var hostName: String { destination.host?.name ?? UnixSocketTarget.host }

    /// The number of the TLS settings of the transfer's connection.
    var tlsNumber: Int {
        let table = group.settings.tls
        guard table.hasRules else { return 0 }
        // A connection to a proxy that forwards requests is used for the requests to all hosts.
        if transfer.route.isForwarded, let proxy = transfer.route.proxy {
            return table.number(for: proxy.canonicalHost?.name ?? proxy.host)
        }
        return table.number(for: hostName)
    }

    /// The TLS settings of the transfer's connection.
    var tlsSettings: TLSSettings { group.settings.tls[tlsNumber] }

    /// Returns the reason why the engine refused the handshake; nil if the transfer failed for another reason.
    ///
    /// For an https proxy, libcurl 7.88 reports the result 35, which says only that the handshake has failed.
    func objection(of handle: EasyHandle, result: Int32) -> TrustObjection? {
        guard Self.handshakeResults.contains(result) else { return nil }
        return handle.security.check?.objection
    }

    /// Returns the https proxy whose handshake failed; nil if the handshake with the server failed, or if no handshake
    /// failed.
    func refusedProxy(of handle: EasyHandle, result: Int32) -> String? {
        guard let proxy = transfer.route.proxy, proxy.kind == .https, Self.handshakeResults.contains(result),
            handle.long(CURLINFO_PROXY_SSL_VERIFYRESULT) != 0
        else { return nil }
        return proxy.host
    }

    /// The results of libcurl that mean a failed handshake.
    private static let handshakeResults: [Int32] = [35, 51, 60]
}
#endif
