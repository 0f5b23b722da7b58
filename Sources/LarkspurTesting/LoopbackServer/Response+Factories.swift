public import Foundation

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

    /// Returns a response with a JSON document, which is sent unchanged. It is not checked to be well-formed.
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

    /// Returns a redirect. The location may be relative, and is sent unchanged.
    public static func redirect(to location: String, status: Int = 302) -> Self {
        .status(status, headers: ["Location": location])
    }

    /// Returns a response with a chunked body, with one chunk for each data that is not empty, and with trailer fields.
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

    /// Returns a response that consists of arbitrary bytes instead of HTTP. By default the connection is closed after
    /// them.
    public static func raw(_ steps: [Step], ending: Ending = .close) -> Self {
        var response = Self()
        response.body = steps
        response.framing = .raw
        response.ending = ending
        return response
    }
}

extension LoopbackServer.Response {
    /// Returns the response with one more header field.
    public func adding(_ name: String, _ value: String) -> Self {
        with { $0.headers.append(name, value) }
    }

    /// Returns the response, which does not begin before a gate is open.
    public func held(until gate: LoopbackServer.Gate) -> Self {
        with { $0.prelude.append(.wait(gate)) }
    }

    /// Returns the response, which begins after a number of seconds.
    public func delayed(by seconds: TimeInterval) -> Self {
        with { $0.prelude.append(.pause(seconds)) }
    }

    /// Returns the response with an interim response (1xx) before it, such as `103 Early Hints`.
    public func preceded(byInformational status: Int, headers: LoopbackServer.Fields = [:]) -> Self {
        with { $0.prelude.append(.informational(status, headers: headers)) }
    }

    /// Returns the response with its body in a content coding, and with the corresponding `Content-Encoding`.
    ///
    /// All bytes of the body become one step. The steps that wait or open gates follow it.
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
