extension URLRequest {
    /// Sets fields as `setValue(_:forHTTPHeaderField:)` would one by one.
    ///
    /// That spells every name anew and copies the request for each field, which is dear; names that are spelled so
    /// already are set all at once.
    /// - Parameter keepsOwn: Whether fields that the request has stay.
    mutating func setFields(_ headers: HTTPHeaders, keepsOwn: Bool) {
        var fields = allHTTPHeaderFields ?? [:]
        var others: [HTTPHeaders.Field] = []
        for field in headers {
            let own = fields.isEmpty ? nil : fields.keys.first { FieldSyntax.areSameName($0, field.name) }
            if own != nil && keepsOwn { continue }
            if own == nil && FieldSyntax.isCapitalized(field.name) {
                fields[field.name] = field.value
            } else {
                others.append(field)
            }
        }
        if !fields.isEmpty { allHTTPHeaderFields = fields }
        for field in others { setValue(field.value, forHTTPHeaderField: field.name) }
    }
}
