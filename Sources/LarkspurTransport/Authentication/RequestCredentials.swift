#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The credentials of one request, for its origin and its proxy.
struct RequestCredentials {
    /// The request, without the fields that its server must not receive.
    var request: URLRequest
    /// The session's fields, without fields that the server must not receive.
    var additionalFields: [String: String]
    /// The value of the `Authorization` field; nil if there is none, or if the request itself has one.
    var authorization: String?
    /// The value of the `Proxy-Authorization` field. The server must not get it.
    var proxyAuthorization: String?
    /// The credentials that libcurl uses on the connection to the server.
    var server: ConnectionCredentials?
    /// The credentials that libcurl uses on the connection to the proxy.
    var proxy: ConnectionCredentials?

    /// A user credential, and the libcurl scheme that authenticates the connection with it.
    struct ConnectionCredentials: Equatable {
        let scheme: ConnectionScheme
        let userCredential: UserCredential
    }

    /// Removes a field and returns its value. If both the request and the session have the field, the request's value
    /// is returned.
    mutating func take(_ name: String) -> String? {
        let own = request.value(forHTTPHeaderField: name)
        if own != nil { request.setValue(nil, forHTTPHeaderField: name) }
        let others = additionalFields.filter { $0.key.hasSameLetters(as: name) }
        for key in others.keys { additionalFields[key] = nil }
        return own ?? others.values.first
    }

    func has(_ name: String) -> Bool {
        request.value(forHTTPHeaderField: name) != nil
            || additionalFields.contains { $0.key.hasSameLetters(as: name) }
    }

    /// The line of the `Proxy-Authorization` field, in libcurl's notation; nil if there is no such field.
    var proxyLine: String? {
        get throws(RequestHead.Failure) {
            guard let proxyAuthorization else { return nil }
            guard !proxyAuthorization.breaksLine else { throw .invalidFieldValue(name: "Proxy-Authorization") }
            return "Proxy-Authorization: " + proxyAuthorization
        }
    }

    mutating func add(
        _ authorization: RecipientAuthentication.Authorization,
        for recipient: AuthenticationState.Recipient
    ) {
        switch (authorization, recipient) {
        case (.nothing, _): break
        case (.field(let value), .origin): self.authorization = value
        case (.field(let value), .proxy): proxyAuthorization = value
        case (.connection(let scheme, let userCredential), .origin):
            // If this field remained, libcurl would send it instead of the field that libcurl creates.
            _ = take("Authorization")
            server = ConnectionCredentials(scheme: scheme, userCredential: userCredential)
        case (.connection(let scheme, let userCredential), .proxy):
            proxyAuthorization = nil
            proxy = ConnectionCredentials(scheme: scheme, userCredential: userCredential)
        }
    }
}
#endif
