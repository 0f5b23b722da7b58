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
    /// The value of the `Proxy-Authorization` field. The server must not receive it.
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

    /// Removes a field and returns its value. If both the request and the session have the field, returns the request's
    /// value.
    mutating func take(_ name: String) -> String? {
        let own = request.value(forHTTPHeaderField: name)
        if own != nil { request.setValue(nil, forHTTPHeaderField: name) }
        let others = additionalFields.filter { $0.key.hasSameLetters(as: name) }
        for key in others.keys { additionalFields[key] = nil }
        return own ?? others.values.first
    }

    /// Removes the session's fields with credentials for servers.
    mutating func keepCredentialsOfProxy() {
        additionalFields = additionalFields.filter { name, _ in
            !CredentialField.matches(name) || name.hasSameLetters(as: "Proxy-Authorization")
        }
    }

    func has(_ name: String) -> Bool {
        request.value(forHTTPHeaderField: name) != nil
            || additionalFields.contains { $0.key.hasSameLetters(as: name) }
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
            // If this field remained, libcurl would send it in place of the field that libcurl creates.
            _ = take("Authorization")
            server = ConnectionCredentials(scheme: scheme, userCredential: userCredential)
        case (.connection(let scheme, let userCredential), .proxy):
            proxyAuthorization = nil
            proxy = ConnectionCredentials(scheme: scheme, userCredential: userCredential)
        }
    }
}

/// A user's name and password. They consist of octets, because the user information of a URL may have any octets.
///
/// Their descriptions do not show the password.
struct UserCredential: Sendable, Hashable {
    let user: String
    let password: String
}

extension UserCredential {
    /// Creates the user credential of a `URLCredential`; nil if the credential is of another kind, such as an identity.
    init?(_ credential: URLCredential) {
        guard let user = credential.user, let password = credential.password else { return nil }
        self.init(user: user, password: password)
    }

    /// Creates the user credential of a URL; nil if the URL has no user name.
    init?(_ url: URL) {
        guard let user = url.user(percentEncoded: true), !user.isEmpty else { return nil }
        let password = url.password(percentEncoded: true) ?? ""
        self.init(
            user: String(octets: user.percentDecodedBytes()),
            password: String(octets: password.percentDecodedBytes())
        )
    }

    /// The user credential as programs read it.
    var readable: UserCredential { UserCredential(user: user.readable, password: password.readable) }

    /// The credential for delegates. It is not stored in any storage.
    var credential: URLCredential {
        URLCredential(user: user.readable, password: password.readable, persistence: .none)
    }
}

extension UserCredential: CustomStringConvertible, CustomReflectable {
    var description: String { user.readable }
    var customMirror: Mirror { Mirror(self, children: ["user": user.readable]) }
}

/// The request for a credential, which a delegate or the default handling chooses.
struct CredentialDemand {
    let space: ProtectionSpace
    /// All remaining ways to authenticate, the strongest first.
    let offers: [ChallengeOffer]
    /// The way to authenticate for which a credential is needed now.
    let offer: ChallengeOffer
    /// A credential for the default handling that has not been refused yet; nil if there is none.
    let untried: URLCredential?
    /// The credential that was last refused; nil if none was refused.
    let refused: URLCredential?
    let failureCount: Int

    /// Returns the challenge for delegates.
    func challenge(with response: URLResponse) -> URLAuthenticationChallenge {
        URLAuthenticationChallenge(
            protectionSpace: space.urlProtectionSpace,
            proposedCredential: untried ?? refused,
            previousFailureCount: failureCount,
            failureResponse: response,
            error: nil,
            sender: ChallengeSender()
        )
    }
}

/// The authentication of one task to the origins of its requests and to their proxies.
struct AuthenticationState {
    enum Recipient {
        case origin, proxy
    }

    var origin = RecipientAuthentication()
    var proxy = RecipientAuthentication()

    subscript(recipient: Recipient) -> RecipientAuthentication {
        get { recipient == .origin ? origin : proxy }
        _modify {
            switch recipient {
            case .origin: yield &origin
            case .proxy: yield &proxy
            }
        }
    }
}
#endif
