#if os(Linux) || os(Android)
/// A resolver that looks up the addresses of hosts with the system's resolver.
enum AddressLookup {
    /// Returns the addresses of a host, the best first; empty if the host is not known. The look-up has no time limit,
    /// and runs on a separate thread.
    @Sendable static func addresses(of host: String) async -> [NetworkAddress] {
        await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .utility).async { continuation.resume(returning: lookUp(host)) }
        }
    }

    private static func lookUp(_ host: String) -> [NetworkAddress] {
        // A C string ends at a NUL, so the addresses of a shorter name would be looked up.
        guard !host.isEmpty, !host.utf8.contains(0) else { return [] }
        var hints = addrinfo()
        // This limits the results to one for each address, instead of one for each address and socket type.
        hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        return sequence(first: list) { $0?.pointee.ai_next }.prefix { $0 != nil }.compactMap { item in
            item.flatMap { address(in: $0.pointee) }
        }
    }

    private static func address(in info: addrinfo) -> NetworkAddress? {
        guard let pointer = info.ai_addr else { return nil }
        let raw = UnsafeRawPointer(pointer)
        switch info.ai_family {
        case AF_INET:
            let address = raw.loadUnaligned(as: sockaddr_in.self).sin_addr
            return NetworkAddress(bytes: withUnsafeBytes(of: address) { Array($0) })
        case AF_INET6:
            let address = raw.loadUnaligned(as: sockaddr_in6.self)
            return NetworkAddress(
                bytes: withUnsafeBytes(of: address.sin6_addr) { Array($0) },
                zone: address.sin6_scope_id
            )
        default: return nil
        }
    }
}
#endif
