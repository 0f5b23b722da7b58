extension Redaction {
    /// Returns the value of a field, or the placeholder. A value that is a URL is written as ``text(of:)`` does.
    public func value(of field: HTTPHeaders.Field) -> String {
        if hides(field.name) { return Self.placeholder }
        guard !isEmpty, Self.fieldsWithURL.contains(field.name.lowercased()), let url = URL(string: field.value) else {
            return field.value
        }
        return text(of: url)
    }

    private static let fieldsWithURL: Set<String> = ["content-location", "location", "origin", "referer"]
}
