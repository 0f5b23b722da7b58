#if canImport(FoundationNetworking)
/// What one request proves itself with.
struct RequestProof {
    /// The request without fields that are for somebody else than its server.
    var request: URLRequest
    /// The session's fields, likewise.
    var additionalFields: [String: String]
    /// The value of the Authorization field; nil for none, or that of the request itself.
    var authorization: String?
    /// The value of the field for the proxy, which the server must not see.
    var proxyAuthorization: String?
    /// What libcurl does on the connection to the server.
    var server: ConnectionProof?
    /// What libcurl does on the connection to the proxy.
    var proxy: ConnectionProof?

    /// Who asks, by a scheme of libcurl's.
    struct ConnectionProof: Equatable {
        let scheme: ConnectionScheme
        let login: Login
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

    mutating func add(_ proof: PartyAuthentication.Proof, for party: AuthenticationState.Party) {
        switch (proof, party) {
        case (.nothing, _): break
        case (.field(let value), .server): authorization = value
        case (.field(let value), .proxy): proxyAuthorization = value
        case (.connection(let scheme, let login), .server):
            // libcurl sends what is given before what it makes.
            _ = take("Authorization")
            server = ConnectionProof(scheme: scheme, login: login)
        case (.connection(let scheme, let login), .proxy):
            proxyAuthorization = nil
            proxy = ConnectionProof(scheme: scheme, login: login)
        }
    }
}
#endif
