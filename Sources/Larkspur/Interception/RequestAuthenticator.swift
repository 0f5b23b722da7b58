/// The rules of one kind of credential, such as an access token: its place in a request, and its refresh.
///
///     struct SignedToken: RequestAuthenticator {
///         func apply(_ token: String, to request: inout URLRequest) {
///             request.headers["Authorization"] = "Token \(token)"
///         }
///
///         func refresh(_ token: String, after refusal: InterceptedResponse?) async throws -> String {
///             try await tokens.post("refresh", parameters: ["token": token]).redirect { _, _, _ in nil }.string
///         }
///     }
///
/// ``AuthenticationInterceptor`` applies the rules. ``OAuth2Authenticator`` has the rules of OAuth 2.
public protocol RequestAuthenticator<Credential>: Sendable {
    /// The type of the credential.
    associatedtype Credential: Sendable

    /// Adds a credential to a request, usually in the field `Authorization`. A redirect to another origin is followed
    /// without the fields that the method sets. The method is called on an arbitrary thread, before the interceptor
    /// sends a request with a credential.
    ///
    /// Set fields with `request.headers`. If a value contains a line break, for example because a token was read from a
    /// file, the call then fails with the error `invalidHeaderField`. The method `setValue(_:forHTTPHeaderField:)` of
    /// `URLRequest` drops such a value without an error.
    /// - Parameters:
    ///   - credential: The credential.
    ///   - request: The request. If it already has a credential, the method replaces it.
    func apply(_ credential: Credential, to request: inout URLRequest)

    /// Returns whether a response refuses the credential, so that another credential may help. The method is called on
    /// an arbitrary thread. The default implementation returns true for the status 401.
    /// - Parameter response: The response.
    func isRefused(_ response: InterceptedResponse) -> Bool

    /// Returns the date at which a credential expires; nil if the date is unknown. The method is called on an arbitrary
    /// thread before each request. The default implementation returns nil.
    /// - Parameter credential: The credential.
    func expirationDate(of credential: Credential) -> Date?

    /// Returns a new credential in place of one that has expired or was refused. The interceptor does not call the
    /// method again before the previous call has returned.
    ///
    /// Requests that the method sends do not get the credential, even if they have the same interceptor.
    /// - Parameters:
    ///   - credential: The old credential.
    ///   - refusal: The response that refused the credential, whose `httpResponse?.challenges` may name the issuer of a
    ///     new credential; nil if the credential has expired. If several requests were refused, the response to one of
    ///     them.
    /// - Throws: An error that ends the calls that wait for the credential. These calls fail with the code
    ///   `credentialRefreshFailed`, and this error is their `underlyingError`. A ``LarkspurError`` with that code is
    ///   itself the error of the calls.
    func refresh(_ credential: Credential, after refusal: InterceptedResponse?) async throws -> Credential

    /// Whether the same credential may be refreshed several times. Only read for a credential that is shared through a
    /// ``SharedStore``: if a refresh began there and has no result, for example because its process has ended, another
    /// process may then refresh the credential again. The default implementation returns false.
    var allowsRepeatedRefresh: Bool { get }
}

extension RequestAuthenticator {
    /// Returns true for the status 401.
    public func isRefused(_ response: InterceptedResponse) -> Bool { response.statusCode == 401 }

    /// False.
    public var allowsRepeatedRefresh: Bool { false }

    /// Returns nil.
    public func expirationDate(of credential: Credential) -> Date? { nil }
}
