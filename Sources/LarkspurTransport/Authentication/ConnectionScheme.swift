#if canImport(FoundationNetworking)
internal import CLibcurl
internal import HTTPSyntax

/// A scheme that authenticates a connection and not a request. libcurl implements it, if it was built with it.
enum ConnectionScheme: Sendable, Hashable {
    /// Negotiate (RFC 4559); with Kerberos in most cases.
    case negotiate
    case ntlm

    /// Creates the scheme of a name; nil for other schemes.
    init?(name: String) {
        if name.hasSameLetters(as: "Negotiate") {
            self = .negotiate
        } else if name.hasSameLetters(as: "NTLM") {
            self = .ntlm
        } else {
            return nil
        }
    }

    /// The schemes that the loaded libcurl supports.
    static let available: Set<ConnectionScheme> = {
        let features = libcurl_features()
        var schemes: Set<ConnectionScheme> = []
        if features & CURL_VERSION_NTLM != 0 { schemes.insert(.ntlm) }
        if features & CURL_VERSION_SPNEGO != 0 { schemes.insert(.negotiate) }
        return schemes
    }()

    /// Whether libcurl can authenticate with this user credential.
    ///
    /// For Negotiate, libcurl sends the ticket of this process's user, whatever name it is given. So only a user
    /// credential without a name and a password is accepted, which stands for just that user.
    func accepts(_ userCredential: UserCredential) -> Bool {
        switch self {
        case .negotiate: userCredential.user.isEmpty && userCredential.password.isEmpty
        case .ntlm:
            !userCredential.user.isEmpty && !userCredential.user.utf8.contains(0)
                && !userCredential.password.utf8.contains(0)
        }
    }

    /// The scheme's bit in libcurl's options.
    var mask: Int {
        switch self {
        case .negotiate: Int(CURLAUTH_NEGOTIATE)
        case .ntlm: Int(CURLAUTH_NTLM)
        }
    }
}
#endif
