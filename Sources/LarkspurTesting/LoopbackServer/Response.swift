extension LoopbackServer {
    /// What a route answers.
    ///
    /// Begin with a factory such as ``text(_:status:)`` or ``data(_:contentType:status:)``, and change what should
    /// differ: every property may be set. What the properties cannot say, ``raw(_:)`` can.
    public struct Response: Sendable {
        /// The status code.
        public var status = 200
        /// The reason phrase; nil for the one that RFC 9110 gives the status.
        public var reason: String?
        /// The header's fields.
        ///
        /// `Date`, `Content-Length`, `Transfer-Encoding` and `Connection` are added where they are needed and not among
        /// these. `Connection: close` closes the connection after the response.
        public var headers: Fields = [:]
        /// The steps of the body, in order.
        public var body: [Step] = []
        /// The fields after a body whose framing is ``Framing/chunked``.
        public var trailers: Fields = [:]
        /// Steps before the header, to hold it back or to send interim responses; their bytes are sent as they are.
        public var prelude: [Step] = []
        /// How the client learns where the body ends, by default from the `Content-Length`.
        public var framing = Framing.contentLength
        /// What becomes of the connection, by default what the header fields of both sides say.
        public var ending = Ending.negotiated
        /// What the server does about the request's body before it answers, by default reads it.
        public var requestBody = RequestBodyHandling.read
        /// Whether a `Range` field of a GET request is honoured (RFC 9110, section 14), by default not.
        ///
        /// A single range makes the response a 206, or a 416 if it lies beyond the body, and all responses say
        /// `Accept-Ranges: bytes`. `If-Range` is compared with the `ETag` and `Last-Modified` of ``headers``.
        public var acceptsRanges = false

        /// A response of that status, without a body.
        public init(status: Int = 200) {
            self.status = status
        }

        /// How the client learns where the body ends.
        public enum Framing: Sendable {
            /// A `Content-Length` with the sum of the body's bytes.
            case contentLength
            /// `Transfer-Encoding: chunked`, each ``Step/bytes(_:)`` being one chunk; to HTTP/1.0, ``untilClose``.
            case chunked
            /// No length; the connection is closed after the body.
            case untilClose
            /// The body's steps are all that is sent: no status line, no header.
            case raw
        }

        /// What becomes of the connection after the response.
        public enum Ending: Sendable {
            /// It stays open unless `Connection: close`, HTTP/1.0 or the framing say otherwise.
            case negotiated
            /// It is closed, whatever the header says.
            case close
            /// It is reset (RST), whatever the header says.
            case reset
        }

        /// What the server does about the request's body before it answers.
        public enum RequestBodyHandling: Sendable {
            /// Reads it, after `100 Continue` if the client expects that.
            case read
            /// Reads it, but never sends `100 Continue`, as servers do that do not know the expectation.
            case readWithoutContinue
            /// Does not read it: the response is sent at once, and the connection closed after it.
            ///
            /// For a route that a handler answers this comes too late, as the handler is given the body.
            case refuse
        }
    }
}
