import HTTPSyntax

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

    /// Returns the error for content that a parser of JSON rejected. Foundation's parsers ignore or misread bytes that
    /// are not UTF-8, so their reason would be wrong.
    static func error(json data: Data, _ what: String, _ error: any Error) -> LarkspurError {
        guard let offset = data.firstOffsetOutsideUTF8 else { return Self.error(what, error) }
        return LarkspurError(
            .responseSerializationFailed,
            "The content is not valid JSON: the byte at offset \(offset) is not UTF-8",
            underlyingError: error
        )
    }

    /// Returns the message of an error, in one line of bounded length.
    package static func reason(_ error: any Error) -> String {
        switch error {
        case let error as LarkspurError: error.message
        case let error as DecodingError: reason(error)
        default: generalReason(error).excerpt
        }
    }

    private static func generalReason(_ error: any Error) -> String {
        let bridged = error as NSError
        // Foundation's parsers describe the position of the error in this entry.
        if let text = bridged.userInfo["NSDebugDescription"] as? String { return text }
        if let text = (error as? any LocalizedError)?.errorDescription { return text }
        if let text = bridged.userInfo[NSLocalizedDescriptionKey] as? String { return text }
        // The description of an NSError contains its user info, which may hold secrets. The description of a Swift
        // error is its case.
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

extension Data {
    /// The position of the first byte that is not UTF-8; nil if there is none, and for JSON in UTF-16 or UTF-32, which
    /// has a zero among its first bytes.
    fileprivate var firstOffsetOutsideUTF8: Int? {
        guard !prefix(4).contains(0), !starts(with: [0xFE, 0xFF]), !starts(with: [0xFF, 0xFE]) else { return nil }
        var offset = 0
        var decoder = UTF8()
        var bytes = makeIterator()
        while true {
            switch decoder.decode(&bytes) {
            case .scalarValue(let scalar): offset += UTF8.width(scalar)
            case .emptyInput: return nil
            case .error: return offset
            }
        }
    }
}

extension String {
    /// The text in one line, without control characters, cut after 160 characters.
    package var excerpt: String {
        var excerpt = String.UnicodeScalarView()
        for scalar in unicodeScalars.prefix(160) {
            // A character that changes the direction of text can make it look like another text.
            let isPrintable =
                scalar.properties.generalCategory != .control && !Character(scalar).isNewline
                && !scalar.properties.isBidiControl
            excerpt.append(isPrintable ? scalar : " ")
        }
        return String(excerpt) + (unicodeScalars.dropFirst(160).isEmpty ? "" : "…")
    }

    /// The text without the full stops and blanks at its end, for use within a sentence.
    package var withoutFullStop: String {
        var text = unicodeScalars[...]
        while let last = text.last, last == "." || last.properties.isWhitespace { text.removeLast() }
        return String(Substring(text))
    }
}
