#if canImport(FoundationNetworking)
/// A version of TLS. Those before 1.2 are not to be used any more (RFC 8996), and are not to be had.
public enum TLSVersion: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// RFC 5246.
    case tls12
    /// RFC 8446.
    case tls13

    /// Earlier versions come first.
    public static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.rawValue < right.rawValue }
}
#endif
