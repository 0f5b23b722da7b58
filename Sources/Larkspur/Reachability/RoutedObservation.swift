import Synchronization

/// Watches one target: reads the kernel's state after each change, and has a host's addresses looked up when the state
/// is another one.
final class RoutedObservation: Sendable {
    /// The addresses of a host, and what is under way to find them.
    fileprivate struct Host {
        var addresses: [NetworkAddress]?
        /// The state in which they were asked for last.
        var asked: RoutingSnapshot?
        /// How often they have been asked for in that state without an answer.
        var failures = 0
        var lookup: Task<Void, Never>?
    }

    /// A resolver may not be ready as soon as there is a route: the pauses after which it is asked again, in seconds.
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

    /// Something may have changed.
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
            // What was found before is the best there is until there is an answer.
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
    /// Whether the addresses are to be asked for, as the state is another one.
    fileprivate mutating func begin(in snapshot: RoutingSnapshot) -> Bool {
        guard snapshot != asked else { return false }
        asked = snapshot
        failures = 0
        return true
    }

    /// Notes an answer; without one, what was known stays.
    fileprivate mutating func take(_ answer: [NetworkAddress]) -> [NetworkAddress] {
        failures = answer.isEmpty ? failures + 1 : 0
        let known = answer.isEmpty ? addresses ?? [] : answer
        addresses = known
        return known
    }

    /// After which pause they are to be asked for again; nil if there is an answer, no network, or no hope.
    fileprivate func nextPause(in snapshot: RoutingSnapshot) -> Duration? {
        guard failures > 0, failures <= RoutedObservation.pauses.count, snapshot.linkTowardsNetwork != nil else {
            return nil
        }
        return RoutedObservation.pauses[failures - 1]
    }
}
