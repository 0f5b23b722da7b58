extension URLRequest {
    /// Makes sure that a request can be sent as it is: transports write what they are given, or end the process over it.
    /// - Throws: `invalidURL`, `invalidMethod` or `invalidHeaderField`.
    func validate() throws(LarkspurError) {
        guard let url else {
            throw LarkspurError(.invalidURL, "The request has no URL.", request: self)
        }
        guard let scheme = url.scheme?.lowercased() else {
            throw LarkspurError(
                .invalidURL,
                "The request's URL is relative; give the session manager a base URL or the request a whole one.",
                request: self
            )
        }
        if ["http", "https"].contains(scheme), url.host?.isEmpty != false {
            throw LarkspurError(.invalidURL, "The request's URL has no host.", request: self)
        }
        if let method = httpMethod, !HTTPMethod(rawValue: method).isValid {
            throw LarkspurError(.invalidMethod, "The request's method is not a token.", request: self)
        }
        try HTTPHeaders(allHTTPHeaderFields ?? [:]).validate()
    }
}
