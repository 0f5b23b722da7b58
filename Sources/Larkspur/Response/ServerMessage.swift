internal import HTTPSyntax

/// The server's error message, in the content of a response that is not acceptable.
enum ServerMessage {
    /// The maximum size in bytes of content that is searched.
    private static let contentLimit = 1 << 16
    /// The members of JSON objects in which APIs send error messages, the most informative one first. Some are from RFC
    /// 9457, section 3.1, and RFC 6749, section 5.2. The others are in common use.
    private static let members = ["detail", "message", "error_description", "error", "errors", "title"]
    private static let maximumDepth = 4

    /// Returns the message as one line of bounded length, without a full stop at its end; nil if there is none.
    ///
    /// Only JSON and XML are searched, and only members and elements that are known to contain error messages. The rest
    /// of the content may be private, and must not appear in an error's message.
    static func find(in data: Data, of response: HTTPURLResponse) -> String? {
        guard !data.isEmpty, data.count <= contentLimit else { return nil }
        guard let type = MediaType.essence(of: response), let words = text(in: data, type) else { return nil }
        let line = words.trimmingCharacters(in: .whitespacesAndNewlines).excerpt.withoutFullStop
        return line.isEmpty ? nil : line
    }

    private static func text(in data: Data, _ type: String) -> String? {
        if type.ends(with: "/json") || type.ends(with: "+json") { return text(inJSON: data) }
        // In a web page, the elements `title` and `code` are not error messages.
        let isXML = type.ends(with: "/xml") || type.ends(with: "+xml") && type != "application/xhtml+xml"
        return isXML ? XMLErrorScanner.text(in: data) : nil
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
            // A nested object may have the name of a rejected field and the reason, as in {"errors": {"name": ["is too
            // long"]}}.
            guard depth > 0 else { return nil }
            return object.sorted { $0.key < $1.key }.lazy
                .compactMap { name, value in text(in: value, depth: depth + 1).map { "\(name) \($0)" } }.first
        default:
            return nil
        }
    }
}
