#if canImport(FoundationNetworking)
import HTTPSyntax

/// An address that a resolver has found for the name of a host.
public struct ResolvedAddress: Sendable, Hashable {
    /// The numerical address, IPv4 or IPv6.
    public var address: String
    /// The time for which the address is valid. While all addresses of a name are valid, a session does not look up the
    /// name again. If the time is zero, the address is valid for one request only.
    public var timeToLive: Duration

    /// Creates an address.
    /// - Parameters:
    ///   - address: The numerical address, IPv4 or IPv6.
    ///   - timeToLive: The time for which the address is valid. Zero means that it is valid for one request only.
    public init(_ address: String, timeToLive: Duration) {
        self.address = address
        self.timeToLive = timeToLive
    }
}

/// Returns the addresses of a host, in the order in which they are tried.
///
/// The name is in ASCII and in lower case, without a dot at its end. The closure runs in a Swift task, never on the
/// thread of the session.
public typealias HostResolver = @Sendable (_ host: String) async throws -> [ResolvedAddress]

/// The result of a look-up. The look-ups of a session have numbers.
struct NameOutcome: Sendable {
    let name: String
    let number: Int
    let result: Result<[ResolvedAddress], any Error>
}

/// The addresses that a session's resolver has found. It is a value without I/O and without a clock.
struct ResolvedNames {
    /// The maximum number of names. When it is reached, expired names are removed. If more than half of the maximum
    /// would then remain, all names are removed.
    static let capacity = 1024

    private var entries: [TextKey: (addresses: [String], end: LoopTime)] = [:]

    /// Returns the addresses of a name; nil if there are no valid addresses.
    func addresses(of name: String, at now: LoopTime) -> [String]? {
        guard let entry = entries[name], now < entry.end else { return nil }
        return entry.addresses
    }

    /// Stores addresses. They are valid until the time of the first address has passed.
    mutating func insert(_ addresses: [ResolvedAddress], for name: String, at now: LoopTime) {
        guard let time = addresses.map(\.timeToLive).min(), addresses.allSatisfy({ $0.timeToLive > .zero }) else {
            return entries[name] = nil
        }
        if entries[name] == nil, entries.count >= Self.capacity {
            entries = entries.filter { now < $0.value.end }
            // If only a few entries have expired, the table would soon be full, and would be searched again.
            if entries.count > Self.capacity / 2 { entries.removeAll() }
        }
        entries[name] = (addresses.map(\.address), now.adding(time.timeInterval))
    }
}

/// The names in libcurl's cache of addresses. libcurl does not limit the entries that the engine adds, so the oldest
/// entries are removed.
struct LoadedNames {
    private var names: Set<TextKey> = []
    private var order = Line<String>()

    /// Returns the lines for `CURLOPT_RESOLVE` that replace the addresses of a host.
    mutating func lines(for host: HostAddress) -> [String] {
        guard let line = host.curlLine else { return [] }
        let name = "\(host.host):\(host.port)"
        if names.insert(name) { order.append(name) }
        guard names.count > ResolvedNames.capacity, let oldest = order.take() else { return [line] }
        names.remove(oldest)
        return ["-" + oldest, line]
    }
}

/// The fixed addresses of a host, for tests and for servers without a name. They are used without a look-up of the
/// name.
public struct HostAddress: Sendable, Hashable {
    /// The host's name, as it appears in URLs.
    public var host: String
    /// The port, as it appears in URLs, or the default port of their scheme.
    public var port: Int
    /// The numerical addresses to try, in this order. There must be at least one.
    public var addresses: [String]

    /// Creates the addresses of a host.
    /// - Parameters:
    ///   - host: The host's name, as it appears in URLs.
    ///   - port: The port, from 1 to 65535, as it appears in URLs, or the default port of their scheme.
    ///   - addresses: The numerical addresses to try, in this order. There must be at least one.
    public init(host: String, port: Int, addresses: [String]) {
        self.host = host
        self.port = port
        self.addresses = addresses
    }

    /// The host in its canonical form; nil if there is none.
    var canonicalHost: CanonicalHost? { try? CanonicalHost(named: host) }

    /// Whether the host, the port and the addresses can be used.
    package var isValid: Bool { curlLine != nil }

    /// The addresses in libcurl's notation; nil if a part is invalid.
    var curlLine: String? {
        guard (1...65535).contains(port), !addresses.isEmpty, let host = canonicalHost?.plainText,
            // For libcurl, "-" at the beginning of a line removes the known addresses of a host. libcurl has no
            // notation for an IPv6 address as the host.
            !host.utf8.starts(with: "-".utf8), !host.utf8.contains(UInt8(ascii: ":")),
            addresses.allSatisfy({ IPAddress($0) != nil })
        else { return nil }
        let numbers = addresses.map { address in
            address.utf8.contains(UInt8(ascii: ":")) && address.utf8.first != UInt8(ascii: "[")
                ? "[\(address)]" : address
        }
        return "\(host):\(port):\(numbers.joined(separator: ","))"
    }
}
#endif
