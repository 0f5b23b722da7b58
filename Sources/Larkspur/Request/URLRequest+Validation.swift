extension URLRequest {
    /// Checks that a request can be sent unchanged. Transports send malformed values as they are, or terminate the
    /// process.
    /// - Throws: `invalidURL`, `invalidMethod` or `invalidHeaderField`.
    func validate() throws(LarkspurError) {
        guard let url else {
            throw LarkspurError(.invalidURL, "The request has no URL: set one before a task is made of it.")
        }
        try BaseURL.validate(url)
        try HTTPMethod(rawValue: httpMethod ?? "GET").validate()
        try validateFields()
    }

    /// Checks that the fields of the request can be sent unchanged.
    /// - Throws: `invalidHeaderField`.
    func validateFields() throws(LarkspurError) {
        for (name, value) in allHTTPHeaderFields ?? [:] { try HTTPHeaders.Field(name: name, value: value).validate() }
    }
}
