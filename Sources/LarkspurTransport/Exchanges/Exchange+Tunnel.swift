#if canImport(FoundationNetworking)
internal import CLibcurl
import HTTPSyntax

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
    /// libcurl does not report these lines together with the lines of the server's responses. If it did, a proxy could
    /// forge a response of a server to which it is not even connected. The lines are used only if there is no tunnel.
    func receiveTunnelHeader(_ line: UnsafeRawBufferPointer) {
        guard isTunnelled, transfer.response == nil else { return }
        if transfer.tunnel == nil { transfer.tunnel = TunnelAnswers() }
        transfer.tunnel?.receive(line)
    }

    /// Returns the refusal of a proxy that asks for credentials before it opens a tunnel; nil if the transfer failed
    /// for another reason. The refusal becomes the response.
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
    /// The head with only its challenges, because the proxy's other fields must not be taken for fields of the server.
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
