#if canImport(FoundationNetworking)
internal import CLibcurl
internal import HTTPSyntax

/// A scheme that authenticates a connection and not a request. libcurl performs the authentication, if it was built
/// with support for the scheme.
enum ConnectionScheme: String, CaseIterable {
    /// Negotiate (RFC 4559), mostly with Kerberos.
    case negotiate = "Negotiate"
    case ntlm = "NTLM"

    /// Creates the scheme of a name; nil for other schemes.
    init?(name: String) {
        guard let scheme = Self.allCases.first(where: { $0.rawValue.hasSameLetters(as: name) }) else { return nil }
        self = scheme
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
    /// For Negotiate, libcurl always sends the ticket of this process's user and ignores the name. So only a credential
    /// with an empty name and an empty password is accepted. Such a credential means the user of the process.
    func accepts(_ userCredential: UserCredential) -> Bool {
        switch self {
        case .negotiate: userCredential.user.isEmpty && userCredential.password.isEmpty
        case .ntlm:
            !userCredential.user.isEmpty && !userCredential.user.utf8.contains(0)
                && !userCredential.password.utf8.contains(0)
        }
    }

    /// The scheme's bit in libcurl's options.
    var mask: Int { Int(self == .negotiate ? CURLAUTH_NEGOTIATE : CURLAUTH_NTLM) }
}
#endif
