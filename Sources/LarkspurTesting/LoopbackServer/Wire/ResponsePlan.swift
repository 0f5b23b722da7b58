internal import Foundation
internal import HTTPSyntax

/// The bytes and waits that are sent for a response to a request. The plan makes all decisions, without I/O.
struct ResponsePlan {
    typealias Response = LoopbackServer.Response
    typealias Step = LoopbackServer.Response.Step

    enum Ending {
        case keepAlive, close, reset
    }

    /// The steps, whose bytes are sent unchanged.
    private(set) var steps: [Step] = []
    private(set) var ending = Ending.keepAlive

    init(_ response: Response, to request: RequestHead) {
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

    private static func framedSteps(_ response: Response, _ request: RequestHead, _ ending: inout Ending) -> [Step] {
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
            // In HTTP/1.0 the connection is closed unless the response keeps it alive.
            else if request.minorVersion == 0 {
                fields.append("Connection", "keep-alive")
            }
        }

        let head = ResponseHead(status: response.status, reason: response.reason, fields: fields).bytes
        guard !statusForbidsBody, request.method != "HEAD" else { return [.bytes(head)] }
        return joiningFirst(head, framing == .chunked ? chunkedSteps(response) : response.body)
    }

    private static func chunkedSteps(_ response: Response) -> [Step] {
        var last = "0\r\n"
        for field in response.trailers { last += "\(field.name): \(field.value)\r\n" }
        return response.body.map { $0.mapBytes(chunk) } + [.text(last + "\r\n")]
    }

    private static func chunk(_ data: Data) -> Data {
        // An empty chunk is left out, because it would be the last one.
        data.isEmpty ? data : Data("\(String(data.count, radix: 16))\r\n".utf8) + data + Data("\r\n".utf8)
    }

    /// Joins a small body with its header, so that both are sent in one packet, as efficient servers do.
    private static func joiningFirst(_ head: Data, _ body: [Step]) -> [Step] {
        if case .bytes(let data) = body.first, data.count <= 16 * 1024 {
            return [.bytes(head + data)] + body.dropFirst()
        }
        return [.bytes(head)] + body
    }
}
