import HTTPSyntax

/// A network interface, as the kernel describes it.
struct NetworkLink: Equatable, Sendable {
    let index: Int32
    let name: String
    /// The flags of `net_device_flags`.
    let flags: UInt32
    /// The hardware type, of `if_arp.h`.
    let hardware: UInt16
    /// The operational state of RFC 2863, in Linux's numbers.
    let operationalState: UInt8

    /// Whether packets pass through the link. The link must be switched on and have a carrier, and nothing may block
    /// it, such as a missing authentication.
    var isUp: Bool {
        let needed = Flag.up | Flag.carrier
        return flags & needed == needed && (operationalState == State.up || operationalState == State.unknown)
    }

    /// Whether the link leads to the machine itself.
    var isLoopback: Bool { flags & Flag.loopback != 0 }

    /// Returns the kind of the interface, from the kernel's description of its device.
    /// - Parameters:
    ///   - type: The `DEVTYPE` of the device; nil if it has none.
    ///   - isWireless: Whether the device has a wireless interface.
    func interface(type: String?, isWireless: Bool) -> NetworkReachabilityStatus.Interface {
        if isWireless || type == "wlan" || Hardware.wireless.contains(hardware) { return .wireless }
        if type == "wwan" || hardware == Hardware.rawIP || name.begins(with: "wwan") || name.begins(with: "rmnet") {
            return .cellular
        }
        return hardware == Hardware.ethernet ? .wired : .other
    }

    private enum Flag {
        static let up: UInt32 = 1 << 0
        static let loopback: UInt32 = 1 << 3
        static let carrier: UInt32 = 1 << 16
    }

    private enum State {
        static let unknown: UInt8 = 0
        static let up: UInt8 = 6
    }

    private enum Hardware {
        static let ethernet: UInt16 = 1
        static let rawIP: UInt16 = 519
        static let wireless: ClosedRange<UInt16> = 801...803
    }
}

/// An IP address.
struct NetworkAddress: Hashable, Sendable {
    /// The bytes of the address: 4 for IPv4, 16 for IPv6.
    let bytes: [UInt8]
    /// The index of the link to which a link-local address belongs; 0 for none.
    let zone: UInt32

    var isV6: Bool { bytes.count == 16 }
    /// Whether the address is valid only on its link. To send to such an address, any address on the same link is
    /// enough.
    var isLinkLocal: Bool { isV6 && bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80 }

    /// - Parameters:
    ///   - bytes: The 4 or 16 bytes, in network byte order.
    ///   - zone: The index of the link. Default: 0, for none.
    init?(bytes: [UInt8], zone: UInt32 = 0) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        // An IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2) uses the routes of IPv4.
        let isMapped =
            bytes.count == 16 && bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 255 && bytes[11] == 255
        self.bytes = isMapped ? Array(bytes.suffix(4)) : bytes
        self.zone = isMapped ? 0 : zone
    }

    /// Parses an address in the form of text or of a URL: `192.0.2.1`, `2001:db8::1`, `[::1]`, `fe80::1%eth0`. Nil for
    /// names, and for short forms of IPv4 addresses such as `127.1`.
    init?(_ text: String) {
        var text = Substring(text)
        if text.utf8.first == UInt8(ascii: "["), text.utf8.last == UInt8(ascii: "]") {
            text = Substring(text.utf8.dropFirst().dropLast())
        }
        guard !text.utf8.contains(0) else { return nil }
        // The bytes are split, because an accent at the start of the zone would make one character with the sign.
        let parts = text.utf8.split(separator: UInt8(ascii: "%"), maxSplits: 1, omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        guard let address = parts.first else { return nil }
        var bytes = [UInt8](repeating: 0, count: 4)
        if parts.count == 1, inet_pton(AF_INET, address, &bytes) == 1 {
            self.init(bytes: bytes)
            return
        }
        bytes = [UInt8](repeating: 0, count: 16)
        guard inet_pton(AF_INET6, address, &bytes) == 1 else { return nil }
        var zone: UInt32 = 0
        if parts.count == 2 {
            zone = UInt32(parts[1]) ?? if_nametoindex(parts[1])
            guard zone != 0 else { return nil }
        }
        self.init(bytes: bytes, zone: zone)
    }
}
