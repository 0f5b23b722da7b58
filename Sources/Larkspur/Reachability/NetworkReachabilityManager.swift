import Synchronization

/// Tells whether there is a way to the network, to a host or to an address, and when that changes.
///
/// It tells what the system knows of links, addresses and routes, and sends nothing to anybody. So "reachable" means
/// that a request would leave the machine, not that it would be answered. Do not ask before sending: send, and use this
/// to decide when to try again, and what to say to the user.
///
/// On Linux the kernel reports changes by rtnetlink; nothing is polled. On Apple platforms it is the Network
/// framework's path monitor, which knows of the network as such: there a host or an address is as reachable as the
/// network is.
///
/// The status is unknown until ``startMonitoring()`` has been called and the system has answered. Equal statuses are
/// never reported twice in a row.
public final class NetworkReachabilityManager: Sendable {
    private struct Storage {
        var status: ObservedValue<NetworkReachabilityStatus>
        var stop: (@Sendable () -> Void)?
        /// Counts the starts and stops, so that what a former source reports late is ignored.
        var generation = 0
        var unavailabilityReason: String?
    }

    /// A manager for the network as such that the whole program can use. It does not monitor until it is told to.
    public static let shared = NetworkReachabilityManager()

    private let target: ReachabilityTarget
    private let source: any ReachabilitySource
    private let storage: Mutex<Storage>

    init(_ target: ReachabilityTarget, source: any ReachabilitySource) {
        self.target = target
        self.source = source
        storage = Mutex(Storage(status: ObservedValue(.unknown, queue: Platform.makeCompletionQueue())))
    }

    /// Makes a manager for the network as such: it is reachable if there is a default route over a link that is up, and
    /// an address to send from.
    public convenience init() { self.init(.anyNetwork, source: Platform.reachabilitySource) }

    /// Makes a manager for a host: it is reachable if one of its addresses is.
    ///
    /// If it is a name, its addresses are looked up, as for a request, when monitoring starts and after changes of the
    /// network; if that fails, up to seven times more, with growing pauses.
    /// - Parameter host: A name, or an address in text.
    public convenience init(host: String) { self.init(.named(host), source: Platform.reachabilitySource) }

    /// Makes a manager for an address: it is reachable if the kernel would send a packet for it over a link that is up.
    /// - Parameter address: Such as `192.0.2.1`, `2001:db8::1` or `fe80::1%eth0`. Nil is returned for anything else.
    public convenience init?(address: String) {
        guard let address = NetworkAddress(address) else { return nil }
        self.init(.address(address), source: Platform.reachabilitySource)
    }

    deinit {
        let (stop, streams) = storage.withLock { ($0.stop.take(), $0.status.takeStreams()) }
        stop?()
        for stream in streams { stream.finish() }
    }

    // MARK: Monitoring

    /// Begins to watch; once more, if it does already. The last known status stays until another one is known.
    ///
    /// If the system does not tell, as in a sandbox that forbids it, the status stays unknown, and
    /// ``unavailabilityReason`` says why.
    public func startMonitoring() {
        let generation = end()
        do {
            let stop = try source.watch(target) { [weak self] in self?.take($0, of: generation) }
            let isCurrent = storage.withLock { storage in
                guard storage.generation == generation else { return false }
                storage.stop = stop
                return true
            }
            if !isCurrent { stop() }
        } catch {
            storage.withLock { storage in
                if storage.generation == generation { storage.unavailabilityReason = error.reason }
            }
        }
    }

    /// Ends watching. The last known status stays; a change that was seen before may still be reported. It may be
    /// called from anywhere, the handler too.
    public func stopMonitoring() { _ = end() }

    /// Why the system does not tell, in a sentence; nil if it does, or was not asked.
    public var unavailabilityReason: String? { storage.withLock { $0.unavailabilityReason } }

    private func end() -> Int {
        let (generation, stop) = storage.withLock { storage in
            storage.generation += 1
            storage.unavailabilityReason = nil
            return (storage.generation, storage.stop.take())
        }
        stop?()
        return generation
    }

    private func take(_ status: NetworkReachabilityStatus, of generation: Int) {
        storage.withLock { storage in
            guard storage.generation == generation else { return }
            storage.status.set(status) { [self] status in
                NotificationCenter.default.post(
                    name: Self.didChangeNotification,
                    object: self,
                    userInfo: [Self.statusUserInfoKey: status]
                )
            }
        }
    }

    // MARK: The status

    /// What is known now.
    public var status: NetworkReachabilityStatus { storage.withLock { $0.status.value } }

    /// Whether there is a way; false as long as that is not known.
    public var isReachable: Bool { status.isReachable }

    /// Whether there is a way, and it begins at such an interface.
    public func isReachable(via interface: NetworkReachabilityStatus.Interface) -> Bool {
        status.interface == interface
    }

    /// The status in words, for users: ``NetworkReachabilityStatus/localizedDescription``.
    public var localizedStatusDescription: String { status.localizedDescription }

    // MARK: Hearing of changes

    /// Sets the closure that is called when the status has changed, in the order of the changes; the first known status
    /// is such a change.
    /// - Parameters:
    ///   - queue: Where it is called, and ``didChangeNotification`` posted. Default: where they were before, at first
    ///     the main queue on Apple platforms, elsewhere a serial queue of the manager's.
    ///   - handler: The closure; nil for none.
    public func setStatusChangeHandler(
        queue: DispatchQueue? = nil,
        _ handler: (@Sendable (NetworkReachabilityStatus) -> Void)?
    ) {
        _ = storage.withLock { $0.status.setHandler(on: queue, handler) }
    }

    /// The status as it is now, `unknown` included, and then every change. Each access makes a stream of its own, which
    /// ends with the manager. A consumer that is more than 100 changes behind misses the oldest.
    public var statusUpdates: AsyncStream<NetworkReachabilityStatus> {
        let capacity = ObservedValue<NetworkReachabilityStatus>.streamCapacity
        return AsyncStream(bufferingPolicy: .bufferingNewest(capacity)) { continuation in
            let stream = storage.withLock { $0.status.add(continuation) }
            continuation.onTermination = { [weak self] _ in self?.storage.withLock { $0.status.remove(stream) } }
        }
    }

    /// Posted when the status has changed, after the closure was called and on its queue. The object is the
    /// `NetworkReachabilityManager`; ``Foundation/Notification/reachabilityStatus`` is the status.
    public static let didChangeNotification = Notification.Name("LarkspurReachabilityDidChange")

    /// Where the `NetworkReachabilityStatus` is in the user info of ``didChangeNotification``.
    public static let statusUserInfoKey = "LarkspurReachabilityStatus"
}

extension Notification {
    /// What ``NetworkReachabilityManager/didChangeNotification`` says; nil for any other notification.
    public var reachabilityStatus: NetworkReachabilityStatus? {
        userInfo?[NetworkReachabilityManager.statusUserInfoKey] as? NetworkReachabilityStatus
    }
}
