#if canImport(FoundationNetworking)
/// The authentication of one task, to the servers of its requests and to their proxies.
struct AuthenticationState {
    enum Recipient {
        case origin, proxy
    }

    var origin = RecipientAuthentication()
    var proxy = RecipientAuthentication()

    subscript(recipient: Recipient) -> RecipientAuthentication {
        get { recipient == .origin ? origin : proxy }
        set { if recipient == .origin { origin = newValue } else { proxy = newValue } }
    }

    /// Whether a request need not be taken apart, as nothing was chosen for it.
    var isIdle: Bool { origin.isIdle && proxy.isIdle }
}
#endif
