#if canImport(FoundationNetworking)
/// The authentication of one task to the origins of its requests and to their proxies.
struct AuthenticationState {
    enum Recipient {
        case origin, proxy
    }

    private struct Recipients {
        var origin = RecipientAuthentication()
        var proxy = RecipientAuthentication()
    }

    /// The states of the recipients; nil as long as both are in the initial state.
    @Boxed private var recipients: Recipients?

    var origin: RecipientAuthentication { self[.origin] }
    var proxy: RecipientAuthentication { self[.proxy] }

    subscript(recipient: Recipient) -> RecipientAuthentication {
        get {
            guard let recipients else { return RecipientAuthentication() }
            return recipient == .origin ? recipients.origin : recipients.proxy
        }
        set {
            var changed = recipients ?? Recipients()
            if recipient == .origin { changed.origin = newValue } else { changed.proxy = newValue }
            recipients = changed
        }
    }

    /// Whether no credential was chosen. If so, the request's URL need not be parsed.
    var isIdle: Bool { recipients.map { $0.origin.isIdle && $0.proxy.isIdle } ?? true }

    /// Records that a request is sent without authorization.
    mutating func sendNothing() {
        guard recipients != nil else { return }
        self[.origin].sendNothing()
        self[.proxy].sendNothing()
    }
}
#endif
