#if canImport(FoundationNetworking)
/// The authentication of one task, to the origins of its requests and to their proxies.
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

    /// Whether no credential was chosen. A request then need not be taken apart.
    var isIdle: Bool { origin.isIdle && proxy.isIdle }
}
#endif
