import HTTPSyntax

/// A source of reachability: the system, or a test.
protocol ReachabilitySource: Sendable {
    /// Starts to observe the reachability of a target.
    /// - Parameters:
    ///   - target: The target.
    ///   - report: Called with the status as soon as it is known, and each time that it may have changed. Calls do not
    ///     overlap.
    /// - Returns: A closure that ends the observation. A report may still be running when the closure returns.
    /// - Throws: ``ReachabilityUnavailable``, if the system does not report reachability.
    func watch(
        _ target: ReachabilityTarget,
        report: @escaping @Sendable (NetworkReachabilityStatus) -> Void
    ) throws(ReachabilityUnavailable) -> @Sendable () -> Void
}

/// The error for a system that does not report reachability.
struct ReachabilityUnavailable: Error, Equatable {
    /// The reason, as a sentence.
    let reason: String
}

/// The source for systems that do not report reachability. Its method always throws.
struct UnavailableReachabilitySource: ReachabilitySource {
    let reason: String

    func watch(
        _ target: ReachabilityTarget,
        report: @escaping @Sendable (NetworkReachabilityStatus) -> Void
    ) throws(ReachabilityUnavailable) -> @Sendable () -> Void {
        throw ReachabilityUnavailable(reason: reason)
    }
}

/// A target whose reachability is observed.
enum ReachabilityTarget: Hashable, Sendable {
    /// The network as a whole.
    case anyNetwork
    /// A host, by its name.
    case host(String)
    /// A host, by its address.
    case address(NetworkAddress)

    /// Returns the target for a host, given by its name or by an address in text.
    static func named(_ host: String) -> ReachabilityTarget {
        NetworkAddress(host).map { .address($0) } ?? .host(host)
    }
}

extension Platform {
    /// The platform's source of reachability.
    static var reachabilitySource: any ReachabilitySource {
        #if os(Linux) || os(Android)
        RoutedReachabilitySource(table: NetlinkRoutingTable(), resolver: AddressLookup.addresses)
        #elseif canImport(Network)
        PathMonitorSource()
        #else
        UnavailableReachabilitySource(reason: "This system has no source of network changes.")
        #endif
    }
}
