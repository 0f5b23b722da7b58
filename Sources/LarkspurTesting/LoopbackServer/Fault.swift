internal import Foundation
import HTTPSyntax

extension LoopbackServer {
    /// A fault of a server, to test the behaviour of a client.
    ///
    /// Each fault is available as a response, ``Response/fault(_:)``, and at the path ``path`` of every server. The
    /// request's body is read before the fault begins.
    public enum Fault: String, Sendable, CaseIterable {
        // MARK: No response

        /// The server never responds, and the connection stays open.
        case noResponse = "no-response"
        /// The connection is closed before the first byte.
        case closeBeforeHeader = "close-before-header"
        /// The connection is reset before the first byte.
        case resetBeforeHeader = "reset-before-header"

        // MARK: A broken header

        /// The connection is closed in the middle of a header field.
        case closeInHeader = "close-in-header"
        /// The first line is not a status line, and nothing after it is HTTP.
        case garbageStatusLine = "garbage-status-line"
        /// The header has field after field, until the client disconnects or has received more than 64 MiB.
        case endlessHeader = "endless-header"
        /// Interim responses (103) follow each other until the client disconnects or has received more than 64 MiB.
        case endlessInformational = "endless-informational"
        /// The response has two `Content-Length` fields that differ.
        case conflictingLengths = "conflicting-lengths"

        // MARK: A broken body

        /// The connection is closed before the body has the length of its `Content-Length`.
        case shortBody = "short-body"
        /// The body is longer than its `Content-Length`, and the connection stays open. If the client sends another
        /// request on this connection, it reads the extra bytes first.
        case longBody = "long-body"
        /// The connection is reset in the middle of the body.
        case resetInBody = "reset-in-body"
        /// The size of the second chunk is not a number.
        case brokenChunk = "broken-chunk"
        /// The connection is closed after some chunks, without the last one.
        case missingLastChunk = "missing-last-chunk"
        /// A gzip body ends in the middle of its stream, but its `Content-Length` is right.
        case truncatedGzip = "truncated-gzip"
        /// The `Content-Encoding` is gzip, but the body is plain text.
        case falseGzip = "false-gzip"

        // MARK: An endless body

        /// Chunks follow each other without end, as fast as the client reads them.
        case endlessBody = "endless-body"
        /// One byte is sent every 50 ms, without end.
        case slowBody = "slow-body"

        // MARK: Unusual, but complete

        /// The whole response is sent one byte at a time.
        case oneByteAtATime = "one-byte-at-a-time"
        /// The status line ends after the status code.
        case noReasonPhrase = "no-reason-phrase"
        /// Fields follow the last chunk.
        case chunkTrailer = "chunk-trailer"
        /// The lines of the header end with LF instead of CRLF.
        case bareLineFeeds = "bare-line-feeds"
        /// The header has no blank after its colons, and a value in ISO 8859-1.
        case sloppyHeader = "sloppy-header"
        /// The response says that the connection stays open, but the server closes the connection after the response.
        case unannouncedClose = "unannounced-close"

        /// The path at which every server has this fault, such as `/fault/short-body`.
        public var path: String { "/fault/\(rawValue)" }

        /// The outcome that a client can expect.
        public var outcome: Outcome {
            switch self {
            case .oneByteAtATime, .noReasonPhrase, .chunkTrailer, .bareLineFeeds, .sloppyHeader, .longBody,
                .unannouncedClose:
                .response
            case .noResponse, .endlessHeader, .endlessInformational, .endlessBody, .slowBody: .endless
            case .closeBeforeHeader, .resetBeforeHeader, .closeInHeader, .garbageStatusLine, .conflictingLengths,
                .shortBody, .resetInBody, .brokenChunk, .missingLastChunk, .truncatedGzip, .falseGzip:
                .failure
            }
        }

        /// The outcome that a client can expect from a fault.
        public enum Outcome: Sendable {
            /// A whole response with ``Fault/body``, if the client is tolerant.
            case response
            /// The client reports an error.
            case failure
            /// The exchange does not end: the client has to end it.
            case endless
        }

        /// The body of the faults that send a complete body.
        public static let body = "The quick brown fox jumps over the lazy dog.\n"
    }
}

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
        case .slowBody: return .raw([chunkedHeader, .repeated([.chunk("x"), .pause(.milliseconds(50))])])

        case .oneByteAtATime:
            let whole = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: \(length)\r\n\r\n\(body)"
            // Without pauses, the system would combine the bytes again.
            return .raw(whole.utf8.flatMap { [.bytes(Data([$0])), .pause(.microseconds(500))] }, ending: .negotiated)
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

    /// The number of kibibytes after which an endless fault ends, even if the client has not disconnected.
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
