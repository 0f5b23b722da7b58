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

    /// Whether packets pass through the link: it is switched on, it has a carrier, and nothing blocks it, such as a
    /// missing authentication.
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
        if type == "wwan" || hardware == Hardware.rawIP || name.hasPrefix("wwan") || name.hasPrefix("rmnet") {
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
