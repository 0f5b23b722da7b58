internal import HTTPSyntax

/// The rules for the expiry and the refresh of a credential.
struct CredentialRules<Credential: Sendable>: Sendable {
    let authenticator: any RequestAuthenticator<Credential>
    /// The credential is refreshed when it expires within this time.
    let window: Duration
    /// The source of the present date.
    let date: @Sendable () -> Date

    func hasExpired(_ credential: Credential) -> Bool {
        authenticator.expirationDate(of: credential).map { date() >= $0 } ?? false
    }

    /// Returns the date at which a credential expires, if it is time for a refresh; otherwise nil.
    func dueExpiry(of credential: Credential, from refreshDate: Date?) -> Date? {
        guard let expiry = authenticator.expirationDate(of: credential) else { return nil }
        var window = window.timeInterval
        // A window that is longer than the credential's lifetime would cause a refresh before each request.
        if let refreshDate { window = min(window, max(0, expiry.timeIntervalSince(refreshDate)) / 2) }
        return date() >= expiry - window ? expiry : nil
    }
}
