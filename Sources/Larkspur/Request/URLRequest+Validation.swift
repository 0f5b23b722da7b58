extension URLRequest {
    /// Makes sure that a request can be sent as it is: transports write what they are given, or end the process over
    /// it.
    /// - Throws: `invalidURL`, `invalidMethod` or `invalidHeaderField`.
    func validate() throws(LarkspurError) {
        guard let url else {
            throw LarkspurError(.invalidURL, "The request has no URL: set one before a task is made of it.")
        }
        try BaseURL.validate(url)
        try HTTPMethod(rawValue: httpMethod ?? "GET").validate()
        try validateFields()
    }

    /// Makes sure that its fields can be sent as they are.
    /// - Throws: `invalidHeaderField`.
    func validateFields() throws(LarkspurError) {
        for (name, value) in allHTTPHeaderFields ?? [:] { try HTTPHeaders.Field(name: name, value: value).validate() }
    }
}
