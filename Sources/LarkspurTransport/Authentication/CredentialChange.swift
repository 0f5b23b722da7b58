#if canImport(FoundationNetworking)
/// A change to the credentials of a session that a response leads to.
enum CredentialChange {
    /// Store a credential that was accepted.
    case store(URLCredential, ProtectionSpace)
    /// Use credentials that were accepted for later requests, without being asked for them.
    case remember(HTTPAuthentication, RecipientAuthentication.Request, KnownAuthentications.Owner)
    /// Take over the nonce for the next use, from the values of `Authentication-Info`.
    case renew(KnownAuthentications.Use, info: [String])
    /// Forget credentials that were refused, unless others have replaced them.
    case forget(KnownAuthentications.Use)
}

/// The credentials of a session, as far as an authentication reads them.
protocol CredentialSource {
    /// The default credential for a space; nil if there is none.
    func defaultCredential(for space: ProtectionSpace) -> URLCredential?

    /// The credentials behind a use; nil if they were forgotten or replaced.
    func authentication(of use: KnownAuthentications.Use) -> HTTPAuthentication?
}
#endif
