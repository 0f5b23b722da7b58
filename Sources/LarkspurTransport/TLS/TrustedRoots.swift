#if canImport(FoundationNetworking)
/// The certificate authorities whose word about servers counts.
public enum TrustedRoots: Sendable, Hashable {
    /// Those of the system.
    case system
    /// These alone. A certificate that is no authority's is trusted as that of its one server. With none, no server is
    /// trusted.
    case only([TLSCertificate])
    /// Those of the system and these.
    case systemAnd([TLSCertificate])
}
#endif
