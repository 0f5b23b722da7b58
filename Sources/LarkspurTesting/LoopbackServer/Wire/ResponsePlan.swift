internal import Foundation
internal import HTTPSyntax

/// What goes onto the wire for a response to a request: all decisions and no input or output.
struct ResponsePlan {
    typealias Response = LoopbackServer.Response
    typealias Step = LoopbackServer.Response.Step

    enum Ending {
        case keepAlive, close, reset
    }

    /// The steps to take, whose bytes are sent as they are.
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
            // HTTP/1.0 takes the connection to be closed unless the response says otherwise.
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
        // An empty chunk would be the last one.
        data.isEmpty ? data : Data("\(String(data.count, radix: 16))\r\n".utf8) + data + Data("\r\n".utf8)
    }

    /// A small body leaves with its header in one packet, as from any server that cares for its speed.
    private static func joiningFirst(_ head: Data, _ body: [Step]) -> [Step] {
        if case .bytes(let data) = body.first, data.count <= 16 * 1024 {
            return [.bytes(head + data)] + body.dropFirst()
        }
        return [.bytes(head)] + body
    }
}
