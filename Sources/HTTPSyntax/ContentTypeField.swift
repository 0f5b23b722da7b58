/// The Content-Type field of a message with several Content-Type values, on one line or on several lines.
///
/// A sender must not send several values, but some do: a framework and a proxy each add a line. Recipients use the last
/// valid value (RFC 9110, section 8.3). This follows the algorithm of the Fetch standard to extract a MIME type.
package enum ContentTypeField {
    private struct Value {
        let text: String
        let essence: String
        var charset: String?

        /// Creates a value; nil if it names no media type, or every media type.
        init?(_ text: String) {
            let parameters = FieldParameters(text)
            guard let (type, subtype) = parameters.leading.cut(at: "/"), type.isToken, subtype.isToken,
                !(type.utf8.elementsEqual("*".utf8) && subtype.utf8.elementsEqual("*".utf8))
            else { return nil }
            self.text = text
            essence = parameters.leading.lowercased()
            charset = parameters.values["charset"]
        }
    }

    /// Returns the value that applies: the last valid one. If it has no charset, it gets the charset of the preceding
    /// values of the same type. If the field has only one value, or no valid value, returns it unchanged.
    /// - Parameter field: The value of the field. Several lines are joined by commas.
    package static func effective(_ field: String) -> String {
        guard field.utf8.contains(UInt8(ascii: ",")) else { return field }
        var last: Value?
        var lacksCharset = false
        for part in FieldParameters.split(field, at: ",") {
            guard var value = Value(part.trimmingBlanks) else { continue }
            lacksCharset = value.charset == nil
            if lacksCharset, let last, last.essence.utf8.elementsEqual(value.essence.utf8) {
                value.charset = last.charset
            }
            last = value
        }
        guard let last else { return field }
        guard lacksCharset, let charset = last.charset, charset.isToken else { return last.text }
        return "\(last.text); charset=\(charset)"
    }
}
