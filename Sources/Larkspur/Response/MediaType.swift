internal import HTTPSyntax

/// The media type of a Content-Type field, parsed tolerantly (RFC 9110, section 8.3.1).
package struct MediaType {
    /// Type and subtype in lower case, such as `text/html`.
    package let essence: String
    private let parameters: [String: String]

    /// Parses a field value; nil if it names no type.
    init?(_ fieldValue: String) {
        essence = Self.essence(of: fieldValue)
        if essence.isEmpty { return nil }
        parameters = FieldParameters(fieldValue).values
    }

    /// Reads a response's Content-Type; nil if there is none. For a response that is not HTTP it is the response's
    /// `mimeType`.
    package init?(of response: URLResponse?) {
        guard let response else { return nil }
        if let response = response as? HTTPURLResponse {
            guard let fieldValue = response.value(forHTTPHeaderField: "Content-Type") else { return nil }
            self.init(fieldValue)
        } else {
            guard let essence = response.mimeType else { return nil }
            self.init(response.textEncodingName.map { "\(essence); charset=\($0)" } ?? essence)
        }
    }

    /// Returns the type and subtype of a response in lower case; nil if it has none.
    static func essence(of response: HTTPURLResponse) -> String? {
        let essence = response.value(forHTTPHeaderField: "Content-Type").map(essence(of:))
        return essence?.isEmpty == true ? nil : essence
    }

    /// The first parameter with a name, without regard to case.
    subscript(name: String) -> String? {
        parameters[name.lowercased()]
    }

    /// Returns the part before the parameters, in lower case and without blanks around it.
    package static func essence(of text: String) -> String {
        let bytes = text.utf8.prefix { $0 != UInt8(ascii: ";") }
        // The fast path: nearly all values need no change.
        let isPlain = bytes.allSatisfy {
            $0 > 0x20 && $0 < 0x7F && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
        }
        let essence = text[..<bytes.endIndex]
        return isPlain ? String(essence) : essence.trimmingCharacters(in: .whitespaces).lowercased()
    }
}
