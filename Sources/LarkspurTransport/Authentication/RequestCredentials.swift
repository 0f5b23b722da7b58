#if canImport(FoundationNetworking)
internal import HTTPSyntax

/// The credentials of one request, for its origin and its proxy.
struct RequestCredentials {
    /// The request without fields that are for somebody else than its server.
    var request: URLRequest
    /// The session's fields, likewise.
    var additionalFields: [String: String]
    /// The value of the Authorization field; nil for none, or that of the request itself.
    var authorization: String?
    /// The value of the field for the proxy, which the server must not see.
    var proxyAuthorization: String?
    /// What libcurl does on the connection to the server.
    var server: ConnectionCredentials?
    /// What libcurl does on the connection to the proxy.
    var proxy: ConnectionCredentials?

    /// Who asks, by a scheme of libcurl's.
    struct ConnectionCredentials: Equatable {
        let scheme: ConnectionScheme
        let userCredential: UserCredential
    }

    init(request: URLRequest, additionalFields: [String: String]) {
        self.request = request
        self.additionalFields = additionalFields
    }

    /// Takes out a field, of which the request's own value counts.
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

    /// The field for the proxy, in libcurl's notation.
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
            // libcurl sends what is given before what it makes.
            _ = take("Authorization")
            server = ConnectionCredentials(scheme: scheme, userCredential: userCredential)
        case (.connection(let scheme, let userCredential), .proxy):
            proxyAuthorization = nil
            proxy = ConnectionCredentials(scheme: scheme, userCredential: userCredential)
        }
    }
}
#endif
