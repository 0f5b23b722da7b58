internal import Foundation

extension LoopbackServer.Response {
    /// Returns a response with a fault.
    public static func fault(_ fault: LoopbackServer.Fault) -> Self {
        let body = LoopbackServer.Fault.body
        let length = body.utf8.count
        switch fault {
        case .noResponse: return .raw([.wait(LoopbackServer.Gate())])
        case .closeBeforeHeader: return .raw([])
        case .resetBeforeHeader: return .raw([], ending: .reset)

        case .closeInHeader: return .raw([.text("HTTP/1.1 200 OK\r\nContent-Type: text/pl")])
        case .garbageStatusLine: return .raw([.text("\u{1}\u{2} this is no HTTP \u{7F}\r\n\r\n\(body)")])
        case .endlessHeader:
            let field = Step.text("X-Endless: \(String(repeating: "x", count: 1_011))\r\n")
            return .raw([.text("HTTP/1.1 200 OK\r\n"), .repeated([field], times: endlessCap)])
        case .endlessInformational:
            let interim = Step.text("HTTP/1.1 103 Early Hints\r\nLink: \(String(repeating: "x", count: 990))\r\n\r\n")
            return .raw([.repeated([interim], times: endlessCap)])
        case .conflictingLengths:
            return .raw([.header("Content-Length: \(length)", "Content-Length: \(length - 10)"), .text(body)])

        case .shortBody: return .raw([.header("Content-Length: \(length + 100)"), .text(body)])
        case .longBody:
            let rest = "HTTP/1.1 418 Poison\r\nContent-Length: 6\r\n\r\nPoison"
            return .raw([.header("Content-Length: \(length)"), .text(body + rest)], ending: .negotiated)
        case .resetInBody:
            return .raw([.header("Content-Length: \(length + 100)"), .text(body)], ending: .reset)
        case .brokenChunk: return .raw([chunkedHeader, .chunk(body), .text("zz\r\n\(body)\r\n0\r\n\r\n")])
        case .missingLastChunk: return .raw([chunkedHeader, .chunk(body)])
        case .truncatedGzip:
            let whole = LoopbackServer.ContentCoding.gzip.encode(Data(body.utf8))
            return gzip(whole.prefix(whole.count / 2))
        case .falseGzip: return gzip(Data(body.utf8))

        case .endlessBody:
            return .raw([chunkedHeader, .repeated([.chunk(String(repeating: "x", count: 16 * 1_024))])])
        case .slowBody: return .raw([chunkedHeader, .repeated([.chunk("x"), .pause(0.05)])])

        case .oneByteAtATime:
            let whole = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: \(length)\r\n\r\n\(body)"
            // Without the pauses the system would combine the bytes again.
            return .raw(whole.utf8.flatMap { [.bytes(Data([$0])), .pause(0.0005)] }, ending: .negotiated)
        case .noReasonPhrase:
            return .raw([.text("HTTP/1.1 200\r\nContent-Length: \(length)\r\n\r\n\(body)")], ending: .negotiated)
        case .chunkTrailer:
            return .chunked([Data(body.utf8)], contentType: "text/plain", trailers: ["X-Trailer": "after the body"])
                .adding("Trailer", "X-Trailer")
        case .bareLineFeeds:
            return .raw([.text("HTTP/1.1 200 OK\nContent-Length: \(length)\n\n\(body)")], ending: .negotiated)
        case .sloppyHeader:
            let latin1 = Data("HTTP/1.1 200 OK\r\nContent-Length:\(length)\r\nX-Name:Andr".utf8) + [0xE9]
            return .raw([.bytes(latin1), .text("\r\n\r\n\(body)")], ending: .negotiated)
        case .unannouncedClose: return .text(body).adding("Connection", "keep-alive").with { $0.ending = .close }
        }
    }

    /// The number of kibibytes that counts as endless, for a client that has not given up by then.
    private static let endlessCap = 64 * 1_024

    private static let chunkedHeader = Step.header("Transfer-Encoding: chunked")

    private static func gzip(_ data: Data) -> Self {
        .data(data, contentType: "text/plain").adding("Content-Encoding", "gzip")
    }
}

extension LoopbackServer.Response.Step {
    fileprivate static func header(_ lines: String...) -> Self {
        .text((["HTTP/1.1 200 OK", "Content-Type: text/plain"] + lines).map { $0 + "\r\n" }.joined() + "\r\n")
    }

    fileprivate static func chunk(_ text: String) -> Self {
        .text("\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n")
    }
}
