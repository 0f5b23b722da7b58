#if canImport(FoundationNetworking)
import HTTPSyntax

/// An address that a resolver has found for the name of a host.
public struct ResolvedAddress: Sendable, Hashable {
    /// The numerical address, IPv4 or IPv6.
    public var address: String
    /// The time for which the address is valid. A session does not ask for the name again while all of its
    /// addresses are valid. Zero for one request only.
    public var timeToLive: Duration

    /// Creates an address.
    /// - Parameters:
    ///   - address: The numerical address, IPv4 or IPv6.
    ///   - timeToLive: The time for which the address is valid; zero for one request only.
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

/// The result of a look-up. The look-ups of a session are numbered.
struct NameOutcome: Sendable {
    let name: String
    let number: Int
    let result: Result<[ResolvedAddress], any Error>
}

/// The addresses that a session's resolver has found: a value without I/O and without a clock.
struct ResolvedNames {
    /// The maximum number of names. When it is reached, expired names are removed. If more than half of the maximum
    /// would stay, all are removed.
    static let capacity = 1024

    private var entries: [TextKey: (addresses: [String], end: LoopTime)] = [:]

    /// Returns the addresses of a name; nil if there are none that are valid.
    func addresses(of name: String, at now: LoopTime) -> [String]? {
        guard let entry = entries[name], now < entry.end else { return nil }
        return entry.addresses
    }

    /// Stores addresses until the first of them is no longer valid.
    mutating func insert(_ addresses: [ResolvedAddress], for name: String, at now: LoopTime) {
        guard let time = addresses.map(\.timeToLive).min(), addresses.allSatisfy({ $0.timeToLive > .zero }) else {
            return entries[name] = nil
        }
        if entries[name] == nil, entries.count >= Self.capacity {
            entries = entries.filter { now < $0.value.end }
            // If few entries have expired, the table would soon be full and searched again.
            if entries.count > Self.capacity / 2 { entries.removeAll() }
        }
        entries[name] = (addresses.map(\.address), now.adding(time.timeInterval))
    }
}

/// The names in libcurl's cache of addresses. libcurl does not limit the entries that it is given, so the oldest ones
/// are removed.
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

/// The fixed addresses of a host, for tests, and for servers that have no name yet. They are used without a name
/// look-up.
public struct HostAddress: Sendable, Hashable {
    /// The host's name, as it appears in URLs.
    public var host: String
    /// The port, as it appears in URLs, or the default port of their scheme.
    public var port: Int
    /// The numerical addresses to try, in this order; at least one.
    public var addresses: [String]

    /// Creates the addresses of a host.
    /// - Parameters:
    ///   - host: The host's name, as it appears in URLs.
    ///   - port: The port, from 1 to 65535, as it appears in URLs, or the default port of their scheme.
    ///   - addresses: The numerical addresses to try, in this order; at least one.
    public init(host: String, port: Int, addresses: [String]) {
        self.host = host
        self.port = port
        self.addresses = addresses
    }

    /// The host in its canonical form; nil if there is none.
    var canonicalHost: CanonicalHost? { try? CanonicalHost(named: host) }

    /// The addresses in libcurl's notation; nil if a part is invalid.
    var curlLine: String? {
        guard (1...65535).contains(port), !addresses.isEmpty, let host = canonicalHost?.plainText,
            // In libcurl's notation, "-" at the beginning of a line removes the known addresses of a host. It has no
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
