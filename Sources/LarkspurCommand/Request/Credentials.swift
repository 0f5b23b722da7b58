import HTTPSyntax
import Larkspur

/// The credentials of a request.
struct Credentials: Equatable, Sendable {
    let scheme: Invocation.AuthenticationScheme
    /// The user's name, or the token.
    let user: String
    let password: String

    init(scheme: Invocation.AuthenticationScheme, user: String, password: String) {
        self.scheme = scheme
        self.user = user
        self.password = password
    }

    /// Reads the credentials of a session; nil if it has none.
    init?(_ saved: SavedSession.Authentication) {
        guard let type = saved.type, let scheme = Invocation.AuthenticationScheme(rawValue: type),
            let text = saved.rawAuth
        else { return nil }
        let parts = scheme == .bearer ? nil : text.cut(at: ":")
        self.init(scheme: scheme, user: String(parts?.before ?? text[...]), password: String(parts?.after ?? ""))
    }

    /// The credentials for a session.
    var saved: SavedSession.Authentication {
        SavedSession.Authentication(type: scheme.rawValue, rawAuth: scheme == .bearer ? user : "\(user):\(password)")
    }

    /// The value of the Authorization field; nil if the credentials are only sent after a challenge.
    var authorization: String? {
        switch scheme {
        case .basic: HTTPHeaders.Field.authorization(username: user, password: password).value
        case .bearer: HTTPHeaders.Field.authorization(bearerToken: user).value
        case .digest: nil
        }
    }

    /// The credentials for a challenge; nil if they are sent without a challenge.
    var challengeCredentials: URLCredential? {
        scheme == .digest ? URLCredential(user: user, password: password, persistence: .forSession) : nil
    }
}
