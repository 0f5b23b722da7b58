/// Messages for content that could not be parsed.
///
/// Parsers quote the content that they reject. Every quotation is cut, so that a message is a sentence and not the
/// response's body.
package enum SerializationFailure {
    /// Returns the error for content that a parser rejected.
    /// - Parameters:
    ///   - what: A description of the failure, such as `The content is not valid JSON`.
    ///   - error: The error of the parser.
    package static func error(_ what: String, _ error: any Error) -> LarkspurError {
        LarkspurError(.responseSerializationFailed, "\(what): \(reason(error).withoutFullStop)", underlyingError: error)
    }

    /// Returns the message of an error, in one line of bounded length.
    static func reason(_ error: any Error) -> String {
        switch error {
        case let error as LarkspurError: error.message
        case let error as DecodingError: reason(error)
        default: generalReason(error).excerpt
        }
    }

    private static func generalReason(_ error: any Error) -> String {
        let bridged = error as NSError
        if let text = bridged.userInfo["NSDebugDescription"] as? String { return text }
        if let text = (error as? any LocalizedError)?.errorDescription { return text }
        if let text = bridged.userInfo[NSLocalizedDescriptionKey] as? String { return text }
        // The description of an NSError contains its user info, which may hold secrets. That of a Swift error is its
        // case.
        return type(of: error) is NSError.Type ? "\(bridged.domain) \(bridged.code)" : String(describing: error)
    }

    private static func reason(_ error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, let context):
            "there is no \"\(key.stringValue.excerpt)\" at \(path(context))"
        case .valueNotFound(let type, let context):
            "there is null where \(type) is expected at \(path(context))"
        case .typeMismatch(_, let context):
            "\(trimmed(context)) at \(path(context))"
        case .dataCorrupted(let context):
            "\(trimmed(context)) at \(path(context))"
                + (context.underlyingError.map { ": \(reason($0).withoutFullStop)" } ?? "")
        @unknown default:
            String(describing: error).excerpt
        }
    }

    private static func trimmed(_ context: DecodingError.Context) -> String {
        context.debugDescription.excerpt.withoutFullStop
    }

    /// Returns the coding path in a developer's notation: `users[2].name`.
    private static func path(_ context: DecodingError.Context) -> String {
        let path = context.codingPath.reduce(into: "") { path, key in
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += (path.isEmpty ? "" : ".") + key.stringValue
            }
        }
        return path.isEmpty ? "the top level" : path.excerpt
    }
}

extension String {
    /// The text in one line, without control characters, cut after 160 characters.
    package var excerpt: String {
        var excerpt = String.UnicodeScalarView()
        for scalar in unicodeScalars.prefix(160) {
            let isPrintable = scalar.properties.generalCategory != .control && !Character(scalar).isNewline
            excerpt.append(isPrintable ? scalar : " ")
        }
        return String(excerpt) + (unicodeScalars.dropFirst(160).isEmpty ? "" : "…")
    }

    /// The text without the full stops and blanks at its end, for use within a sentence.
    var withoutFullStop: String {
        var text = self[...]
        while let last = text.last, last == "." || last.isWhitespace { text.removeLast() }
        return String(text)
    }
}

/// The server's own error message, in the content of a response that is not acceptable.
enum ServerMessage {
    /// The maximum size in bytes of content that is searched.
    private static let contentLimit = 1 << 16
    /// The members of JSON objects in which APIs send error messages, the most informative first. They are those of RFC
    /// 9457, section 3.1, of RFC 6749, section 5.2, and others in common use.
    private static let members = ["detail", "message", "error_description", "error", "errors", "title"]
    private static let maximumDepth = 4

    /// Returns the message as one line of bounded length, without a full stop at its end; nil if there is none.
    ///
    /// Only JSON is searched, and only members that are known to contain error messages, because the rest of the
    /// content may be private and must not appear in an error's message.
    static func find(in data: Data, of response: HTTPURLResponse) -> String? {
        guard !data.isEmpty, data.count <= contentLimit else { return nil }
        let type = MediaType.essence(of: response)
        guard let type, type.hasSuffix("/json") || type.hasSuffix("+json"), let words = text(inJSON: data) else {
            return nil
        }
        let line = words.trimmingCharacters(in: .whitespacesAndNewlines).excerpt.withoutFullStop
        return line.isEmpty ? nil : line
    }

    private static func text(inJSON data: Data) -> String? {
        // Content that is not JSON has no message. The error then has only the status.
        guard let object = try? JSONSerialization.jsonObject(with: data) else { return nil }
        return (object as? [String: Any]).flatMap { text(in: $0, depth: 0) }
    }

    private static func text(in value: Any, depth: Int) -> String? {
        guard depth < maximumDepth else { return nil }
        switch value {
        case let text as String:
            return text.allSatisfy(\.isWhitespace) ? nil : text
        case let elements as [Any]:
            return elements.lazy.compactMap { text(in: $0, depth: depth + 1) }.first
        case let object as [String: Any]:
            if let text = members.lazy.compactMap({ object[$0] }).compactMap({ text(in: $0, depth: depth + 1) }).first {
                return text
            }
            // A field that was rejected, and the reason: {"errors": {"name": ["is too long"]}}.
            guard depth > 0 else { return nil }
            return object.sorted { $0.key < $1.key }.lazy
                .compactMap { name, value in text(in: value, depth: depth + 1).map { "\(name) \($0)" } }.first
        default:
            return nil
        }
    }
}

/// A description of a request and its response, in one line that is safe to log.
enum ExchangeDescription {
    /// Returns the line, for example `GET https://example.org/users -> 404, 12 bytes, unacceptable-status-code`.
    static func text(
        _ request: URLRequest?,
        _ response: URLResponse?,
        content: String,
        error: LarkspurError?
    ) -> String {
        let url = (request?.url ?? response?.url).map(LarkspurError.redacted) ?? "no URL"
        let status =
            (response as? HTTPURLResponse).map { String($0.statusCode) }
            ?? (response == nil ? "no response" : "response")
        let outcome = error?.label ?? "success"
        return "\(request?.httpMethod ?? "GET") \(url) -> \(status), \(content), \(outcome)"
    }
}

extension Result {
    var failure: Failure? {
        switch self {
        case .success: nil
        case .failure(let error): error
        }
    }
}

extension Result where Failure == LarkspurError {
    /// Returns the result with another value, or with the error of the conversion, to which request, response and
    /// content are added.
    func tryMap<NewSuccess>(
        _ transform: (Success) throws -> NewSuccess,
        request: URLRequest?,
        response: URLResponse?,
        data: Data?
    ) -> Result<NewSuccess, LarkspurError> {
        flatMap { value in
            do {
                return .success(try transform(value))
            } catch {
                return .failure(
                    ResponsePipeline.completed(error, request: request, response: response, data: data)
                )
            }
        }
    }
}
