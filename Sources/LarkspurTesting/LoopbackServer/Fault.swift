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
        /// The body is longer than its `Content-Length`, and the connection stays open: the next request on it reads
        /// the extra bytes.
        case longBody = "long-body"
        /// The connection is reset in the middle of the body.
        case resetInBody = "reset-in-body"
        /// The size of the second chunk is not a number.
        case brokenChunk = "broken-chunk"
        /// The connection is closed after some chunks, without the last one.
        case missingLastChunk = "missing-last-chunk"
        /// A gzip body ends in the middle of its stream, while its `Content-Length` is right.
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
        /// The response promises to keep the connection, which is closed after it.
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
            /// A whole response, with ``Fault/body``, if the client is tolerant.
            case response
            /// The client reports an error.
            case failure
            /// The exchange does not end by itself: the client has to end it.
            case endless
        }

        /// The body of the faults that deliver a complete one.
        public static let body = "The quick brown fox jumps over the lazy dog.\n"
    }
}
