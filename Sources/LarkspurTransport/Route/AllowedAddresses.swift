internal import HTTPSyntax

/// The addresses to which a session may open connections.
///
/// The rule is checked when a connection is opened, for the address of the connection. So it does not matter how the
/// address was found: in a URL, in a redirect, by DNS, or in ``EngineOptions/hostAddresses``. If a name has several
/// addresses, the allowed addresses are tried. If none is allowed, the task fails with a `URLError` of the code
/// `dataNotAllowed`, whose ``Foundation/URLError/accessFailure`` has the host and the address.
public struct AllowedAddresses: Sendable {
    /// The treatment of requests for which the session has a proxy. A proxy chooses the address of the server itself.
    ///
    /// It is a struct and not an enum, so that a new treatment does not break existing `switch` statements. Give every
    /// `switch` a `default`.
    public struct ProxyUse: Sendable, Hashable {
        enum Kind: Sendable {
            case refused
            case trusted
        }

        let kind: Kind

        /// A request through a proxy fails before it is sent.
        public static let refused = Self(kind: .refused)
        /// The proxy is trusted to check the addresses of servers. The address of the proxy may be any address.
        public static let trusted = Self(kind: .trusted)
    }

    private enum Rule: Sendable {
        case all
        case publicOnly
        case matching(@Sendable (ConnectionAddress) -> Bool)
    }

    private let rule: Rule
    /// The treatment of requests for which the session has a proxy.
    public let proxy: ProxyUse

    /// All addresses.
    public static let all = AllowedAddresses(rule: .all, proxy: .trusted)

    /// Only addresses of the public internet, without proxies. See ``ConnectionAddress/isPublic``.
    public static let publicOnly = publicOnly(proxy: .refused)

    /// Returns the rule that allows only addresses of the public internet. See ``ConnectionAddress/isPublic``.
    /// - Parameter proxy: The treatment of requests for which the session has a proxy.
    public static func publicOnly(proxy: ProxyUse) -> AllowedAddresses {
        AllowedAddresses(rule: .publicOnly, proxy: proxy)
    }

    /// Returns the rule that allows the addresses for which a closure returns true.
    ///
    ///     options.allowedAddresses = .matching { $0.isPublic || $0.bytes.starts(with: [10, 1]) }
    ///
    /// - Parameters:
    ///   - proxy: The treatment of requests for which the session has a proxy. Default: `refused`.
    ///   - isAllowed: Decides about an address. It is called on the thread of the session each time that a connection
    ///     is about to be opened, so it must return quickly.
    public static func matching(
        proxy: ProxyUse = .refused,
        _ isAllowed: @escaping @Sendable (ConnectionAddress) -> Bool
    ) -> AllowedAddresses {
        AllowedAddresses(rule: .matching(isAllowed), proxy: proxy)
    }

    /// Whether all addresses are allowed.
    var allowsAll: Bool { if case .all = rule { true } else { false } }

    /// Whether a closure of the caller decides.
    var callsClosure: Bool { if case .matching = rule { true } else { false } }

    /// Whether a connection to an address may be opened.
    func allows(_ address: ConnectionAddress) -> Bool {
        switch rule {
        case .all: true
        case .publicOnly: address.isPublic
        case .matching(let isAllowed): isAllowed(address)
        }
    }
}

/// The address of a server to which a session is about to open a connection.
public struct ConnectionAddress: Sendable, Hashable, CustomStringConvertible {
    private let address: IPAddress
    /// The port, from 0 to 65535.
    public let port: Int

    /// - Parameter address: The address. A mapped IPv6 address becomes the IPv4 address that it contains, because the
    ///   system connects to the IPv4 address.
    init(_ address: IPAddress, port: Int) {
        self.address = address.unmapped
        self.port = port
    }

    /// The bytes of the address, the most significant first: 4 for IPv4, 16 for IPv6.
    public var bytes: [UInt8] { address.bytes }

    /// The address in its canonical notation (RFC 5952 for IPv6), without brackets and without the port.
    public var text: String { address.text }

    /// Whether the address belongs to the public internet.
    ///
    /// It does not if it is in IANA's registries of special-purpose addresses (RFC 6890): loopback, private, link-local
    /// with the metadata services of clouds, unique local, shared (CGNAT), documentation, and others. Multicast
    /// addresses, IPv6 addresses outside of 2000::/3, and 168.63.129.16, at which Azure serves its virtual machines,
    /// are not public either. If an IPv6 address contains an IPv4 address (mapped, compatible, or in 64:ff9b::/96), the
    /// IPv4 address decides. Addresses of 6to4, Teredo and 64:ff9b:1::/48 are not public.
    public var isPublic: Bool { address.isPublic }

    /// The address and the port: `192.0.2.1:443`, `[2001:db8::1]:443`.
    public var description: String { bytes.count == 4 ? "\(text):\(port)" : "[\(text)]:\(port)" }
}
