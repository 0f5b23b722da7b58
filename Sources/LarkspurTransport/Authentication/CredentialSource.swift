#if canImport(FoundationNetworking)
/// A change to the credentials of a session that follows from a response.
enum CredentialChange {
    /// Stores a credential that was accepted.
    case store(URLCredential, ProtectionSpace)
    /// Uses credentials that were accepted for later requests, before the server challenges.
    case remember(HTTPAuthentication, RecipientAuthentication.Request, KnownAuthentications.Owner)
    /// Adopts the nonce for the next use, from the values of `Authentication-Info`.
    case renew(KnownAuthentications.Use, info: [String])
    /// Removes credentials that were refused, unless others have replaced them.
    case forget(KnownAuthentications.Use)
}

/// The credentials of a session that an authentication reads.
protocol CredentialSource {
    /// Returns the default credential for a space; nil if there is none.
    func defaultCredential(for space: ProtectionSpace) -> URLCredential?

    /// Returns the credentials behind a use; nil if they were removed or replaced.
    func authentication(of use: KnownAuthentications.Use) -> HTTPAuthentication?
}
#endif
