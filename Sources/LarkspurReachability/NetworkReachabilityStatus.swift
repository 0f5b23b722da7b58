import HTTPSyntax

/// The reachability of the network or of a host, as the system knows it without sending a request.
///
/// It is a struct rather than an enum, so that a new status breaks no `switch` of a program. Give every `switch` a
/// `default`.
public struct NetworkReachabilityStatus: Sendable, Hashable {
    private enum Kind: Sendable, Hashable {
        case unknown
        case notReachable
        case reachable(Interface)
    }

    private let kind: Kind

    /// The status is not known: monitoring has not started, or the system does not report reachability.
    public static let unknown = Self(kind: .unknown)
    /// The target is not reachable.
    public static let notReachable = Self(kind: .notReachable)

    /// Creates the status of a target that is reachable through an interface. The server may still not respond.
    ///
    /// To check for reachability through any interface, use ``isReachable`` and ``interface``.
    /// - Parameter interface: The kind of the interface.
    public static func reachable(_ interface: Interface) -> Self { Self(kind: .reachable(interface)) }

    /// A kind of network interface.
    ///
    /// It is a struct rather than an enum, so that a new kind breaks no `switch` of a program. Give every `switch` a
    /// `default`.
    public struct Interface: Sendable, Hashable, CaseIterable, CustomStringConvertible {
        /// The name of the kind: `wired`, `wireless`, `cellular` or `other`.
        public let description: String

        /// Ethernet, or a link that works like Ethernet: a virtual link, or a telephone that is connected by USB.
        public static let wired = Self(description: "wired")
        /// A wireless network.
        public static let wireless = Self(description: "wireless")
        /// A cellular network, if the kernel reports it as such.
        public static let cellular = Self(description: "cellular")
        /// Any other interface: a tunnel, a serial line, or the machine itself.
        public static let other = Self(description: "other")

        /// The kinds that this version knows.
        public static let allCases: [Self] = [.wired, .wireless, .cellular, .other]
    }

    /// Whether the target is reachable.
    public var isReachable: Bool { interface != nil }

    /// The kind of the interface through which the target is reachable; nil if the target is not reachable, or if the
    /// status is not known.
    public var interface: Interface? {
        if case .reachable(let interface) = kind { interface } else { nil }
    }
}

extension NetworkReachabilityStatus: CustomStringConvertible {
    /// The status in English: `Unknown`, `Not Reachable`, `Reachable via Ethernet`, `Reachable via WiFi`, `Reachable
    /// via WWAN` or `Reachable`.
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

    /// The description in the user's language, if the program has a strings table `Larkspur` with the English
    /// description as a key; otherwise in English.
    public var localizedDescription: String {
        Bundle.main.localizedString(forKey: description, value: description, table: "Larkspur")
    }
}
