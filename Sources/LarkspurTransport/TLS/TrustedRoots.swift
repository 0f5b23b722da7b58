#if canImport(FoundationNetworking)
/// The certificate authorities that are trusted to vouch for servers.
public enum TrustedRoots: Sendable, Hashable {
    /// The authorities of the system.
    case system
    /// Only the given certificates. A certificate that is not an authority's is trusted for its own server. With none,
    /// no server is trusted.
    case only([TLSCertificate])
    /// The authorities of the system and the given certificates.
    case systemAnd([TLSCertificate])
}
#endif
