/// Whether there is a way to the network, or to a host, as far as the system knows without trying.
public enum NetworkReachabilityStatus: Sendable, Hashable {
    /// Nobody has asked the system yet, or it does not tell.
    case unknown
    /// There is no way.
    case notReachable
    /// There is a way, which begins at such an interface. Whether anybody answers is another question.
    case reachable(Interface)

    /// What a network interface is.
    public enum Interface: Sendable, Hashable, CaseIterable {
        /// Ethernet, or what looks like it: a virtual link, a telephone that is connected by USB.
        case wired
        /// A wireless network.
        case wireless
        /// A cellular network, where the kernel tells.
        case cellular
        /// Anything else: a tunnel, a serial line, the machine itself.
        case other
    }

    /// Whether there is a way.
    public var isReachable: Bool { interface != nil }

    /// Where the way begins; nil if there is none, or it is not known.
    public var interface: Interface? {
        if case .reachable(let interface) = self { interface } else { nil }
    }
}

extension NetworkReachabilityStatus: CustomStringConvertible {
    /// In English: `Unknown`, `Not Reachable`, `Reachable via Ethernet`, `Reachable via WiFi`, `Reachable via WWAN` or
    /// `Reachable`.
    public var description: String {
        switch self {
        case .unknown: "Unknown"
        case .notReachable: "Not Reachable"
        case .reachable(.wired): "Reachable via Ethernet"
        case .reachable(.wireless): "Reachable via WiFi"
        case .reachable(.cellular): "Reachable via WWAN"
        case .reachable(.other): "Reachable"
        }
    }

    /// The description in the user's language, if the program has it in its table `Larkspur`, with the English one for
    /// a key; else in English.
    public var localizedDescription: String {
        Bundle.main.localizedString(forKey: description, value: description, table: "Larkspur")
    }
}
