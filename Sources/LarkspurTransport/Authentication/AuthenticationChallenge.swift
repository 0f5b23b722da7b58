#if canImport(FoundationNetworking)
/// A challenge of a `WWW-Authenticate` or `Proxy-Authenticate` field, of any scheme (RFC 9110, section 11.3).
struct AuthenticationChallenge: Sendable, Hashable {
    /// The scheme's name as it was received; its case does not matter.
    var scheme: String
    /// The token that some schemes have in place of parameters.
    var token68: String?
    /// The parameters by their lower-case names, without quotes and escapes; of two with one name the first counts.
    var parameters: [String: String] = [:]

    subscript(name: String) -> String? { parameters[name] }
}
#endif
