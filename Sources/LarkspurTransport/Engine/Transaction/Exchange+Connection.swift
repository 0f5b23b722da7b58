#if canImport(FoundationNetworking)
/// The connection of a transaction: whether it may be used, whether the request may be sent again, and whether its end
/// completes the content.
extension Exchange {
    /// Decides before each sending, from within libcurl; false stops the transfer.
    func maySend(onStaleConnection isStale: Bool) -> Bool {
        switch transfer.sending.begin(hasStaleConnection: isStale || hasRetiredConnection, resend: { resendDecision }) {
        case .send: return true
        case .takeFreshConnection: return false
        case .fail:
            transaction.note(ResendDecision.error(for: request))
            return false
        }
    }

    /// The decision whether the request may be sent again when a byte of it may have left.
    var resendDecision: ResendDecision {
        ResendDecision(
            request,
            additionalFields: loop.settings.additionalFields(for: request, of: task),
            after: .lost,
            isAllowed: loop.settings.options.resendsNonIdempotentRequests
        )
    }

    /// Decides whether an idle connection may be reused: always with a libcurl that asks before each sending.
    func configureConnection(of handle: EasyHandle) {
        handle.usesFreshConnection = history.needsNewConnection || !handle.seesSendings && resendDecision == .fail
        handle.closesConnection = false
        // If libcurl up to 8.14 could not send content again, the next request of the handle would fail.
        if case .none = content.body { handle.servesAgain = true } else { handle.servesAgain = false }
        history.needsNewConnection = false
    }

    /// Restarts the transfer on a new connection if it was stopped before anything of it was sent; false if it ended
    /// for another reason.
    func takesFreshConnection(_ handle: EasyHandle) -> Bool {
        guard transfer.sending.endInterruption(), transaction.failure == nil else { return false }
        handle.usesFreshConnection = true
        handle.closesConnection = false
        handle.clearFailure()
        if transfer.shard?.restart(handle) == true { return true }
        transaction.note(.engine(.unknown, "libcurl could not begin a transfer.", url: destination.url))
        return false
    }

    // MARK: The end

    /// Watches the end of the connection if nothing else ends the content.
    func watchClose() {
        guard destination.isSecure, !loop.settings.options.tls.acceptsMissingCloseNotify,
            sink.incoming.framed.framing == .close
        else { return }
        transfer.handle?.watchClose()
    }

    /// Notes a connection that has ended without a close_notify, and with it the content.
    ///
    /// It counts if the content is delivered: of a redirect or a challenge only the header is needed.
    func noteClose(of handle: EasyHandle) {
        guard handle.endCloseWatch() else { return }
        let sentence =
            "The server ended the content by closing the connection, without TLS's close_notify: it may have been cut short. The option acceptsMissingCloseNotify of TLSConfiguration accepts such content."
        transfer.truncation = .tls(
            .badServerResponse,
            sentence,
            url: destination.url,
            TLSFailure(.missingCloseNotify, host: destination.url?.nameOfServer ?? "")
        )
    }
}
#endif

#if canImport(FoundationNetworking)
internal import CLibcurl

/// The route to the server: a proxy, a socket, or neither.
extension Exchange {
    /// Chooses the proxy of the request; nil for none.
    func proxy() throws(URLError) -> ProxyServer? {
        let proxies = loop.settings.proxies
        guard !proxies.isDirect, let url = destination.url, url.scheme?.isUnixScheme != true else { return nil }
        do throws(ProxySettings.Failure) {
            return try proxies.proxy(for: url)
        } catch {
            throw .engine(.cannotFindHost, error.sentence, url: url)
        }
    }
}

extension String {
    fileprivate var isUnixScheme: Bool { UnixSocketTarget.schemes.contains(lowercased()) }
}

extension EasyHandle {
    /// Sets the options that are the same for all transfers of a session.
    /// - Returns: The reason why libcurl cannot apply the options; nil if it can.
    func setRoute(of options: EngineOptions) -> String? {
        // The session reads the environment, not libcurl.
        set(CURLOPT_PROXY, "")
        set(CURLOPT_NOPROXY, "")
        if let address = options.localAddress { set(CURLOPT_INTERFACE, address) }
        if !options.hostAddresses.isEmpty {
            var lines: [String] = []
            for address in options.hostAddresses {
                guard let line = address.curlLine else {
                    return
                        "The addresses given for the host \(address.host) are not numerical addresses of a host and port."
                }
                lines.append(line)
            }
            setHostAddresses(lines)
        }
        if !options.nameServers.isEmpty, !accepts(CURLOPT_DNS_SERVERS, options.nameServers.joined(separator: ",")) {
            return "This libcurl cannot ask the name servers that were given: it was built without c-ares."
        }
        return nil
    }

    /// Sets the route of one transfer.
    func setRoute(proxy: ProxyServer?, socketPath: String?) {
        let route = Route(proxy: proxy, socketPath: socketPath)
        guard route != self.route else { return }
        self.route = route
        set(CURLOPT_PROXY, proxy?.curlName ?? "")
        let socks = proxy.flatMap { $0.kind == .socks5 ? $0 : nil }
        set(CURLOPT_PROXYUSERNAME, socks?.user)
        set(CURLOPT_PROXYPASSWORD, socks?.password)
        set(CURLOPT_UNIX_SOCKET_PATH, socketPath)
    }

    /// The route of the last transfer that was set up.
    struct Route: Equatable {
        var proxy: ProxyServer?
        var socketPath: String?
    }
}
#endif

#if canImport(FoundationNetworking)
internal import CLibcurl

/// The responses of a proxy to `CONNECT`.
///
/// It is an object, as it is large, and most transfers have none.
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
    /// Receives a line of libcurl's trace of received headers.
    ///
    /// The fields of a proxy's response are not among those of responses, so that no proxy can pass for a server that
    /// it has not even connected to. They are read only if there is no tunnel.
    func receiveTunnelHeader(_ line: UnsafeRawBufferPointer) {
        guard isTunnelled, transfer.response == nil else { return }
        if transfer.tunnel == nil { transfer.tunnel = TunnelAnswers() }
        transfer.tunnel?.receive(line)
    }

    /// Returns the refusal of a proxy that demands credentials before it makes a tunnel; nil if the transfer has failed
    /// for another reason. The refusal replaces the response.
    func tunnelRefusal(of handle: EasyHandle) -> Transaction.Refusal? {
        guard transaction.failure == nil, transfer.response == nil, handle.long(CURLINFO_HTTP_CONNECTCODE) == 407,
            let head = transfer.tunnel?.last?.withChallengesOnly, head.status == 407, let url = destination.url,
            let response = ReceivedResponse(head, url: url)
        else { return nil }
        transfer.response = response
        sink.incoming.expectedBytes = NSURLSessionTransferSizeUnknown
        return Transaction.Refusal(recipient: .proxy, head: head)
    }
}

extension ResponseHead {
    /// The head reduced to its challenges: the proxy's other fields must not be taken for the server's.
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
#endif

#if canImport(FoundationNetworking)
internal import CLibcurl

/// The application of a session's TLS configuration to a transaction.
extension Exchange {
    /// Checks whether the request may be sent at all, and sets the options for its host.
    func configureTLS(of handle: EasyHandle) throws(URLError) {
        let tls = loop.settings.tls
        guard tls.isCustom || destination.isSecure || transfer.proxy?.kind == .https else { return }
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
        return handle.trust?.objection(at: handle.trustHost, after: handle.earlierObjections)
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
