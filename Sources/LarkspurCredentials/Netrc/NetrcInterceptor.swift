import HTTPSyntax

extension RequestInterceptor where Self == ClosureInterceptor {
    /// Returns an interceptor that adds the field `Authorization` of a netrc file to requests, with the Basic scheme.
    ///
    ///     if let netrc = try Netrc.ofUser() {
    ///         manager.interceptors.call.append(.netrc(netrc))
    ///     }
    ///
    /// The entry is looked up for the host of the request's URL, and not again for a redirect. A redirect to another
    /// origin (scheme, host and port) is followed without the field. If a response leads to another origin, such as
    /// with the URL of the next page of a list or of an upload resource, that request does not get the field either,
    /// and neither do the pages after it. A request is left unchanged if it has the field already, if its URL has a
    /// user, or if the call has a `credential` in its `CallOptions`.
    /// - Parameter netrc: The content of the file.
    public static func netrc(_ netrc: Netrc) -> ClosureInterceptor {
        ClosureInterceptor { request, context, next in
            let isLeftUnchanged = context.hasCredential || context.isLedElsewhere
            return try await next(isLeftUnchanged ? request : netrc.authorizing(request))
        }
    }
}

extension Netrc {
    /// Returns the request with the field `Authorization` of its host's entry, unless it has credentials already.
    fileprivate func authorizing(_ request: URLRequest) -> URLRequest {
        guard let url = request.url, ["http", "https", "ws", "wss"].contains(url.scheme?.inLowercase ?? ""),
            URLReference.authority(of: url.absoluteString)?.userInformation == nil,
            request.value(forHTTPHeaderField: "Authorization") == nil, let entry = entry(for: url)
        else { return request }
        var request = request
        request.setValue(entry.authorization.value, forHTTPHeaderField: entry.authorization.name)
        return request
    }
}
