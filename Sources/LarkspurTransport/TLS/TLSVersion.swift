#if canImport(FoundationNetworking)
/// A version of TLS. Versions before 1.2 must no longer be used (RFC 8996), and are not available.
///
/// A struct rather than an enum, so that a new version does not break existing `switch` statements; give every `switch`
/// a `default`.
public struct TLSVersion: Sendable, Hashable, CaseIterable, Comparable, CustomStringConvertible {
    enum Kind: Int, Sendable {
        case tls12
        case tls13
    }

    let kind: Kind

    /// TLS 1.2 (RFC 5246).
    public static let tls12 = Self(kind: .tls12)
    /// TLS 1.3 (RFC 8446).
    public static let tls13 = Self(kind: .tls13)

    /// The versions that this release supports, the earliest first.
    public static let allCases: [Self] = [.tls12, .tls13]

    /// The name, such as `TLS 1.3`.
    public var description: String {
        switch kind {
        case .tls12: "TLS 1.2"
        case .tls13: "TLS 1.3"
        }
    }

    /// Orders the versions; earlier ones come first.
    public static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.kind.rawValue < right.kind.rawValue }
}
#endif
