public import Foundation
internal import HTTPSyntax

extension LoopbackServer {
    /// The response of a route.
    ///
    /// Begin with a factory such as ``text(_:status:)`` or ``data(_:contentType:status:)``, and change its properties.
    /// If the properties are not enough, use ``raw(_:ending:)``.
    public struct Response: Sendable {
        /// The status code. Default: 200.
        public var status = 200
        /// The reason phrase; nil for the status's phrase in RFC 9110. Default: nil.
        public var reason: String?
        /// The header's fields.
        ///
        /// `Date`, `Content-Length`, `Transfer-Encoding` and `Connection` are added if they are necessary and missing
        /// here. `Connection: close` closes the connection after the response.
        public var headers: Fields = [:]
        /// The steps of the body, in order. Default: none.
        public var body: [Step] = []
        /// The trailer fields of a body whose framing is ``Framing/chunked``. Default: none.
        public var trailers: Fields = [:]
        /// The steps before the header. They delay the header, or send interim responses. The bytes of these steps are
        /// sent unchanged. Default: none.
        public var prelude: [Step] = []
        /// The framing, which tells the client where the body ends. Default: ``Framing/contentLength``.
        public var framing = Framing.contentLength
        /// The end of the connection. Default: ``Ending/negotiated``, with which the header fields of both sides
        /// decide.
        public var ending = Ending.negotiated
        /// The handling of the request's body before the response. Default: ``RequestBodyHandling/read``.
        public var requestBody = RequestBodyHandling.read
        /// Whether a `Range` field of a GET request is honoured (RFC 9110, section 14). Default: false.
        ///
        /// If true, the response to a single range is a 206, or a 416 if the range is beyond the body. All responses
        /// have `Accept-Ranges: bytes`. `If-Range` is compared with the `ETag` or `Last-Modified` in ``headers``.
        public var acceptsRanges = false

        /// Creates a response without a body.
        public init(status: Int = 200) {
            self.status = status
        }

        /// The framing of a body, which tells the client where the body ends.
        public enum Framing: Sendable {
            /// A `Content-Length` with the number of the body's bytes.
            case contentLength
            /// `Transfer-Encoding: chunked`, with one chunk for each ``Step/bytes(_:)``. For HTTP/1.0 the framing is
            /// ``untilClose`` instead.
            case chunked
            /// No length: the end of the connection ends the body.
            case untilClose
            /// No framing: only the body's steps are sent, without a status line and a header.
            case raw
        }

        /// The end of the connection after the response.
        public enum Ending: Sendable {
            /// The connection stays open, unless `Connection: close`, HTTP/1.0 or the framing requires its end.
            case negotiated
            /// The connection is closed, whatever the header says.
            case close
            /// The connection is reset (RST), whatever the header says.
            case reset
        }

        /// The handling of the request's body before the response.
        public enum RequestBodyHandling: Sendable {
            /// The server reads the body. It first sends `100 Continue` if the client expects that.
            case read
            /// The server reads the body, but never sends `100 Continue`, like servers that do not know this
            /// expectation.
            case readWithoutContinue
            /// The server does not read the body. It sends the response immediately, and then closes the connection.
            ///
            /// This has no effect in the response of a handler, because the body is read before the handler is called.
            case refuse
        }
    }
}

extension LoopbackServer.Response {
    /// Returns a response without a body.
    public static func status(_ status: Int, headers: LoopbackServer.Fields = [:]) -> Self {
        var response = Self(status: status)
        response.headers = headers
        return response
    }

    /// Returns a response with data of a media type.
    public static func data(_ data: Data, contentType: String = "application/octet-stream", status: Int = 200) -> Self {
        var response = Self(status: status)
        response.headers["Content-Type"] = contentType
        response.body = [.bytes(data)]
        return response
    }

    /// Returns a response with text in UTF-8, of the type `text/plain`.
    public static func text(_ text: String, status: Int = 200) -> Self {
        data(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status)
    }

    /// Returns a response with a JSON document. The document is sent unchanged, and not checked.
    public static func json(_ document: String, status: Int = 200) -> Self {
        data(Data(document.utf8), contentType: "application/json", status: status)
    }

    /// Returns a response with a value as JSON.
    ///
    /// - Throws: The error of `JSONEncoder`.
    public static func json(encoding value: some Encodable, status: Int = 200) throws -> Self {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return data(try encoder.encode(value), contentType: "application/json", status: status)
    }

    /// Returns a redirect. The location is sent unchanged, and may be relative.
    public static func redirect(to location: String, status: Int = 302) -> Self {
        .status(status, headers: ["Location": location])
    }

    /// Returns a response with a chunked body and trailer fields. Each data that is not empty becomes a chunk.
    public static func chunked(
        _ chunks: [Data],
        contentType: String = "application/octet-stream",
        trailers: LoopbackServer.Fields = [:]
    ) -> Self {
        var response = stream(chunks.map(Step.bytes), contentType: contentType, framing: .chunked)
        response.trailers = trailers
        return response
    }

    /// Returns a response whose body is sent step by step.
    public static func stream(
        _ steps: [Step],
        contentType: String = "application/octet-stream",
        framing: Framing = .contentLength
    ) -> Self {
        var response = data(Data(), contentType: contentType)
        response.body = steps
        response.framing = framing
        return response
    }

    /// Returns a response of arbitrary bytes instead of HTTP. By default the connection is closed after them.
    public static func raw(_ steps: [Step], ending: Ending = .close) -> Self {
        var response = Self()
        response.body = steps
        response.framing = .raw
        response.ending = ending
        return response
    }
}

extension LoopbackServer.Response {
    /// Returns the response with an additional header field.
    public func adding(_ name: String, _ value: String) -> Self {
        with { $0.headers.append(name, value) }
    }

    /// Returns the response, which begins only when a gate is open.
    public func held(until gate: LoopbackServer.Gate) -> Self {
        with { $0.prelude.append(.wait(gate)) }
    }

    /// Returns the response, which begins after a time.
    public func delayed(by duration: Duration) -> Self {
        with { $0.prelude.append(.pause(duration)) }
    }

    /// Returns the response with an interim response (1xx) before it, such as `103 Early Hints`.
    public func preceded(byInformational status: Int, headers: LoopbackServer.Fields = [:]) -> Self {
        with { $0.prelude.append(.informational(status, headers: headers)) }
    }

    /// Returns the response with its body in a content coding, and with the corresponding `Content-Encoding`.
    ///
    /// All bytes of the body become one step. Steps that wait or open gates come after it.
    public func encoded(as coding: LoopbackServer.ContentCoding) -> Self {
        with { response in
            let steps = response.body
            response.body = [.bytes(coding.encode(steps.bytes))]
            response.body += steps.filter {
                if case .wait = $0 { true } else if case .open = $0 { true } else { false }
            }
            response.headers["Content-Encoding"] = coding.rawValue
        }
    }

    func with(_ change: (inout Self) -> Void) -> Self {
        var response = self
        change(&response)
        return response
    }
}

/// The responses to range requests (RFC 9110, section 14).
extension LoopbackServer.Response {
    /// Returns the response to the request's `Range` field. If there is none, or it may be ignored, returns the
    /// response unchanged.
    func applyingRange(of request: ReceivedHead) -> Self {
        guard acceptsRanges, status == 200, let length = body.byteCount else { return self }
        var response = self
        if headers["Accept-Ranges"] == nil { response.headers.append("Accept-Ranges", "bytes") }
        guard request.method == "GET", isSame(as: request.fields["If-Range"]),
            let range = request.fields["Range"].flatMap({ ByteRange($0) })
        else { return response }

        if let bounds = range.bounds(in: length) {
            response.status = 206
            response.headers["Content-Range"] = "bytes \(bounds.lowerBound)-\(bounds.upperBound - 1)/\(length)"
            response.body = body.sending(bounds)
        } else {
            response.status = 416
            response.headers["Content-Range"] = "bytes */\(length)"
            response.body = []
        }
        return response
    }

    /// Returns whether an `If-Range` matches the representation of the response (RFC 9110, section 13.1.5).
    private func isSame(as validator: String?) -> Bool {
        guard let validator else { return true }
        let isTag = validator.begins(with: "\"") || validator.begins(with: "W/")
        // A weak tag never matches here, because the bytes may differ.
        return !validator.begins(with: "W/") && validator == headers[isTag ? "ETag" : "Last-Modified"]
    }
}

extension [LoopbackServer.Response.Step] {
    /// Returns the steps with only the bytes within the bounds.
    fileprivate func sending(_ bounds: Range<Int>) -> [Element] {
        var position = 0
        return flattened.map { step in
            step.mapBytes { data in
                defer { position += data.count }
                let lower = Swift.min(Swift.max(bounds.lowerBound - position, 0), data.count)
                let upper = Swift.min(Swift.max(bounds.upperBound - position, 0), data.count)
                return data.dropFirst(lower).prefix(upper - lower)
            }
        }
    }

    /// The bytes of all steps. Bytes that are repeated without end occur once.
    var bytes: Data {
        flattened.reduce(into: Data()) { data, step in
            if case .bytes(let bytes) = step { data.append(bytes) }
        }
    }

    private var flattened: [Element] {
        flatMap { step -> [Element] in
            guard case .repeated(let steps, let times) = step else { return [step] }
            let once = steps.flattened
            return (0..<Swift.max(times ?? 1, 0)).flatMap { _ in once }
        }
    }
}
