#if canImport(FoundationNetworking)
internal import CLibcurl

/// The answers of a proxy that was asked for a tunnel.
///
/// An object, as it is large, and most transfers have none.
final class TunnelAnswers {
    private var parser = ResponseHeadParser()
    /// The last answer; nil if it cannot be read.
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
    /// Takes a line of libcurl's account of what it received.
    ///
    /// The fields of a proxy's answer are not among those of responses, so that no proxy can pass for a server whose
    /// connection it has not even made. They are looked at only if there is no tunnel.
    func receiveTunnelHeader(_ line: UnsafeRawBufferPointer) {
        guard isTunnelled, transfer.response == nil else { return }
        if transfer.tunnel == nil { transfer.tunnel = TunnelAnswers() }
        transfer.tunnel?.receive(line)
    }

    /// The refusal of a proxy that wants credentials before it makes a tunnel; nil if that is not the reason for which
    /// the transfer has failed. It takes the place of the response.
    func tunnelRefusal(of handle: EasyHandle) -> Transaction.Refusal? {
        guard transaction.failure == nil, transfer.response == nil, handle.long(CURLINFO_HTTP_CONNECTCODE) == 407,
            let head = transfer.tunnel?.last?.withChallengesOnly, head.status == 407, let url = request.url,
            let response = head.makeResponse(url: url)
        else { return nil }
        transfer.response = response
        sink.incoming.expectedBytes = NSURLSessionTransferSizeUnknown
        return Transaction.Refusal(recipient: .proxy, head: head)
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
