#if canImport(FoundationNetworking)
/// The authentication of one task, to the servers of its requests and to their proxies.
struct AuthenticationState {
    enum Party {
        case server, proxy
    }

    var server = PartyAuthentication()
    var proxy = PartyAuthentication()

    subscript(party: Party) -> PartyAuthentication {
        get { party == .server ? server : proxy }
        set { if party == .server { server = newValue } else { proxy = newValue } }
    }

    /// Whether a request need not be taken apart, as nothing was chosen for it.
    var isIdle: Bool { server.isIdle && proxy.isIdle }
}
#endif
