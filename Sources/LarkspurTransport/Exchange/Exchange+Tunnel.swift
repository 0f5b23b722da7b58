#if canImport(FoundationNetworking)
internal import CLibcurl

/// The answers of proxies to the wish for a tunnel.
extension Exchange {
    /// Takes a line of libcurl's account of what it received.
    ///
    /// The fields of a proxy's answer are not among those of responses, so that no proxy can pass for a server whose
    /// connection it has not even made. They are looked at only if there is no tunnel.
    func receiveTunnelHeader(_ line: UnsafeRawBufferPointer) {
        guard isTunnelled, response == nil else { return }
        do throws(ResponseHeadParser.Failure) {
            if let head = try tunnelParser.consume(line), head.status >= 200 { tunnelHead = head }
        } catch {
            tunnelHead = nil
        }
    }

    /// What a proxy has answered that makes no tunnel because it wants to know who asks; nil if that is not why the
    /// transfer has failed.
    func tunnelRefusal(of handle: EasyHandle) -> ResponseHead? {
        guard failure == nil, response == nil, handle.long(CURLINFO_HTTP_CONNECTCODE) == 407,
            let head = tunnelHead, head.status == 407
        else { return nil }
        return head.withChallengesOnly
    }

    func receiveTunnelRefusal(_ head: ResponseHead) {
        guard let url = request.url, let response = head.makeResponse(url: url) else {
            return finish(.engine(.userAuthenticationRequired, "The proxy asked for credentials.", url: request.url))
        }
        self.response = response
        expectedBytes = NSURLSessionTransferSizeUnknown
        question = .refusal(.proxy, head)
        settleRefusal()
        endTransaction()
    }
}

extension ResponseHead {
    /// A head that says no more than who asks and for what: whatever else a proxy says is not to be taken for the
    /// server's.
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
