internal import HTTPSyntax

/// The part before a request's body: the request line and the header.
struct ReceivedHead: Sendable, Equatable {
    typealias Fields = LoopbackServer.Fields

    /// The framing of a body, which determines its end.
    enum BodyFraming: Equatable {
        case none
        case length(Int)
        case chunked
    }

    var method: String
    var target: String
    /// The minor version: 0 for HTTP/1.0, 1 for HTTP/1.1.
    var minorVersion = 1
    var fields: Fields = [:]
    var framing = BodyFraming.none

    /// The unchanged path. If the target is a whole URL, as in a request to a proxy, this is the path of the URL.
    var rawPath: String {
        String(pathAndQuery.before("?"))
    }

    /// The unchanged query after the question mark.
    var rawQuery: String? {
        (pathAndQuery.cut(at: "?")?.after).map(String.init)
    }

    private var pathAndQuery: Substring {
        guard !target.begins(with: "/"), let scheme = target.utf8.firstRange(of: "://".utf8) else {
            return target[...]
        }
        let rest = target.utf8[scheme.upperBound...]
        return rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }.map { target[$0...] } ?? "/"
    }

    /// Whether the client delays the body until it receives `100 Continue` (RFC 9110, section 10.1.1).
    var expectsContinue: Bool {
        minorVersion >= 1 && framing != .none && fields.contains(token: "100-continue", in: "Expect")
    }

    /// Whether the connection can stay open for another request of the client (RFC 9112, section 9.3).
    var wantsKeepAlive: Bool {
        if fields.contains(token: "close", in: "Connection") { return false }
        return minorVersion >= 1 || fields.contains(token: "keep-alive", in: "Connection")
    }
}
