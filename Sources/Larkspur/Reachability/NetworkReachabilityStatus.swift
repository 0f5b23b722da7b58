/// Whether there is a way to the network, or to a host, as far as the system knows without trying.
///
/// A struct rather than an enum, so that a new status breaks nobody's `switch`; give every `switch` a `default`.
public struct NetworkReachabilityStatus: Sendable, Hashable {
    private enum Kind: Sendable, Hashable {
        case unknown
        case notReachable
        case reachable(Interface)
    }

    private let kind: Kind

    /// Nobody has asked the system yet, or it does not tell.
    public static let unknown = Self(kind: .unknown)
    /// There is no way.
    public static let notReachable = Self(kind: .notReachable)

    /// There is a way, which begins at an interface. Whether anybody answers is another question.
    ///
    /// To find whether there is a way through whatever interface, see ``isReachable`` and ``interface``.
    /// - Parameter interface: The kind of the interface.
    public static func reachable(_ interface: Interface) -> Self { Self(kind: .reachable(interface)) }

    /// A kind of network interface.
    ///
    /// A struct rather than an enum, so that a new kind breaks nobody's `switch`; give every `switch` a `default`.
    public struct Interface: Sendable, Hashable, CaseIterable, CustomStringConvertible {
        /// The name of the kind: `wired`, `wireless`, `cellular` or `other`.
        public let description: String

        /// Ethernet, or what looks like it: a virtual link, a telephone that is connected by USB.
        public static let wired = Self(description: "wired")
        /// A wireless network.
        public static let wireless = Self(description: "wireless")
        /// A cellular network, where the kernel tells.
        public static let cellular = Self(description: "cellular")
        /// Anything else: a tunnel, a serial line, the machine itself.
        public static let other = Self(description: "other")

        /// The kinds that this version knows.
        public static let allCases: [Self] = [.wired, .wireless, .cellular, .other]
    }

    /// Whether there is a way.
    public var isReachable: Bool { interface != nil }

    /// The kind of the interface at which the way begins; nil if there is none, or it is not known.
    public var interface: Interface? {
        if case .reachable(let interface) = kind { interface } else { nil }
    }
}

extension NetworkReachabilityStatus: CustomStringConvertible {
    /// In English: `Unknown`, `Not Reachable`, `Reachable via Ethernet`, `Reachable via WiFi`, `Reachable via WWAN` or
    /// `Reachable`.
    public var description: String {
        switch kind {
        case .unknown: "Unknown"
        case .notReachable: "Not Reachable"
        case .reachable(.wired): "Reachable via Ethernet"
        case .reachable(.wireless): "Reachable via WiFi"
        case .reachable(.cellular): "Reachable via WWAN"
        case .reachable: "Reachable"
        }
    }

    /// The description in the user's language, if the program has it in its table `Larkspur`, with the English one for
    /// a key; else in English.
    public var localizedDescription: String {
        Bundle.main.localizedString(forKey: description, value: description, table: "Larkspur")
    }
}
