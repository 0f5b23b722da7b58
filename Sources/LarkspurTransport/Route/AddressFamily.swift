#if canImport(FoundationNetworking)
import HTTPSyntax

/// The family of the addresses to which a session connects.
public enum AddressFamily: Sendable, Hashable {
    /// IPv4 and IPv6.
    case any
    /// IPv4 only.
    case ipv4
    /// IPv6 only.
    case ipv6

    /// libcurl's number for the family.
    var curlNumber: Int {
        switch self {
        case .any: 0
        case .ipv4: 1
        case .ipv6: 2
        }
    }

    /// The name of the family, such as `IPv4`.
    var name: String {
        switch self {
        case .any: "IP"
        case .ipv4: "IPv4"
        case .ipv6: "IPv6"
        }
    }

    /// Returns whether an address belongs to the family.
    func contains(_ address: IPAddress) -> Bool {
        switch self {
        case .any: true
        case .ipv4: address.bytes.count == 4
        case .ipv6: address.bytes.count == 16
        }
    }
}
#endif
