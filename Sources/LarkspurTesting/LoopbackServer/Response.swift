extension LoopbackServer {
    /// The response of a route.
    ///
    /// Begin with a factory such as ``text(_:status:)`` or ``data(_:contentType:status:)``, and change its properties.
    /// If the properties are not enough, use ``raw(_:)``.
    public struct Response: Sendable {
        /// The status code. Default: 200.
        public var status = 200
        /// The reason phrase; nil for the one of the status in RFC 9110. Default: nil.
        public var reason: String?
        /// The header's fields.
        ///
        /// `Date`, `Content-Length`, `Transfer-Encoding` and `Connection` are added if they are needed and missing
        /// here. `Connection: close` closes the connection after the response.
        public var headers: Fields = [:]
        /// The steps of the body, in order. Default: none.
        public var body: [Step] = []
        /// The trailer fields of a body whose framing is ``Framing/chunked``. Default: none.
        public var trailers: Fields = [:]
        /// The steps before the header, which hold it back or send interim responses. Their bytes are sent unchanged.
        /// Default: none.
        public var prelude: [Step] = []
        /// The framing, which tells the client where the body ends. Default: ``Framing/contentLength``.
        public var framing = Framing.contentLength
        /// The ending of the connection. Default: ``Ending/negotiated``, which follows the header fields of both sides.
        public var ending = Ending.negotiated
        /// The handling of the request's body before the response. Default: ``RequestBodyHandling/read``.
        public var requestBody = RequestBodyHandling.read
        /// Whether a `Range` field of a GET request is honoured (RFC 9110, section 14). Default: false.
        ///
        /// If true, the response to a single range is a 206, or a 416 if the range is beyond the body. All responses
        /// have `Accept-Ranges: bytes`. `If-Range` is compared with the `ETag` and `Last-Modified` of ``headers``.
        public var acceptsRanges = false

        /// Creates a response without a body.
        public init(status: Int = 200) {
            self.status = status
        }

        /// The framing of a body, which tells the client where the body ends.
        public enum Framing: Sendable {
            /// A `Content-Length` with the sum of the body's bytes.
            case contentLength
            /// `Transfer-Encoding: chunked`, with one chunk for each ``Step/bytes(_:)``. For HTTP/1.0 it is
            /// ``untilClose``.
            case chunked
            /// No length: the connection is closed after the body.
            case untilClose
            /// Only the body's steps are sent, without a status line and a header.
            case raw
        }

        /// The ending of the connection after the response.
        public enum Ending: Sendable {
            /// The connection stays open, unless `Connection: close`, HTTP/1.0 or the framing requires its end.
            case negotiated
            /// The connection is closed, without regard to the header.
            case close
            /// The connection is reset (RST), without regard to the header.
            case reset
        }

        /// The handling of the request's body before the response.
        public enum RequestBodyHandling: Sendable {
            /// The server reads the body, after `100 Continue` if the client expects that.
            case read
            /// The server reads the body, but never sends `100 Continue`, like servers that do not know the
            /// expectation.
            case readWithoutContinue
            /// The server does not read the body. It sends the response immediately, and closes the connection after
            /// it.
            ///
            /// In the response of a handler it comes too late, because the body has been read for the handler.
            case refuse
        }
    }
}
