import Synchronization

/// An observation of one target. It reads the kernel's state after each change. If that state differs from the previous
/// one, it looks up the host's addresses.
final class RoutedObservation: Sendable {
    /// The addresses of a host, and their look-up.
    fileprivate struct Host {
        var addresses: [NetworkAddress]?
        /// The kernel's state at the last look-up of the addresses.
        var asked: RoutingSnapshot?
        /// The number of look-ups in a row, in that state, that have found no address.
        var failures = 0
        var lookup: Task<Void, Never>?
    }

    /// The delays before repeated look-ups, in seconds. A resolver may not be ready as soon as there is a route.
    static let pauses: [Duration] = [1, 2, 4, 8, 16, 32, 64].map { .seconds($0) }

    private let target: ReachabilityTarget
    private let table: any RoutingTable
    private let resolver: RoutedReachabilitySource.Resolver
    private let clock: any Clock<Duration>
    private let report: @Sendable (NetworkReachabilityStatus) -> Void
    private let queue = DispatchQueue(label: "larkspur.reachability", qos: .utility)
    private let host = Mutex(Host())
    private let isCancelled = Mutex(false)

    init(
        _ target: ReachabilityTarget,
        table: any RoutingTable,
        resolver: @escaping RoutedReachabilitySource.Resolver,
        clock: any Clock<Duration>,
        report: @escaping @Sendable (NetworkReachabilityStatus) -> Void
    ) {
        self.target = target
        self.table = table
        self.resolver = resolver
        self.clock = clock
        self.report = report
    }

    deinit { cancel() }

    /// Records that the kernel's state may have changed.
    func update() {
        queue.async { [weak self] in self?.read() }
    }

    func cancel() {
        isCancelled.withLock { $0 = true }
        host.withLock { $0.lookup.take() }?.cancel()
    }

    // MARK: On the queue

    private func read() {
        guard !isCancelled.withLock({ $0 }) else { return }
        guard let snapshot = table.snapshot() else { return report(.unknown) }
        switch target {
        case .anyNetwork: report(status(through: snapshot.linkTowardsNetwork))
        case .address(let address): report(status(of: [address], in: snapshot))
        case .host(let name):
            let (addresses, isNew) = host.withLock { ($0.addresses, $0.begin(in: snapshot)) }
            // The addresses of the previous look-up count until the new one ends.
            if let addresses { report(status(of: addresses, in: snapshot)) }
            if isNew { lookUp(name, after: nil) }
        }
    }

    private func status(of addresses: [NetworkAddress], in snapshot: RoutingSnapshot) -> NetworkReachabilityStatus {
        for address in addresses {
            let link = snapshot.link(towards: address, through: table.link(towards: address))
            if link != nil { return status(through: link) }
        }
        return .notReachable
    }

    private func status(through link: NetworkLink?) -> NetworkReachabilityStatus {
        link.map { .reachable(table.interface(of: $0)) } ?? .notReachable
    }

    // MARK: The addresses of a host

    private func lookUp(_ name: String, after pause: Duration?) {
        let lookup = Task { [weak self, resolver, clock] in
            if let pause { try? await clock.sleep(for: pause) }
            guard !Task.isCancelled else { return }
            let addresses = await resolver(name)
            guard !Task.isCancelled else { return }
            self?.queue.async { [weak self] in self?.take(addresses, of: name) }
        }
        host.withLock { host in
            let previous = host.lookup
            host.lookup = lookup
            return previous
        }?.cancel()
    }

    private func take(_ addresses: [NetworkAddress], of name: String) {
        guard !isCancelled.withLock({ $0 }), let snapshot = table.snapshot() else { return }
        let (known, pause) = host.withLock { ($0.take(addresses), $0.nextPause(in: snapshot)) }
        report(status(of: known, in: snapshot))
        if let pause { lookUp(name, after: pause) }
    }
}

extension RoutedObservation.Host {
    /// Records the state. Returns whether the state differs from the previous one. If it does, the addresses must be
    /// looked up again.
    fileprivate mutating func begin(in snapshot: RoutingSnapshot) -> Bool {
        guard snapshot != asked else { return false }
        asked = snapshot
        failures = 0
        return true
    }

    /// Stores the result of a look-up, and returns the known addresses. If the result is empty, the previous addresses
    /// stay.
    fileprivate mutating func take(_ answer: [NetworkAddress]) -> [NetworkAddress] {
        failures = answer.isEmpty ? failures + 1 : 0
        let known = answer.isEmpty ? addresses ?? [] : answer
        addresses = known
        return known
    }

    /// Returns the delay before the next look-up; nil if the last look-up has found an address, if there is no network,
    /// or if all delays have been used.
    fileprivate func nextPause(in snapshot: RoutingSnapshot) -> Duration? {
        guard failures > 0, failures <= RoutedObservation.pauses.count, snapshot.linkTowardsNetwork != nil else {
            return nil
        }
        return RoutedObservation.pauses[failures - 1]
    }
}

/// A source that derives reachability from the kernel's routes. It sends nothing, except for the look-up of a host's
/// addresses.
struct RoutedReachabilitySource: ReachabilitySource {
    /// A closure that returns the addresses of a host; empty if the host is not known.
    typealias Resolver = @Sendable (String) async -> [NetworkAddress]

    let table: any RoutingTable
    let resolver: Resolver
    var clock: any Clock<Duration> = ContinuousClock()

    func watch(
        _ target: ReachabilityTarget,
        report: @escaping @Sendable (NetworkReachabilityStatus) -> Void
    ) throws(ReachabilityUnavailable) -> @Sendable () -> Void {
        let observation = RoutedObservation(target, table: table, resolver: resolver, clock: clock, report: report)
        // Changes are observed before the state is first read, so that no change between the two is missed.
        let stop = try table.watch { [weak observation] in observation?.update() }
        observation.update()
        return {
            stop()
            observation.cancel()
        }
    }
}
