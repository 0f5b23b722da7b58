internal import Foundation
internal import HTTPSyntax

/// The bytes and waits for the response to a request. The plan makes all decisions, and performs no I/O.
struct ResponsePlan {
    typealias Response = LoopbackServer.Response
    typealias Step = LoopbackServer.Response.Step

    enum Ending {
        case keepAlive, close, reset
    }

    /// The steps. Their bytes are sent unchanged.
    private(set) var steps: [Step] = []
    private(set) var ending = Ending.keepAlive

    init(_ response: Response, to request: ReceivedHead) {
        if response.framing == .raw {
            steps = response.prelude + response.body
        } else {
            steps = response.prelude + Self.framedSteps(response.applyingRange(of: request), request, &ending)
        }
        if response.requestBody == .refuse && request.framing != .none { ending = .close }
        switch response.ending {
        case .negotiated where response.framing == .raw && !request.wantsKeepAlive: ending = .close
        case .negotiated: break
        case .close: ending = .close
        case .reset: ending = .reset
        }
    }

    private static func framedSteps(_ response: Response, _ request: ReceivedHead, _ ending: inout Ending) -> [Step] {
        var fields = response.headers
        if fields["Date"] == nil { fields.append("Date", HTTPDate.string(from: Date())) }
        let isConnected = request.method == "CONNECT" && (200..<300).contains(response.status)
        let statusForbidsBody = response.status < 200 || response.status == 204 || response.status == 304 || isConnected
        let length = response.body.byteCount
        var framing = response.framing
        if length == nil && framing == .contentLength { framing = .untilClose }
        if framing == .chunked && request.minorVersion == 0 { framing = .untilClose }

        if !statusForbidsBody {
            switch framing {
            case .contentLength where fields["Content-Length"] == nil && fields["Transfer-Encoding"] == nil:
                fields.append("Content-Length", String(length ?? 0))
            case .chunked where fields["Transfer-Encoding"] == nil: fields.append("Transfer-Encoding", "chunked")
            case .untilClose: ending = .close
            default: break
            }
        }
        if response.requestBody == .refuse && request.framing != .none { ending = .close }
        if !request.wantsKeepAlive || fields.contains(token: "close", in: "Connection") { ending = .close }
        if fields["Connection"] == nil {
            if ending == .close {
                fields.append("Connection", "close")
            }
            // In HTTP/1.0 the connection is closed unless the response says that it stays open.
            else if request.minorVersion == 0 {
                fields.append("Connection", "keep-alive")
            }
        }

        let head = SentHead(status: response.status, reason: response.reason, fields: fields).bytes
        guard !statusForbidsBody, request.method != "HEAD" else { return [.bytes(head)] }
        return joiningFirst(head, framing == .chunked ? chunkedSteps(response) : response.body)
    }

    private static func chunkedSteps(_ response: Response) -> [Step] {
        var last = "0\r\n"
        for field in response.trailers { last += "\(field.name): \(field.value)\r\n" }
        return response.body.map { $0.mapBytes(chunk) } + [.text(last + "\r\n")]
    }

    private static func chunk(_ data: Data) -> Data {
        // An empty chunk is omitted, because it would end the body.
        data.isEmpty ? data : Data("\(String(data.count, radix: 16))\r\n".utf8) + data + Data("\r\n".utf8)
    }

    /// Joins a small body with its header so that both are sent in one packet, as efficient servers do.
    private static func joiningFirst(_ head: Data, _ body: [Step]) -> [Step] {
        if case .bytes(let data) = body.first, data.count <= 16 * 1024 {
            return [.bytes(head + data)] + body.dropFirst()
        }
        return [.bytes(head)] + body
    }
}

/// The head of a response: the status line and the header.
struct SentHead {
    var status: Int
    /// The reason phrase; nil for the phrase of the status.
    var reason: String?
    var fields: LoopbackServer.Fields

    /// The bytes of the head.
    ///
    /// Line ends in values are replaced, so that a scripted field never becomes two.
    var bytes: Data {
        var text = "HTTP/1.1 \(status) \((reason ?? Self.phrase(for: status)).onOneLine)\r\n"
        for field in fields {
            text += "\(field.name.onOneLine): \(field.value.onOneLine)\r\n"
        }
        return Data((text + "\r\n").utf8)
    }

    /// Returns the reason phrase of a status in RFC 9110, section 15, or in the registry of statuses; empty for an
    /// unknown status.
    static func phrase(for status: Int) -> String {
        phrases[status] ?? ""
    }

    private static let phrases = [
        100: "Continue", 101: "Switching Protocols", 102: "Processing", 103: "Early Hints",
        200: "OK", 201: "Created", 202: "Accepted", 203: "Non-Authoritative Information", 204: "No Content",
        205: "Reset Content", 206: "Partial Content", 207: "Multi-Status", 208: "Already Reported", 226: "IM Used",
        300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
        305: "Use Proxy", 307: "Temporary Redirect", 308: "Permanent Redirect",
        400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 406: "Not Acceptable", 407: "Proxy Authentication Required", 408: "Request Timeout",
        409: "Conflict", 410: "Gone", 411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large",
        414: "URI Too Long", 415: "Unsupported Media Type", 416: "Range Not Satisfiable", 417: "Expectation Failed",
        418: "I'm a teapot", 421: "Misdirected Request", 422: "Unprocessable Content", 423: "Locked",
        424: "Failed Dependency", 425: "Too Early", 426: "Upgrade Required", 428: "Precondition Required",
        429: "Too Many Requests", 431: "Request Header Fields Too Large", 451: "Unavailable For Legal Reasons",
        500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
        504: "Gateway Timeout", 505: "HTTP Version Not Supported", 507: "Insufficient Storage", 508: "Loop Detected",
        511: "Network Authentication Required",
    ]
}

extension String {
    fileprivate var onOneLine: String {
        let isBreak = { (scalar: UnicodeScalar) in ["\r", "\n", "\0"].contains(scalar) }
        guard unicodeScalars.contains(where: isBreak) else { return self }
        return String(UnicodeScalarView(unicodeScalars.map { isBreak($0) ? " " : $0 }))
    }
}
