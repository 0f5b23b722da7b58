internal import HTTPSyntax

/// The keys with which requests to AWS are signed. The descriptions and the mirror contain neither the secret key nor
/// the session token.
public struct AWSCredentials: Hashable, Sendable {
    /// The identifier of the access key, such as `AKIAIOSFODNN7EXAMPLE`. It is sent with each request.
    public var accessKeyID: String
    /// The secret access key. It is never sent.
    public var secretAccessKey: String
    /// The token of temporary credentials, which is sent with each request; nil for others.
    public var sessionToken: String?

    /// Creates credentials.
    /// - Parameters:
    ///   - accessKeyID: The identifier of the access key.
    ///   - secretAccessKey: The secret access key.
    ///   - sessionToken: The token of temporary credentials. Default: none.
    public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
    }
}

extension AWSCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The identifier of the access key, without the secrets.
    public var description: String { "AWSCredentials(\(accessKeyID)\(sessionToken == nil ? "" : ", temporary"))" }
    /// The identifier of the access key, without the secrets.
    public var debugDescription: String { description }
    /// A mirror without the secrets.
    public var customMirror: Mirror { Mirror(self, children: ["accessKeyID": accessKeyID]) }
}
