/// The rules of one kind of credential, such as an access token: its place in a request, and its refresh.
///
///     struct SignedToken: RequestAuthenticator {
///         func apply(_ token: String, to request: inout URLRequest) {
///             request.headers["Authorization"] = "Token \(token)"
///         }
///
///         func refresh(_ token: String) async throws -> String {
///             try await tokens.post("refresh", parameters: ["token": token]).redirect { _, _, _ in nil }.string
///         }
///     }
///
/// ``AuthenticationInterceptor`` applies the rules. ``OAuth2Authenticator`` has those of OAuth 2.
public protocol RequestAuthenticator<Credential>: Sendable {
    /// A type of credential.
    associatedtype Credential: Sendable

    /// Adds a credential to a request, as a rule as the field `Authorization`. Redirects to other origins are followed
    /// without the fields that it sets. Called on an arbitrary thread before each attempt.
    ///
    /// Set fields by `request.headers`: a value with a line break, such as that of a token from a file, is the error
    /// `invalidHeaderField` then. The method `setValue(_:forHTTPHeaderField:)` of `URLRequest` drops it without a word.
    /// - Parameters:
    ///   - credential: The credential.
    ///   - request: The request. An older credential in it is to be replaced.
    func apply(_ credential: Credential, to request: inout URLRequest)

    /// Returns whether a response is a refusal of the credential, so that another one may help. Called on an arbitrary
    /// thread. The default returns true for the status 401.
    /// - Parameter response: The response.
    func isRefused(_ response: InterceptedResponse) -> Bool

    /// Returns the date at which a credential expires; nil if that is unknown. Called on an arbitrary thread before
    /// each request. The default returns nil.
    /// - Parameter credential: The credential.
    func expirationDate(of credential: Credential) -> Date?

    /// Returns a new credential for one that has expired or was refused. It is not called again before it has returned.
    ///
    /// Requests of its own are sent without the credential, also if they have the same interceptor.
    /// - Parameter credential: The old credential.
    /// - Throws: An error that ends the calls that wait for the credential; it is the `underlyingError` of their error,
    ///   whose code is `credentialRefreshFailed`.
    func refresh(_ credential: Credential) async throws -> Credential
}

extension RequestAuthenticator {
    /// Returns true for the status 401.
    public func isRefused(_ response: InterceptedResponse) -> Bool { response.statusCode == 401 }

    /// Returns nil.
    public func expirationDate(of credential: Credential) -> Date? { nil }
}
